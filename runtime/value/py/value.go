package py

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A Value is a value of Python: None, Bool, Int, Float, Str, *List, *Dict, *Loop, or one of
// the kinds that only this package makes, such as tuples, functions and undefined values.
type Value interface {
	// typeName is the name of the value's class in Python.
	typeName() string
}

// None is Python's None.
type None struct{}

// Bool is True or False. It counts as 1 or 0 in arithmetic.
type Bool bool

// Int is a whole number that fits into 64 bits. Operations return larger whole numbers as a
// Value of an unexported type.
type Int int64

// bigInt is a whole number that Int cannot hold; it never holds one that it can.
type bigInt struct{ i *big.Int }

// Float is a floating-point number of 64 bits.
type Float float64

// Str is a text in UTF-8. Its length and its indexes count code points.
type Str string

// A List is a Python list: a mutable reference. It is not safe for concurrent use.
type List struct{ items []Value }

// A tuple is a list that cannot change.
type tuple struct {
	items []Value
	// fields names the items of a group, as `groupby` makes them.
	fields []string
}

// A rangeValue is the sequence of whole numbers from start in equal steps.
type rangeValue struct{ start, stop, step int64 }

// NewList returns a list of the values. It keeps the slice.
func NewList(items ...Value) *List { return &List{items: items} }

// newTuple makes a tuple of the values. It keeps the slice.
func newTuple(items ...Value) *tuple { return &tuple{items: items} }

// Items returns the list's values. The caller must not change the slice.
func (l *List) Items() []Value { return l.items }

// Items returns the tuple's values; they are not to be changed.
func (t *tuple) Items() []Value { return t.items }

// newInt makes a whole number of any size.
func newInt(i *big.Int) Value {
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return &bigInt{i: i}
}

// ListOf returns the list of Go values, of a type that inputs and fields of typed outputs
// have.
func ListOf[T ~string | int64 | float64 | bool](values []T) *List {
	items := make([]Value, len(values))
	for i, v := range values {
		items[i] = valueOf(v)
	}
	return &List{items: items}
}

// OrNone returns the value of *p, or None if p is nil.
func OrNone[T ~string | int64 | float64 | bool](p *T) Value {
	if p == nil {
		return None{}
	}
	return valueOf(*p)
}

func valueOf[T any](v T) Value {
	switch v := any(v).(type) {
	case int64:
		return Int(v)
	case float64:
		return Float(v)
	case bool:
		return Bool(v)
	}
	return Str(reflect.ValueOf(v).String()) // string, or an enum's type
}

func (None) typeName() string        { return "NoneType" }
func (Bool) typeName() string        { return "bool" }
func (Int) typeName() string         { return "int" }
func (*bigInt) typeName() string     { return "int" }
func (Float) typeName() string       { return "float" }
func (Str) typeName() string         { return "str" }
func (*List) typeName() string       { return "list" }
func (*rangeValue) typeName() string { return "range" }

func (t *tuple) typeName() string {
	if t.fields != nil {
		return "_GroupTuple"
	}
	return "tuple"
}

// TypeName returns the name of the value's class in Python, such as "NoneType".
func TypeName(v Value) string { return v.typeName() }

// itemCount returns the number of items.
func (r *rangeValue) itemCount() int64 {
	if r.step > 0 && r.start < r.stop {
		return int64((uint64(r.stop)-uint64(r.start)-1)/uint64(r.step)) + 1
	}
	if r.step < 0 && r.start > r.stop {
		return int64((uint64(r.start)-uint64(r.stop)-1)/uint64(-r.step)) + 1
	}
	return 0
}

func (r *rangeValue) itemAt(i int64) Value { return Int(r.start + i*r.step) }

// An undefined is the value of a missing name, attribute or item. A strict one makes
// every use an error except the tests `defined` and `undefined` and the filter `default`;
// a lenient one, the result of an `if` without `else` in an expression, is an empty
// string, false and an empty list.
type undefined struct {
	message string
	// detail follows the place in the message.
	detail  string
	lenient bool
	skipped skipped
}

// skipped is the relation of an undefined value to a skipped step.
type skipped uint8

const (
	notSkipped skipped = iota
	// itself: it is the step's output.
	itself
	// itsAttribute: it is an attribute of the output, in a condition: false, which
	// it is equal to, without text, and its own attributes.
	itsAttribute
)

func (u *undefined) typeName() string {
	if u.lenient {
		return "Undefined"
	}
	return "StrictUndefined"
}

// undefinedName returns the value of a name that does not exist.
func undefinedName(name string) *undefined {
	return &undefined{message: quoteRepr(name) + " is undefined"}
}

// noElse returns the value of `x if y` when y is false.
func noElse() *undefined {
	return &undefined{message: "the inline if-expression evaluated to false and no else section was defined.", lenient: true}
}

// undefinedAttr returns the value of an attribute that v does not have.
func undefinedAttr(v Value, name string) *undefined {
	return &undefined{message: quoteRepr(objectName(v)) + " has no attribute " + quoteRepr(name)}
}

// missingField returns the value of a field that the output of a step does not have. The
// message is for people who do not know Python; text is the output.
func missingField(step, text, name string) *undefined {
	return &undefined{message: fmt.Sprintf("step '%s' returned no field `%s`", step, name), detail: "; it returned " + describeOutput(text)}
}

// mostFields is how many fields of an object a message names.
const mostFields = 12

// describeOutput describes an output: the text of a program or an agent, the fields of an object,
// or another JSON value.
func describeOutput(text string) string {
	v, err := Loads(text)
	object, ok := v.(*Dict)
	if err != nil || !ok {
		return plain.Clip(text, 101)
	}
	var fields []string
	_ = object.Each(func(key, v Value) error {
		fields = append(fields, "`"+strOf(key)+"`")
		return nil
	})
	if len(fields) == 1 {
		for _, field := range []string{"_raw", "_output"} {
			if words, ok := object.GetStr(field); ok {
				return "the text " + plain.Quoted(strOf(words))
			}
		}
	}
	switch n := len(fields); {
	case n == 0:
		return "an object without fields"
	case n == 1:
		return "the field " + fields[0]
	case n > mostFields:
		fields = append(fields[:mostFields], "…")
	}
	return "the fields " + strings.Join(fields, ", ")
}

// undefinedItem returns the value of an item that v does not have.
func undefinedItem(v, key Value) *undefined {
	if s, ok := key.(Str); ok {
		return undefinedAttr(v, string(s))
	}
	name := "Undefined"
	tryCatch(func() { name = reprOf(key) })
	return &undefined{message: objectName(v) + " has no element " + name}
}

// useError is the error of using the value.
func (u *undefined) useError() error {
	return &exception{Kind: "UndefinedError", Message: u.message, Detail: u.detail}
}

// undefinedOperand raises the exception of an operation if an operand is undefined.
func undefinedOperand(values ...Value) {
	for _, v := range values {
		if u, ok := v.(*undefined); ok {
			panic(u.useError())
		}
	}
}

// objectName is how Jinja2 names a value that lacks an attribute.
func objectName(v Value) string {
	switch v := v.(type) {
	case None:
		return "None"
	case *namespaceValue:
		return "jinja2.utils.Namespace object"
	case *Loop:
		return "jinja2.runtime.LoopContext object"
	case *cyclerValue:
		return "jinja2.utils.Cycler object"
	case *function:
		if v.macro {
			return "jinja2.runtime.Macro object"
		}
	}
	return v.typeName() + " object"
}

// isTruthy reports whether v is true in Python. Only a strict undefined value is an error.
func isTruthy(v Value) bool {
	switch v := v.(type) {
	case None:
		return false
	case Bool:
		return bool(v)
	case Int:
		return v != 0
	case Float:
		return v != 0
	case Str:
		return v != ""
	case *undefined:
		if v.lenient {
			return false
		}
		panic(v.useError())
	case *List, *tuple, *Dict, *dictView, *rangeValue:
		return lengthOf(v) != 0
	}
	return true
}

// lengthOf returns the number of items of v.
func lengthOf(v Value) int {
	switch v := v.(type) {
	case Str:
		return strLen(string(v))
	case *List:
		return len(v.items)
	case *tuple:
		return len(v.items)
	case *Dict:
		return v.Len()
	case *dictView:
		return v.dict.Len()
	case *rangeValue:
		return int(v.itemCount())
	case *Loop:
		return v.itemCount()
	case *undefined:
		if v.lenient {
			return 0
		}
		panic(v.useError())
	}
	panic(typeError("object of type '%s' has no len()", v.typeName()))
}
