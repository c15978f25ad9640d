package py

// An Undefined stands for a name, attribute or item that is not there. A
// strict one makes every use an error but the tests `defined` and `undefined`
// and the filter `default`; a lenient one, the result of an `if` without
// `else` in an expression, is empty text, false and an empty list.
type Undefined struct {
	message string
	lenient bool
	skipped skipped
}

// skipped says what an undefined value has to do with a step that was skipped.
type skipped uint8

const (
	notSkipped skipped = iota
	// itself: it is the step's output.
	itself
	// itsAttribute: it is an attribute of the output, in a condition: false, which
	// it is equal to, without text, and its own attributes.
	itsAttribute
)

func (u *Undefined) typeName() string {
	if u.lenient {
		return "Undefined"
	}
	return "StrictUndefined"
}

// UndefinedName returns the value of a name that does not exist.
func UndefinedName(name string) *Undefined {
	return &Undefined{message: quote(name) + " is undefined"}
}

// NoElse returns the value of `x if y` when y is false.
func NoElse() *Undefined {
	return &Undefined{message: "the inline if-expression evaluated to false and no else section was defined.", lenient: true}
}

// undefinedAttr returns the value of an attribute that v does not have.
func undefinedAttr(v Value, name string) *Undefined {
	return &Undefined{message: quote(objectName(v)) + " has no attribute " + quote(name)}
}

// undefinedItem returns the value of an item that v does not have.
func undefinedItem(v, key Value) *Undefined {
	if s, ok := key.(Str); ok {
		return undefinedAttr(v, string(s))
	}
	name, err := Repr(key)
	if err != nil {
		name = "Undefined"
	}
	return &Undefined{message: objectName(v) + " has no element " + name}
}

// fail is the error of using the value.
func (u *Undefined) fail() error { return raise("UndefinedError", "%s", u.message) }

// undefinedOperand returns the error of an operation with an undefined operand.
func undefinedOperand(values ...Value) error {
	for _, v := range values {
		if u, ok := v.(*Undefined); ok {
			return u.fail()
		}
	}
	return nil
}

// objectName is how Jinja2 names a value that lacks an attribute.
func objectName(v Value) string {
	switch v := v.(type) {
	case None:
		return "None"
	case *Namespace:
		return "jinja2.utils.Namespace object"
	case *Loop:
		return "jinja2.runtime.LoopContext object"
	case *Cycler:
		return "jinja2.utils.Cycler object"
	case *Func:
		if v.macro {
			return "jinja2.runtime.Macro object"
		}
	}
	return v.typeName() + " object"
}
