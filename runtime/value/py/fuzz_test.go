package py

import (
	"testing"
)

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5e3, "\ud83d\ude00", null]}`, `[NaN, -Infinity]`, `"\u12`, `[[[[`, `-`, `1e999`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Loads(s)
		if err != nil {
			if _, ok := err.(*exception); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		text, err := Dumps(v, DumpsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Loads(text)
		if err != nil {
			t.Fatalf("%s became %s: %v", s, text, err)
		}
		if twice, err := Dumps(again, DumpsOptions{}); err != nil || twice != text {
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
		args := []Value{Str(text), Int(12), Float(-2.5), NewList(Str(text))}
		_, _ = caught(func() Value { return callMethod(Str(s), "format", args, []Kw{{Name: "a", Value: Int(3)}}) })
		_, _ = caught(func() Value { return mod(Str(s), newTuple(args...)) })
		_, _ = caught(func() Value { return mod(Str(s), Str(text)) })
		_, _ = caught(func() Value { return parseInt(s, 0) })
		_, _ = caught(func() float64 { return parseFloat(s) })
		for _, name := range methods["str"] {
			_, _ = caught(func() Value { return callMethod(Str(s), name, nil, nil) })
			_, _ = caught(func() Value { return callMethod(Str(s), name, []Value{Str(text)}, nil) })
		}
		for _, filter := range []Filter{Filters.Urlize, Filters.Wordwrap, Filters.Title, Filters.Striptags, Filters.Pprint, Filters.Truncate, Filters.Int} {
			_, _ = caught(func() Value { return filter(Str(s), Args{}) })
		}
	})
}
