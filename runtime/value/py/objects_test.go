package py_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// attr reads an attribute and renders it.
func attr(t *testing.T, v py.Value, name string) string {
	t.Helper()
	got, err := py.Attr(v, name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := py.Text(got)
	if err != nil {
		return err.Error()
	}
	return text
}

// call calls an attribute and renders the result.
func call(t *testing.T, v py.Value, name string, args ...py.Value) string {
	t.Helper()
	got, err := py.CallAttr(v, name, args, nil)
	if err != nil {
		return err.Error()
	}
	text, err := py.Text(got)
	if err != nil {
		return err.Error()
	}
	return text
}

func TestLoop(t *testing.T) {
	for _, source := range []py.Value{mustJSON(t, `["a", "b", "b"]`), iterator(t)} {
		l, err := py.NewLoop(source, 0)
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
			item, ok, err := l.Next()
			if err != nil || !ok {
				t.Fatalf("item %d: %v, %v", i, ok, err)
			}
			for name, text := range attrs {
				if got := attr(t, l, name); got != text {
					t.Errorf("item %d: loop.%s is %s, want %s", i, name, got, text)
				}
			}
			if got := call(t, l, "cycle", py.Str("x"), py.Str("y")); got != []string{"x", "y", "x"}[i] {
				t.Errorf("item %d: cycle: %s", i, got)
			}
			if got := call(t, l, "changed", item); got != changed[i] {
				t.Errorf("item %d: changed: %s", i, got)
			}
		}
		if _, ok, err := l.Next(); ok || err != nil {
			t.Errorf("a fourth item: %v, %v", ok, err)
		}
		if got := attr(t, l, "nope"); got != "'jinja2.runtime.LoopContext object' has no attribute 'nope'" {
			t.Error(got)
		}
	}
	if _, err := py.NewLoop(py.UndefinedName("items"), 0); err == nil || err.Error() != "'items' is undefined" {
		t.Errorf("a loop over nothing: %v", err)
	}
}

// iterator returns values that can be read once.
func iterator(t *testing.T) py.Value {
	it, err := py.FilterMap(mustJSON(t, `["A", "B", "B"]`), py.Args{Pos: []py.Value{py.Str("lower")}, Env: &py.Env{Filters: map[string]py.Filter{"lower": py.FilterLower}}})
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func TestGlobals(t *testing.T) {
	make := func(f func(py.Args) (py.Value, error), a py.Args) py.Value {
		v, err := f(a)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ns := make(py.GlobalNamespace, py.Args{Kw: []py.Kw{{Name: "n", Value: py.Int(1)}}})
	if err := py.SetAttr(ns, "n", py.Int(2)); err != nil || attr(t, ns, "n") != "2" {
		t.Errorf("namespace: %v, %s", err, attr(t, ns, "n"))
	}
	if got := attr(t, ns, "m"); got != "'jinja2.utils.Namespace object' has no attribute 'm'" {
		t.Error(got)
	}
	if err := py.SetAttr(py.NewDict(), "n", py.Int(1)); err == nil || err.Error() != "cannot assign attribute on non-namespace object" {
		t.Errorf("assignment to a dict: %v", err)
	}
	c := make(py.GlobalCycler, py.Of(py.Str("a"), py.Str("b")))
	if got := attr(t, c, "current") + call(t, c, "next") + call(t, c, "next") + call(t, c, "next") + call(t, c, "reset") + call(t, c, "next"); got != "aabaNonea" {
		t.Errorf("cycler: %s", got)
	}
	j := make(py.GlobalJoiner, py.Of(py.Str("|")))
	for _, want := range []string{"", "|", "|"} {
		if got, err := py.Call(j, nil, nil); err != nil || got != py.Str(want) {
			t.Errorf("joiner: %v, %v", got, err)
		}
	}
	d := make(py.GlobalDict, py.Args{Pos: []py.Value{mustJSON(t, `[["a", 1]]`)}, Kw: []py.Kw{{Name: "b", Value: py.Int(2)}}})
	if got, _ := py.Text(d); got != "{'a': 1, 'b': 2}" {
		t.Errorf("dict: %s", got)
	}
	if _, err := py.GlobalLipsum(py.Args{}); err == nil {
		t.Error("lipsum is not refused")
	}
	if _, err := py.GlobalRange(py.Of(py.Int(1), py.Int(2), py.Int(0))); err == nil || err.Error() != "range() arg 3 must not be zero" {
		t.Errorf("a range without a step: %v", err)
	}
}

func TestCalls(t *testing.T) {
	hello := py.NewMacro("hi", func(a py.Args) (py.Value, error) { return py.Concat(append([]py.Value{py.Str("hi ")}, a.Pos...)...) })
	if got, err := py.Call(hello, []py.Value{py.Str("al")}, nil); err != nil || got != py.Str("hi al") {
		t.Errorf("got %v, %v", got, err)
	}
	if got, _ := py.Text(hello); got != "<Macro 'hi'>" {
		t.Errorf("printed: %s", got)
	}
	for want, f := range map[string]func() error{
		"'int' object is not callable": func() error { _, err := py.Call(py.Int(1), nil, nil); return err },
		"'f' is undefined":             func() error { _, err := py.Call(py.UndefinedName("f"), nil, nil); return err },
		"got multiple values for keyword argument 'a'": func() error {
			_, err := py.Call(hello, nil, []py.Kw{{Name: "a", Value: py.Int(1)}, {Name: "a", Value: py.Int(2)}})
			return err
		},
		"`upper` is a function and cannot be printed: call it with ()": func() error {
			v, err := py.Attr(py.Str("x"), "upper")
			if err == nil {
				_, err = py.Text(v)
			}
			return err
		},
		"a generator cannot be printed: make it a list with `| list`":                          func() error { _, err := py.Text(iterator(t)); return err },
		"the method `encode` of str is not supported":                                          func() error { _, err := py.Attr(py.Str("x"), "encode"); return err },
		"`__class__` is not supported: names that begin with two underscores are Python's own": func() error { _, err := py.Attr(py.Int(1), "__class__"); return err },
		"not enough values to unpack (expected 2, got 1)":                                      func() error { _, err := py.Unpack(py.NewList(py.Int(1)), 2); return err },
		"too many values to unpack (expected 1)":                                               func() error { _, err := py.Unpack(py.Str("ab"), 1); return err },
		"cannot unpack non-iterable int object":                                                func() error { _, err := py.Unpack(py.Int(1), 2); return err },
		"dictionary changed size during iteration":                                             changedSize,
		"argument after ** must be a mapping, not list":                                        func() error { _, err := py.SpreadKw(py.NewList()); return err },
		"Value after * must be an iterable, not int":                                           func() error { _, err := py.Spread(py.Int(1)); return err },
		"the filter `random` is not supported: a run that is resumed would choose differently": func() error { _, err := py.FilterRandom(py.NewList(), py.Args{}); return err },
	} {
		if err := f(); err == nil || err.Error() != want {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}

func changedSize() error {
	d := py.NewDict()
	for _, key := range []string{"a", "b"} {
		if err := d.SetStr(key, py.Int(1)); err != nil {
			return err
		}
	}
	it, err := py.Iterate(d)
	if err != nil {
		return err
	}
	if _, _, err := it.Next(); err != nil {
		return err
	}
	if _, err := py.CallAttr(d, "pop", []py.Value{py.Str("a")}, nil); err != nil {
		return err
	}
	_, _, err = it.Next()
	return err
}

func TestAndOrReturnTheirOperands(t *testing.T) {
	b := func() (py.Value, error) { return py.Str("b"), nil }
	never := func() (py.Value, error) { t.Error("the second operand was computed"); return nil, nil }
	for i, got := range []func() (py.Value, error){
		func() (py.Value, error) { return py.And(py.Int(0), never) },
		func() (py.Value, error) { return py.And(py.Int(7), b) },
		func() (py.Value, error) { return py.Or(py.Int(7), never) },
		func() (py.Value, error) { return py.Or(py.Int(0), b) },
	} {
		want := []py.Value{py.Int(0), py.Str("b"), py.Int(7), py.Str("b")}[i]
		if v, err := got(); err != nil || v != want {
			t.Errorf("%d: %v, %v; want %v", i, v, err, want)
		}
	}
	if _, err := py.Or(py.UndefinedName("x"), never); err == nil {
		t.Error("an undefined operand is no error")
	}
}
