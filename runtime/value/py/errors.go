package py

import (
	"fmt"
	"math/big"
	"slices"
)

// An exception is what Python or Jinja2 would raise. All errors of the package are
// of this type. Within the package exceptions are raised by panic, as in Python, and
// caught where Python's code has `except` (see tryCatch), by Eval and by the functions for
// other packages: every operation here can fail, and passing errors on took one line in
// seven. Any other panic is a fault of this package and is not caught.
type exception struct {
	// Kind is the class of the exception: TypeError, UndefinedError,
	// ZeroDivisionError and so on; LimitError and Unsupported are our own.
	Kind    string
	Message string
	// Detail follows the place of the error in its message.
	Detail string
}

// Error returns the message without the kind, as xprompt reports it.
func (e *exception) Error() string { return e.Message }

func newException(kind, format string, args ...any) *exception {
	return &exception{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) *exception {
	return newException("TypeError", format, args...)
}
func valueError(format string, args ...any) *exception {
	return newException("ValueError", format, args...)
}

func unsupportedError(format string, args ...any) *exception {
	return newException("Unsupported", format, args...)
}

// catchException is deferred: it makes a raised exception the error.
func catchException(err *error) {
	switch p := recover().(type) {
	case nil:
	case *exception:
		*err = p
	default:
		panic(p)
	}
}

// tryCatch returns the exception that f raises if it is of one of the kinds, else nil;
// others are raised again. Without kinds it returns any.
func tryCatch(f func(), kinds ...string) (raised *exception) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *exception:
			if raised = p; len(kinds) > 0 && !slices.Contains(kinds, p.Kind) {
				panic(p)
			}
		default:
			panic(p)
		}
	}()
	f()
	return nil
}

const (
	// maxText is the most bytes that a text may hold.
	maxText = 64 << 20
	// maxItems is the most items that a list, tuple or dict may hold.
	maxItems = 1_000_000
	// maxBits is the most bits that a whole number may have.
	maxBits = 1 << 20
	// maxDigits is the most digits of a whole number that Python prints.
	maxDigits = 4300
	// maxDepth is how deep values may nest.
	maxDepth = 1000
	// maxSteps is how many pairs an equality test compares, and how many
	// values pprint puts in order.
	maxSteps = 4_000_000
)

// checkText raises an exception if a text of n bytes is too long.
func checkText(n int64) {
	if n > maxText {
		panic(newException("LimitError", "the string would be longer than %d MiB", maxText>>20))
	}
}

// checkItems raises an exception if a list of n items is too long.
func checkItems(n int64) {
	if n > maxItems {
		panic(newException("LimitError", "the list would have more than %d items", maxItems))
	}
}

// checkInt returns the int unless it is too large.
func checkInt(i *big.Int) Value {
	if i.BitLen() > maxBits {
		panic(tooLarge())
	}
	return newInt(i)
}

func tooLarge() error {
	return newException("LimitError", "the integer would have more than %d bits", maxBits)
}

func tooDeep() error {
	return newException("RecursionError", "the value nests more than %d deep", maxDepth)
}
