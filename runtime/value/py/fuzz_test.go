package py_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5e3, "\ud83d\ude00", null]}`, `[NaN, -Infinity]`, `"\u12`, `[[[[`, `-`, `1e999`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := py.FromJSON(s)
		if err != nil {
			if _, ok := err.(*py.Error); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		text, err := py.JSON(v, py.JSONOptions{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := py.FromJSON(text)
		if err != nil {
			t.Fatalf("%s became %s: %v", s, text, err)
		}
		if twice, err := py.JSON(again, py.JSONOptions{}); err != nil || twice != text {
			t.Fatalf("%s became %s, then %s: %v", s, text, twice, err)
		}
	})
}

func FuzzFormats(f *testing.F) {
	for _, s := range samples {
		f.Add(s, s)
	}
	f.Add("{:{width}.{x[0]}}", "%(a)-*.3f")
	f.Fuzz(func(t *testing.T, s, text string) {
		args := []py.Value{py.Str(text), py.Int(12), py.Float(-2.5), py.NewList(py.Str(text))}
		_, _ = py.CallAttr(py.Str(s), "format", args, []py.Kw{{Name: "a", Value: py.Int(3)}})
		_, _ = py.Mod(py.Str(s), py.NewTuple(args...))
		_, _ = py.Mod(py.Str(s), py.Str(text))
		_, _ = py.ParseInt(s, 0)
		_, _ = py.ParseFloat(s)
		for _, name := range methods["str"] {
			_, _ = py.CallAttr(py.Str(s), name, nil, nil)
			_, _ = py.CallAttr(py.Str(s), name, []py.Value{py.Str(text)}, nil)
		}
		for _, filter := range []py.Filter{py.FilterUrlize, py.FilterWordwrap, py.FilterTitle, py.FilterStriptags, py.FilterPprint, py.FilterTruncate, py.FilterInt} {
			_, _ = filter(py.Str(s), py.Args{})
		}
	})
}
