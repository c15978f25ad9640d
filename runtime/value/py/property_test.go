package py_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// checkError fails the test when an error is none that Python could raise.
func checkError(t *rapid.T, what string, err error) {
	if err == nil {
		return
	}
	if e, ok := err.(*py.Error); !ok || e.Kind == "" || e.Message == "" {
		t.Fatalf("%s: an error without kind or message: %#v", what, err)
	}
}

var binary = map[string]func(a, b py.Value) (py.Value, error){
	"+": py.Add, "-": py.Sub, "*": py.Mul, "/": py.Div, "//": py.FloorDiv, "%": py.Mod, "**": py.Pow, "[]": py.Item,
	"~":  func(a, b py.Value) (py.Value, error) { return py.Concat(a, b) },
	"==": truth(py.Eq), "!=": truth(py.Ne), "<": truth(py.Lt), "<=": truth(py.Le), ">": truth(py.Gt), ">=": truth(py.Ge),
	"in": truth(py.In), "not in": truth(py.NotIn),
}

func truth(f func(a, b py.Value) (bool, error)) func(a, b py.Value) (py.Value, error) {
	return func(a, b py.Value) (py.Value, error) {
		ok, err := f(a, b)
		return py.Bool(ok), err
	}
}

func TestOperatorsOnAnythingDoNotPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(2).Draw(t, "a"), values(2).Draw(t, "b")
		for name, f := range binary {
			v, err := f(a, b)
			checkError(t, name, err)
			if err != nil {
				continue
			}
			if _, err := py.Text(v); err != nil {
				checkError(t, name+" as text", err)
			}
			_, err = py.JSON(v, py.JSONOptions{SortKeys: true})
			checkError(t, name+" as JSON", err)
		}
		for _, f := range []func(py.Value) (py.Value, error){py.Neg, py.Pos, py.Not} {
			_, err := f(a)
			checkError(t, "unary", err)
		}
		_, err := py.Slice(a, b, py.None{}, values(0).Draw(t, "step"))
		checkError(t, "slice", err)
	})
}

func TestJSONReadsWhatItWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := py.JSON(values(3).Draw(t, "value"), py.JSONOptions{})
		if err != nil {
			return
		}
		v, err := py.FromJSON(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := py.JSON(v, py.JSONOptions{})
		// Keys such as 1 and "1" become one when they are read.
		if third, _ := py.FromJSON(again); err != nil || third == nil {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}
