package py

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A task is a settled step.
type task struct {
	flow.AnyTask
	key, text string
	state     flow.Status
	err       error
}

func (t task) Key() string           { return t.key }
func (t task) Status() flow.Status   { return t.state }
func (t task) Text() (string, error) { return t.text, t.err }

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
	text, err := e.Result()
	if want := "unsupported operand type(s) for +: 'int' and 'str' in {{ 1 + 'x' }} (line 3)"; err == nil || err.Error() != want {
		t.Errorf("the error is %v", err)
	}
	if f, ok := err.(*flow.Failure); !ok || f.Reason != "template" {
		t.Errorf("the error is a %T", err)
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

func TestStepsOutputs(t *testing.T) {
	var e Eval
	if got := e.Str(e.Attr(e.Step(task{key: "s", text: `{"a": [1, true]}`, state: flow.Completed}), "a")); got != "[1, True]" {
		t.Errorf("got %q", got)
	}
	if got := e.Str(e.StepText(task{key: "s", text: `{"a"`, state: flow.Completed})); got != `{"a"` {
		t.Errorf("got %q", got)
	}
	skipped := e.Step(task{key: "s", state: flow.Skipped})
	if e.Test(Tests.Defined, skipped) {
		t.Error("the output of a skipped step is defined")
	}
	approved := e.LenientAttr(skipped, "approved")
	if e.Truth(approved) || !e.Eq(approved, Bool(false)) || !e.Eq(Bool(false), approved) || e.Eq(approved, Bool(true)) || e.Eq(Int(0), Int(1)) ||
		e.Str(approved) != "" || e.Test(Tests.Defined, approved) || e.Truth(e.Attr(approved, "x")) || e.Str(e.Filter(Filters.Default, approved, Str("d"))) != "d" {
		t.Error("an attribute of a skipped step is more than false")
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		v    func(e *Eval) Value
		want string
	}{
		{func(e *Eval) Value { return e.Attr(e.Step(task{key: "s", state: flow.Skipped}), "a") }, "'s' is undefined"},
		{func(e *Eval) Value { return e.Step(task{key: "s", err: fmt.Errorf("it failed")}) }, "it failed"},
		{func(e *Eval) Value { return e.Step(task{key: "s", state: flow.Failed, err: fmt.Errorf("no output")}) }, "'s' is undefined: the step failed"},
		{func(e *Eval) Value {
			return e.Step(task{key: "s", state: flow.Cancelled, err: fmt.Errorf("no output")})
		}, "'s' is undefined: the step was cancelled"},
		{func(e *Eval) Value { return e.Step(task{key: "s", text: "{", state: flow.Completed}) }, "the output of step 's' cannot be read: "},
		{func(e *Eval) Value { return e.Previous("s", "", false) }, "'s' is undefined"},
	} {
		var e Eval
		e.WriteValue(c.v(&e), "")
		if err := e.Err(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("the error is %v, not %s", err, c.want)
		}
	}
}

// A symbol is shown, and fails nothing.
func TestSymbols(t *testing.T) {
	var e Eval
	s := e.Step(task{key: "s", state: flow.Completed, text: kernel.OutputSymbol("s")})
	e.WriteValue(s, "")
	e.WriteValue(e.Item(e.Attr(s, "a"), Str("b")), "")
	e.WriteValue(e.Add(s, Int(1)), "")
	e.WriteValue(e.Method(s, "upper"), "")
	e.WriteValue(e.Filter(Filters.Length, s), "")
	for v := range e.Each(s, "") {
		e.WriteValue(v, "")
	}
	for loop := range e.Loop(s, "") {
		e.WriteValue(e.Attr(loop.Item(), "x"), "")
	}
	all, field := kernel.OutputSymbol("s"), kernel.Symbol("s.output.a.b")
	if got, err := e.Result(); got != all+field+strings.Repeat(all, 4)+kernel.Symbol("s.output.x") || err != nil {
		t.Errorf("the text is %q, %v", got, err)
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

func TestBindingsHaveNamesOfTheirOwn(t *testing.T) {
	var e Eval
	for _, name := range []string{"X", "X", "X_2", "X", "Y"} {
		e.Bind("${"+name+"} ", flow.Binding{Name: name, Value: "v"})
	}
	if got := e.Take(); got != "${X} ${X_2} ${X_2_2} ${X_3} ${Y} " {
		t.Errorf("the program is %q", got)
	}
	if list := e.Bindings(); len(list) != 5 || list[3].Name != "X_3" || list[3].Value != "v" || len(e.Bindings()) != 0 {
		t.Errorf("the bindings are %+v", list)
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

func TestConversions(t *testing.T) {
	const what = "the argument `n`"
	whole := func(e *Eval, s string) string { return fmt.Sprint(e.ToInt(s, what)) }
	number := func(e *Eval, s string) string { return fmt.Sprint(e.ToFloat(s, what)) }
	truth := func(e *Eval, s string) string { return fmt.Sprint(e.ToBool(s, what)) }
	word := func(e *Eval, s string) string { return e.ToWord(s, what) }
	line := func(e *Eval, s string) string { return e.ToLine(s, what) }
	path := func(e *Eval, s string) string { return e.ToPath(s, what) }
	for _, c := range []struct {
		do         func(*Eval, string) string
		text, want string
	}{
		{whole, " 7 ", "7"}, {whole, "1_000", "1000"}, {whole, "-3", "-3"},
		{whole, "5.5", "!the argument `n`: \"5.5\" is not an integer"}, {whole, "", "!the argument `n`: \"\" is not an integer"},
		{whole, "99999999999999999999", "!the argument `n`: \"99999999999999999999\" is larger than 64 bits can hold"},
		{number, "1e3", "1000"}, {number, "x", "!the argument `n`: \"x\" is not a number"},
		{truth, "Yes", "true"}, {truth, "off", "false"}, {truth, "2", "!the argument `n`: \"2\" is neither true nor false"},
		{word, "a", "a"}, {word, "a b", "!the argument `n`: \"a b\" is not one word"}, {word, "", ""},
		{line, "a b", "a b"}, {line, "a\nb", "!the argument `n`: \"a\\nb\" has more than one line"},
		{path, "a", "a"}, {path, "a b", "!the argument `n`: \"a b\" is not one word"},
	} {
		var e Eval
		got := c.do(&e, c.text)
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%q gives %s, not %s", c.text, got, c.want)
		}
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
	if r, err := e.Perform(nil, flow.Bash{}); err == nil || r.Text != "" {
		t.Errorf("an action with a value that failed gives %+v, %v", r, err)
	}
}

// Flow code reads no files: it says which must exist.
func TestPathsAreCheckedLater(t *testing.T) {
	var e Eval
	e.WriteValue(Str(e.ToPath("no/such/file", "the argument `p` of #show")), "{{ p }} (line 3)")
	e.WriteValue(Str(e.ToPath("a b", "the argument `p` of #show")), "{{ p }} (line 4)")
	if err := e.Err(); err == nil || err.Error() != "the argument `p` of #show: \"a b\" is not one word in {{ p }} (line 4)" {
		t.Errorf("the error is %v", err)
	}
	want := []flow.RequiredFile{{Path: "no/such/file", Missing: "the argument `p` of #show: the file \"no/such/file\" does not exist in {{ p }} (line 3)"}}
	if got := e.RequiredFiles(); !slices.Equal(got, want) {
		t.Errorf("it requires %v", got)
	}
	if got := e.RequiredFiles(); got != nil {
		t.Errorf("it still requires %v", got)
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
