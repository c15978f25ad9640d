// Package py holds values that behave as those of Python 3.11 do, with the
// operators, methods, filters and tests of Jinja2 3.1: the compiled form of
// xprompt templates computes with it where types are not known when it is built.
//
// # What is the same as Python
//
// Whole numbers of any size, floats in their shortest digits, True and None;
// the repr of lists, dicts, tuples and texts; slices, chained and mixed
// comparisons, the sign of // and %, rounding half to even; dicts that keep
// their order and hold 1, 1.0 and True as one key; lists and dicts that are
// shared and changed in place; iterators that can be read once; the order in
// which Jinja2 looks up an attribute and an item; strict undefined values; the
// kinds of errors and, for the common ones, their words.
//
// # What is not
//
// Texts are UTF-8 and hold no lone surrogates: they become U+FFFD. Upper and
// lower case, and what can be printed, follow the Unicode tables of Go, which
// may be newer. The escaping filters return plain texts: without autoescape
// Jinja2 marks them so that a second `escape`, or an addition, escapes
// differently. A list that holds an undefined value cannot be printed, where
// Python prints Undefined in its place. What would print an address in memory
// (a function, an iterator) cannot be printed: the next run would differ.
// Likewise `random` and `lipsum` are refused. Names that begin with two underscores,
// and the methods of Python that no template needs, are refused with an error
// of the kind Unsupported rather than taken for undefined.
//
// # Limits
//
// A text holds at most 64 MiB, a list or dict a million items, a whole number
// 2^20 bits, and values nest 1,000 deep. What goes beyond is an error of the
// kind LimitError, or RecursionError as in Python; memory is not asked for
// first. An equality test gives up after some million steps.
//
// # Use
//
// Every operation is a function, and every filter and test is a function of its own, so
// that a program carries only those that it calls. Filters that apply another
// one by its name find it in the Env of their arguments. The package
// runtime/value/py/names lists all of them for the compiler. Nothing here is
// safe for concurrent use: flows run one task at a time.
package py

import (
	"math/big"
)

// A Value is one of None, Bool, Int, *Big, Float, Str, *List, *Tuple, *Dict,
// *Range, *View, *Iter, *Func, *Undefined, *Namespace, *Loop, *Cycler and,
// in plans, *StandIn.
type Value interface {
	// typeName is the name of the value's class in Python.
	typeName() string
}

// None is Python's None.
type None struct{}

// Bool is True or False. It counts as 1 or 0 in arithmetic.
type Bool bool

// Int is a whole number of 64 bits.
type Int int64

// Big is a whole number that Int cannot hold; it never holds one that it can.
type Big struct{ i *big.Int }

// Float is a floating-point number of 64 bits.
type Float float64

// Str is a text in UTF-8. Its length and its indexes count code points.
type Str string

// A List is a list that can change; all who hold it see the change.
type List struct{ items []Value }

// A Tuple is a list that cannot change.
type Tuple struct {
	items []Value
	// fields names the items of a group, as `groupby` makes them.
	fields []string
}

// A Range is the sequence of whole numbers from start in equal steps.
type Range struct{ start, stop, step int64 }

// NewList makes a list of the values. It keeps the slice.
func NewList(items ...Value) *List { return &List{items: items} }

// NewTuple makes a tuple of the values. It keeps the slice.
func NewTuple(items ...Value) *Tuple { return &Tuple{items: items} }

// Items returns the list's values; they are not to be changed.
func (l *List) Items() []Value { return l.items }

// Items returns the tuple's values; they are not to be changed.
func (t *Tuple) Items() []Value { return t.items }

// NewInt makes a whole number of any size.
func NewInt(i *big.Int) Value {
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return &Big{i: i}
}

// ListOf makes a list of Go values.
func ListOf[T any](values []T, of func(T) Value) *List {
	items := make([]Value, len(values))
	for i, v := range values {
		items[i] = of(v)
	}
	return &List{items: items}
}

// Optional makes a value of a pointer: None of nil.
func Optional[T any](p *T, of func(T) Value) Value {
	if p == nil {
		return None{}
	}
	return of(*p)
}

// OfStr makes a text, for ListOf and Optional.
func OfStr[T ~string](s T) Value { return Str(s) }

// OfInt makes a whole number, for ListOf and Optional.
func OfInt(n int64) Value { return Int(n) }

// OfFloat makes a floating-point number, for ListOf and Optional.
func OfFloat(f float64) Value { return Float(f) }

// OfBool makes a truth value, for ListOf and Optional.
func OfBool(b bool) Value { return Bool(b) }

func (None) typeName() string   { return "NoneType" }
func (Bool) typeName() string   { return "bool" }
func (Int) typeName() string    { return "int" }
func (*Big) typeName() string   { return "int" }
func (Float) typeName() string  { return "float" }
func (Str) typeName() string    { return "str" }
func (*List) typeName() string  { return "list" }
func (*Range) typeName() string { return "range" }

func (t *Tuple) typeName() string {
	if t.fields != nil {
		return "_GroupTuple"
	}
	return "tuple"
}

// TypeName returns the name of the value's class in Python, such as "NoneType".
func TypeName(v Value) string { return v.typeName() }

// length returns the number of items.
func (r *Range) length() int64 {
	if r.step > 0 && r.start < r.stop {
		return int64((uint64(r.stop)-uint64(r.start)-1)/uint64(r.step)) + 1
	}
	if r.step < 0 && r.start > r.stop {
		return int64((uint64(r.start)-uint64(r.stop)-1)/uint64(-r.step)) + 1
	}
	return 0
}

func (r *Range) at(i int64) Value { return Int(r.start + i*r.step) }
