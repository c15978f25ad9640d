package py

import (
	"errors"
	"strings"
	"testing"
)

func TestEvalKeepsTheFirstError(t *testing.T) {
	var e Eval
	e.Write("a")
	e.WriteValue(e.Add(Int(1), Str("x")), "{{ 1 + 'x' }} (line 3)")
	e.WriteValue(e.Div(Int(1), Int(0)), "{{ 1 / 0 }} (line 4)")
	calls := 0
	for range e.Each(NewList(Int(1)), "for") {
		calls++
	}
	e.And(Bool(true), func() Value { calls++; return None{} })
	text, err := e.Take(), e.Err()
	if want := "unsupported operand type(s) for +: 'int' and 'str' in {{ 1 + 'x' }} (line 3)"; err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
	if text != "" {
		t.Errorf("there is text: %q", text)
	}
	if e.If(Bool(true), "") && calls > 0 {
		t.Errorf("after the error %d things were done", calls)
	}
}

func TestEvalPlacesErrorsInside(t *testing.T) {
	var e Eval
	m := e.Macro(Macro{Name: "m", Params: []string{"a"}}, func(c *MacroCall) { e.WriteValue(c.Arg(0), "{{ a }} (line 1)") })
	e.WriteValue(e.Call(m), "{{ m() }} (line 9)")
	if err := e.Err(); err == nil || err.Error() != "parameter 'a' was not provided in {{ a }} (line 1)" {
		t.Errorf("the error is %v", err)
	}
}

func TestMacroArguments(t *testing.T) {
	for _, c := range []struct {
		args Args
		want string
	}{
		{argsOf(Int(1)), "1d"},
		{Args{Pos: []Value{Int(1)}, Kw: []Kw{{"b", Int(2)}}}, "12"},
		{Args{Kw: []Kw{{"b", Int(2)}, {"a", Int(3)}}}, "32"},
		{argsOf(Int(1), Int(2), Int(3)), "!macro 'm' takes not more than 2 argument(s)"},
		{Args{Kw: []Kw{{"c", Int(2)}}}, "!macro 'm' takes no keyword argument 'c'"},
		{Args{Pos: []Value{Int(1)}, Kw: []Kw{{"a", Int(2)}}}, "!macro 'm' takes no keyword argument 'a'"},
		{Args{Kw: []Kw{{"a", Int(2)}, {"a", Int(2)}}}, "!got multiple values for keyword argument 'a'"},
	} {
		var e Eval
		m := e.Macro(Macro{Name: "m", Params: []string{"a", "b"}}, func(c *MacroCall) {
			e.WriteValue(c.Arg(0), "")
			e.WriteValue(c.ArgOr(1, func() Value { return Str("d") }), "")
		})
		got := e.Str(e.CallWith(m, c.args))
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%v gives %q, not %q", c.args, got, c.want)
		}
	}
}

func TestMacroRecursionEnds(t *testing.T) {
	var e Eval
	var m Value
	m = e.Macro(Macro{Name: "m"}, func(*MacroCall) { e.WriteValue(e.Call(m), "") })
	e.WriteValue(e.Call(m), "")
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "recursion") {
		t.Errorf("the error is %v", err)
	}
}

func TestItemsOfALoop(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{NewList(Int(1), Str("a")), "[1, 'a']"},
		{Str(`["a", 2]`), "['a', 2]"},
		{Str(`{"a": 2}`), "[{'a': 2}]"},
		{Str("['a']"), `["['a']"]`},
		{Int(3), "[3]"},
		{None{}, "[None]"},
		{undefinedName("x"), "!'x' is undefined in `x`"},
	} {
		var e Eval
		got, _ := Repr(NewList(e.Items(c.v, "`x`")...))
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%v has %s, not %s", c.v, got, c.want)
		}
	}
}

func TestTextsThatGrowTooLong(t *testing.T) {
	var e Eval
	long := strings.Repeat("x", 1<<20)
	for range 80 {
		e.Write(long)
	}
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("the error is %v", err)
	}
}

// A field of a typed output that is not there is like an attribute that is not there:
// undefined where that matters, and an error where it is read.
func TestFieldsOfTypedOutputs(t *testing.T) {
	name := "ann"
	var e Eval
	if v := Member(&name, "name"); !e.Eq(v, Str("ann")) {
		t.Errorf("a field is %v", v)
	}
	if !e.Test(Tests.Undefined, Member((*string)(nil), "name")) || e.Err() != nil {
		t.Errorf("a field that is not there is defined, %v", e.Err())
	}
	if got := e.Text(Member(&name, "name"), "{{ a.name }}"); got != "ann" || e.Err() != nil {
		t.Errorf("a required field is %q, %v", got, e.Err())
	}
	if got := e.Text(Member((*string)(nil), "name"), "{{ a.name }} (line 3)"); got != "" || e.Err() == nil || e.Err().Error() != "the object has no field `name` in {{ a.name }} (line 3)" {
		t.Errorf("a field that is not there is %q, %v", got, e.Err())
	}
}

func TestChecked(t *testing.T) {
	var e Eval
	if got := e.Checked("a", nil); got != "a" {
		t.Errorf("got %q", got)
	}
	e.Write(e.Checked("", errors.New("no such part")))
	if err := e.Err(); err == nil || err.Error() != "no such part" {
		t.Errorf("the error is %v", err)
	}
}

// Whatever is computed from an unknown value is unknown.
func TestUnknownValues(t *testing.T) {
	var e Eval
	v := e.Symbol("?", func(text, attr string) string { return text + attr })
	e.WriteValue(e.Attr(e.Item(v, Str("a")), "b"), "")
	e.WriteValue(e.Mul(Int(2), e.Attr(v, "c")), "")
	if got := e.Take(); got != "?ab?" || e.Err() != nil {
		t.Errorf("the text is %q, %v", got, e.Err())
	}
}
