package py

import "fmt"

// An Error is what Python or Jinja2 would raise. All errors of the package are
// of this type.
type Error struct {
	// Kind is the class of the exception: TypeError, UndefinedError,
	// ZeroDivisionError and so on; LimitError and Unsupported are our own.
	Kind    string
	Message string
}

// Error returns the message without the kind, as xprompt reports it.
func (e *Error) Error() string { return e.Message }

func raise(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func typeError(format string, args ...any) *Error  { return raise("TypeError", format, args...) }
func valueError(format string, args ...any) *Error { return raise("ValueError", format, args...) }

func unsupported(format string, args ...any) *Error {
	return raise("Unsupported", format, args...)
}

// isKind tells whether err is an Error of one of the kinds.
func isKind(err error, kinds ...string) bool {
	e, ok := err.(*Error)
	if !ok {
		return false
	}
	for _, kind := range kinds {
		if e.Kind == kind {
			return true
		}
	}
	return false
}
