package py_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// values draws values of all kinds, lists and dicts of small depth.
func values(depth int) *rapid.Generator[py.Value] {
	scalars := rapid.OneOf(
		rapid.Just[py.Value](py.None{}),
		rapid.Map(rapid.Bool(), py.OfBool),
		rapid.Map(rapid.Int64Range(-5, 300), py.OfInt),
		rapid.Map(rapid.Int64(), py.OfInt),
		rapid.Map(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.5, 1, -2.5, 1e16, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), 12.25}), py.OfFloat),
		rapid.Map(rapid.Float64(), py.OfFloat),
		rapid.Map(rapid.SampledFrom([]string{"", "a", "Ab c", "%s", "%5.2f|%d", "{}", "{0:>8,}", "1", " 42 ", "ß", "x\ny\r\n", "<a href='x'>", "upper", "a.b.0"}), py.OfStr),
		rapid.Map(rapid.String(), py.OfStr),
		rapid.Map(rapid.Int64(), func(n int64) py.Value {
			return py.NewInt(new(big.Int).Mul(big.NewInt(n), big.NewInt(math.MaxInt64)))
		}),
		rapid.Map(rapid.Bool(), func(strict bool) py.Value {
			if strict {
				return py.UndefinedName("nope")
			}
			return py.NoElse()
		}),
		rapid.Custom(func(t *rapid.T) py.Value {
			n := rapid.SliceOfN(rapid.Int64Range(-4, 9), 1, 3).Draw(t, "range")
			r, err := py.GlobalRange(py.Of(py.ListOf(n, py.OfInt).Items()...))
			if err != nil {
				return py.None{}
			}
			return r
		}),
	)
	if depth == 0 {
		return scalars
	}
	below := values(depth - 1)
	lists := rapid.SliceOfN(below, 0, 4)
	return rapid.OneOf(scalars,
		rapid.Map(lists, func(v []py.Value) py.Value { return py.NewList(v...) }),
		rapid.Map(lists, func(v []py.Value) py.Value { return py.NewTuple(v...) }),
		rapid.Map(lists, func(v []py.Value) py.Value {
			d := py.NewDict()
			for i, item := range v {
				if err := d.Set(item, v[(i+1)%len(v)]); err != nil {
					_ = d.SetStr("k", item)
				}
			}
			return d
		}),
	)
}

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
