package py

import (
	"strings"
)

// Truth tells whether Python takes v for true. Only a strict undefined value
// is an error.
func Truth(v Value) (bool, error) {
	switch v := v.(type) {
	case None:
		return false, nil
	case Bool:
		return bool(v), nil
	case Int:
		return v != 0, nil
	case Float:
		return v != 0, nil
	case Str:
		return v != "", nil
	case *Undefined:
		if v.lenient {
			return false, nil
		}
		return false, v.fail()
	case *List, *Tuple, *Dict, *View, *Range:
		n, err := Len(v)
		return n != 0, err
	}
	return true, nil
}

// Not is `not v`.
func Not(v Value) (Value, error) {
	t, err := Truth(v)
	return Bool(!t), err
}

// And is `a and b`: a when it is false, else b, which is not computed before.
func And(a Value, b func() (Value, error)) (Value, error) {
	if t, err := Truth(a); err != nil || !t {
		return a, err
	}
	return b()
}

// Or is `a or b`: a when it is true, else b, which is not computed before.
func Or(a Value, b func() (Value, error)) (Value, error) {
	if t, err := Truth(a); err != nil || t {
		return a, err
	}
	return b()
}

// Len returns the number of items of v.
func Len(v Value) (int, error) {
	switch v := v.(type) {
	case Str:
		return strLen(string(v)), nil
	case *List:
		return len(v.items), nil
	case *Tuple:
		return len(v.items), nil
	case *Dict:
		return v.Len(), nil
	case *View:
		return v.dict.Len(), nil
	case *Range:
		return int(v.length()), nil
	case *Loop:
		return v.length()
	case *Undefined:
		if v.lenient {
			return 0, nil
		}
		return 0, v.fail()
	}
	return 0, typeError("object of type '%s' has no len()", v.typeName())
}

// Condition decides a condition of a workflow from its rendered text: it is
// false when the text, without blanks around it and in any case, is empty,
// false, none, 0, [] or {}.
func Condition(rendered string) bool {
	switch toLower(strings.TrimFunc(rendered, isSpace)) {
	case "", "false", "none", "0", "[]", "{}":
		return false
	}
	return true
}
