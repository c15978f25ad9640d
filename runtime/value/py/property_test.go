package py

import (
	"testing"

	"pgregory.net/rapid"
)

// checkError fails the test when an error is none that Python could raise.
func checkError(t *rapid.T, what string, err error) {
	if err == nil {
		return
	}
	if e, ok := err.(*exception); !ok || e.Kind == "" || e.Message == "" {
		t.Fatalf("%s: an error without kind or message: %#v", what, err)
	}
}

// caught returns what f computes, or the exception that it raises.
func caught[T any](f func() T) (v T, err error) {
	defer catchException(&err)
	return f(), nil
}

var binaryOps = map[string]func(a, b Value) Value{
	"+": add, "-": sub, "*": mul, "/": div, "//": floorDiv, "%": mod, "**": pow, "[]": getItem,
	"~":  func(a, b Value) Value { return concatAll(a, b) },
	"==": asValue(equals), "!=": asValue(notEquals), "<": asValue(less), "<=": asValue(atMost), ">": asValue(greater), ">=": asValue(atLeast),
	"in": asValue(contains), "not in": asValue(notContains),
}

func asValue(f func(a, b Value) bool) func(a, b Value) Value {
	return func(a, b Value) Value { return Bool(f(a, b)) }
}

func TestOperatorsOnAnythingDoNotPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(2).Draw(t, "a"), values(2).Draw(t, "b")
		for name, f := range binaryOps {
			v, err := caught(func() Value { return f(a, b) })
			checkError(t, name, err)
			if err != nil {
				continue
			}
			if _, err := Text(v); err != nil {
				checkError(t, name+" as text", err)
			}
			_, err = Dumps(v, DumpsOptions{SortKeys: true})
			checkError(t, name+" as JSON", err)
		}
		for _, f := range []func(Value) Value{negate, unaryPlus} {
			_, err := caught(func() Value { return f(a) })
			checkError(t, "unary", err)
		}
		_, err := caught(func() Value { return getSlice(a, b, None{}, values(0).Draw(t, "step")) })
		checkError(t, "slice", err)
	})
}

func TestJSONReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := Dumps(values(3).Draw(t, "value"), DumpsOptions{})
		if err != nil {
			return
		}
		v, err := Loads(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := Dumps(v, DumpsOptions{})
		// Keys such as 1 and "1" become one when they are read.
		if third, _ := Loads(again); err != nil || third == nil {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}
