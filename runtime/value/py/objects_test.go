package py

import (
	"testing"
)

// attr reads an attribute and renders it.
func attr(t *testing.T, v Value, name string) string {
	t.Helper()
	got, err := caught(func() Value { return getAttr(v, name) })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := Text(got)
	if err != nil {
		return err.Error()
	}
	return text
}

// call calls an attribute and renders the result.
func call(t *testing.T, v Value, name string, args ...Value) string {
	t.Helper()
	got, err := caught(func() Value { return callMethod(v, name, args, nil) })
	if err != nil {
		return err.Error()
	}
	text, err := Text(got)
	if err != nil {
		return err.Error()
	}
	return text
}

func TestLoop(t *testing.T) {
	for _, source := range []Value{mustJSON(t, `["a", "b", "b"]`), lowered(t)} {
		l, err := caught(func() *Loop { return newLoop(source, 0) })
		if err != nil {
			t.Fatal(err)
		}
		want := []map[string]string{
			{"index": "1", "index0": "0", "first": "True", "last": "False", "length": "3", "revindex": "3", "revindex0": "2", "previtem": "there is no previous item", "nextitem": "b", "depth": "1", "depth0": "0"},
			{"index": "2", "index0": "1", "first": "False", "last": "False", "length": "3", "revindex": "2", "revindex0": "1", "previtem": "a", "nextitem": "b"},
			{"index": "3", "index0": "2", "first": "False", "last": "True", "length": "3", "revindex": "1", "revindex0": "0", "previtem": "b", "nextitem": "there is no next item"},
		}
		changed := []string{"True", "True", "False"}
		for i, attrs := range want {
			item, ok := l.advance()
			if !ok {
				t.Fatalf("no item %d", i)
			}
			for name, text := range attrs {
				if got := attr(t, l, name); got != text {
					t.Errorf("item %d: loop.%s is %s, want %s", i, name, got, text)
				}
			}
			if got := call(t, l, "cycle", Str("x"), Str("y")); got != []string{"x", "y", "x"}[i] {
				t.Errorf("item %d: cycle: %s", i, got)
			}
			if got := call(t, l, "changed", item); got != changed[i] {
				t.Errorf("item %d: changed: %s", i, got)
			}
		}
		if v, ok := l.advance(); ok {
			t.Errorf("a fourth item: %v", v)
		}
		if got := attr(t, l, "nope"); got != "'jinja2.runtime.LoopContext object' has no attribute 'nope'" {
			t.Error(got)
		}
	}
	if _, err := caught(func() *Loop { return newLoop(undefinedName("items"), 0) }); err == nil || err.Error() != "'items' is undefined" {
		t.Errorf("a loop over nothing: %v", err)
	}
}

// lowered returns values that can be read once.
func lowered(t *testing.T) Value {
	it, err := caught(func() Value {
		return Filters.Map(mustJSON(t, `["A", "B", "B"]`), Args{Pos: []Value{Str("lower")}, Env: &Env{Filters: map[string]Filter{"lower": Filters.Lower}}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func TestGlobals(t *testing.T) {
	make := func(f func(Args) Value, a Args) Value {
		v, err := caught(func() Value { return f(a) })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ns := make(Globals.Namespace, Args{Kw: []Kw{{Name: "n", Value: Int(1)}}})
	if err := tryCatch(func() { setAttr(ns, "n", Int(2)) }); err != nil || attr(t, ns, "n") != "2" {
		t.Errorf("namespace: %v, %s", err, attr(t, ns, "n"))
	}
	if got := attr(t, ns, "m"); got != "'jinja2.utils.Namespace object' has no attribute 'm'" {
		t.Error(got)
	}
	if err := tryCatch(func() { setAttr(NewDict(), "n", Int(1)) }); err == nil || err.Error() != "cannot assign attribute on non-namespace object" {
		t.Errorf("assignment to a dict: %v", err)
	}
	c := make(Globals.Cycler, argsOf(Str("a"), Str("b")))
	if got := attr(t, c, "current") + call(t, c, "next") + call(t, c, "next") + call(t, c, "next") + call(t, c, "reset") + call(t, c, "next"); got != "aabaNonea" {
		t.Errorf("cycler: %s", got)
	}
	j := make(Globals.Joiner, argsOf(Str("|")))
	for _, want := range []string{"", "|", "|"} {
		if got, err := caught(func() Value { return callValue(j, nil, nil) }); err != nil || got != Str(want) {
			t.Errorf("joiner: %v, %v", got, err)
		}
	}
	d := make(Globals.Dict, Args{Pos: []Value{mustJSON(t, `[["a", 1]]`)}, Kw: []Kw{{Name: "b", Value: Int(2)}}})
	if got, _ := Text(d); got != "{'a': 1, 'b': 2}" {
		t.Errorf("dict: %s", got)
	}
	if _, err := caught(func() Value { return Globals.Lipsum(Args{}) }); err == nil {
		t.Error("lipsum is not refused")
	}
	if _, err := caught(func() Value { return Globals.Range(argsOf(Int(1), Int(2), Int(0))) }); err == nil || err.Error() != "range() arg 3 must not be zero" {
		t.Errorf("a range without a step: %v", err)
	}
}

func TestCalls(t *testing.T) {
	hello := newMacro("hi", func(a Args) Value { return concatAll(append([]Value{Str("hi ")}, a.Pos...)...) })
	if got, err := caught(func() Value { return callValue(hello, []Value{Str("al")}, nil) }); err != nil || got != Str("hi al") {
		t.Errorf("got %v, %v", got, err)
	}
	if got, _ := Text(hello); got != "<Macro 'hi'>" {
		t.Errorf("printed: %s", got)
	}
	for want, f := range map[string]func() error{
		"'int' object is not callable": func() error { _, err := caught(func() Value { return callValue(Int(1), nil, nil) }); return err },
		"'f' is undefined": func() error {
			_, err := caught(func() Value { return callValue(undefinedName("f"), nil, nil) })
			return err
		},
		"got multiple values for keyword argument 'a'": func() error {
			_, err := caught(func() Value {
				return callValue(hello, nil, []Kw{{Name: "a", Value: Int(1)}, {Name: "a", Value: Int(2)}})
			})
			return err
		},
		"`upper` is a function and cannot be printed: call it with ()": func() error {
			v, err := caught(func() Value { return getAttr(Str("x"), "upper") })
			if err == nil {
				_, err = Text(v)
			}
			return err
		},
		"a generator cannot be printed: make it a list with `| list`":                          func() error { _, err := Text(lowered(t)); return err },
		"the method `encode` of str is not supported":                                          func() error { _, err := caught(func() Value { return getAttr(Str("x"), "encode") }); return err },
		"`__class__` is not supported: names that begin with two underscores are Python's own": func() error { _, err := caught(func() Value { return getAttr(Int(1), "__class__") }); return err },
		"not enough values to unpack (expected 2, got 1)":                                      func() error { _, err := caught(func() []Value { return unpackValues(NewList(Int(1)), 2) }); return err },
		"too many values to unpack (expected 1)":                                               func() error { _, err := caught(func() []Value { return unpackValues(Str("ab"), 1) }); return err },
		"cannot unpack non-iterable int object":                                                func() error { _, err := caught(func() []Value { return unpackValues(Int(1), 2) }); return err },
		"dictionary changed size during iteration":                                             changedSize,
		"argument after ** must be a mapping, not list":                                        func() error { _, err := caught(func() []Kw { return spreadKw(NewList()) }); return err },
		"Value after * must be an iterable, not int":                                           func() error { _, err := caught(func() []Value { return spreadValues(Int(1)) }); return err },
		"the filter `random` is not supported: a resumed run would choose differently":         func() error { _, err := caught(func() Value { return Filters.Random(NewList(), Args{}) }); return err },
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}

func changedSize() (err error) {
	defer catchException(&err)
	d := NewDict()
	d.setStr("a", Int(1))
	d.setStr("b", Int(1))
	it := newIterator(d)
	it.Next()
	callMethod(d, "pop", []Value{Str("a")}, nil)
	it.Next()
	return nil
}

func TestAndOrReturnTheirOperands(t *testing.T) {
	var e Eval
	b := func() Value { return Str("b") }
	never := func() Value { t.Error("the second operand was computed"); return nil }
	for i, got := range []Value{e.And(Int(0), never), e.And(Int(7), b), e.Or(Int(7), never), e.Or(Int(0), b)} {
		if want := []Value{Int(0), Str("b"), Int(7), Str("b")}[i]; got != want {
			t.Errorf("%d: %v; want %v", i, got, want)
		}
	}
	if e.Or(undefinedName("x"), never); e.Err() == nil {
		t.Error("an undefined operand is no error")
	}
}
