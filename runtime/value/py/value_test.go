package py

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

func TestMain(m *testing.M) { testkit.SeededMain(m) }

// mustJSON reads a value for a test.
func mustJSON(t *testing.T, text string) Value {
	t.Helper()
	v, err := Loads(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestRendering(t *testing.T) {
	for _, c := range []struct{ json, text, again string }{
		{`"it's"`, `it's`, `"it's"`},
		{`["it's", "say \"x\"", "both ' \""]`, `["it's", 'say "x"', 'both \' "']`, `["it's", "say \"x\"", "both ' \""]`},
		{`{"b": 1, "a": [true, null], "b": 2}`, `{'b': 2, 'a': [True, None]}`, `{"b": 2, "a": [true, null]}`},
		{`1e20`, `1e+20`, `1e+20`},
		{`1e16`, `1e+16`, `1e+16`},
		{`123456789012345.0`, `123456789012345.0`, `123456789012345.0`},
		{`0.0001`, `0.0001`, `0.0001`},
		{`0.00001`, `1e-05`, `1e-05`},
		{`-0.0`, `-0.0`, `-0.0`},
		{`1.0`, `1.0`, `1.0`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`, `123456789012345678901234567890`},
		{`[NaN, Infinity, -Infinity]`, `[nan, inf, -inf]`, `[NaN, Infinity, -Infinity]`},
		{`["é\u0001\u00ad\u2028\ud83d\ude00\t\\"]`, `['é\x01\xad\u2028😀\t\\']`, `["\u00e9\u0001\u00ad\u2028\ud83d\ude00\t\\"]`},
		{`[]`, `[]`, `[]`},
		{`{}`, `{}`, `{}`},
	} {
		v := mustJSON(t, c.json)
		if got, err := Text(v); err != nil || got != c.text {
			t.Errorf("text of %s: %s, %v; want %s", c.json, got, err, c.text)
		}
		if got, err := Dumps(v, DumpsOptions{}); err != nil || got != c.again {
			t.Errorf("JSON of %s: %s, %v; want %s", c.json, got, err, c.again)
		}
	}
}

func TestRenderingOfItself(t *testing.T) {
	l := NewList(Int(1))
	if _, err := caught(func() Value { return callMethod(l, "append", []Value{l}, nil) }); err != nil {
		t.Fatal(err)
	}
	if got, err := Text(l); err != nil || got != "[1, [...]]" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := Dumps(l, DumpsOptions{}); err == nil || err.Error() != "Circular reference detected" {
		t.Errorf("JSON: %v", err)
	}
	if _, err := caught(func() bool { return equals(l, NewList(Int(1), l)) }); err != nil {
		t.Errorf("equal by identity: %v", err)
	}
}

func TestGoValues(t *testing.T) {
	n := int64(7)
	type size string
	large := size("large")
	v := newTuple(ListOf([]string{"a", "b"}), OrNone(&n), OrNone[float64](nil), ListOf([]bool{true}), OrNone(&large))
	if got, err := Text(v); err != nil || got != "(['a', 'b'], 7, None, [True], 'large')" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestDictKeysAreEqualAsInPython(t *testing.T) {
	d := NewDict()
	for i, key := range []Value{Int(1), Float(1), Bool(true), Str("1"), newTuple(Int(1)), newTuple(Float(1))} {
		if err := d.Set(key, Int(int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := Text(d); got != "{1: 2, '1': 3, (1,): 5}" {
		t.Errorf("got %s", got)
	}
	if err := d.Set(NewList(), None{}); err == nil || err.Error() != "unhashable type: 'list'" {
		t.Errorf("a list as a key: %v", err)
	}
}

func TestJSONErrorsAreThoseOfPython(t *testing.T) {
	for text, want := range map[string]string{
		``:              "Expecting value: line 1 column 1 (char 0)",
		`[1,]`:          "Expecting value: line 1 column 4 (char 3)",
		"{\"é\": 1\n}x": "Extra data: line 2 column 2 (char 9)",
		`{a: 1}`:        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
		`{"a" 1}`:       "Expecting ':' delimiter: line 1 column 6 (char 5)",
		`[1 2]`:         "Expecting ',' delimiter: line 1 column 4 (char 3)",
		`"abc`:          "Unterminated string starting at: line 1 column 1 (char 0)",
		`"\x"`:          `Invalid \escape: line 1 column 2 (char 1)`,
		`01`:            "Extra data: line 1 column 2 (char 1)",
	} {
		if _, err := Loads(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}
