package jinja_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/value/jinja"
	"github.com/wfc-lang/wfc/runtime/value/py"
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

func TestStepsOutputs(t *testing.T) {
	var e jinja.Eval
	if got := e.Str(e.Attr(e.Step(task{key: "s", text: `{"a": [1, true]}`, state: flow.Completed}), "a")); got != "[1, True]" {
		t.Errorf("got %q", got)
	}
	if got := e.Str(e.StepText(task{key: "s", text: `{"a"`, state: flow.Completed})); got != `{"a"` {
		t.Errorf("got %q", got)
	}
	skipped := e.Step(task{key: "s", state: flow.Skipped})
	if e.Test(py.Tests.Defined, skipped) {
		t.Error("the output of a skipped step is defined")
	}
	approved := e.LenientAttr(skipped, "approved")
	if e.Truth(approved) || !e.Eq(approved, py.Bool(false)) || !e.Eq(py.Bool(false), approved) || e.Eq(approved, py.Bool(true)) || e.Eq(py.Int(0), py.Int(1)) ||
		e.Str(approved) != "" || e.Test(py.Tests.Defined, approved) || e.Truth(e.Attr(approved, "x")) || e.Str(e.Filter(py.Filters.Default, approved, py.Str("d"))) != "d" {
		t.Error("an attribute of a skipped step is more than false")
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		v    func(e *jinja.Eval) py.Value
		want string
	}{
		{func(e *jinja.Eval) py.Value { return e.Attr(e.Step(task{key: "s", state: flow.Skipped}), "a") }, "'s' is undefined"},
		{func(e *jinja.Eval) py.Value { return e.Step(task{key: "s", err: fmt.Errorf("it failed")}) }, "it failed"},
		{func(e *jinja.Eval) py.Value {
			return e.Step(task{key: "s", state: flow.Failed, err: fmt.Errorf("no output")})
		}, "'s' is undefined: the step failed"},
		{func(e *jinja.Eval) py.Value {
			return e.Step(task{key: "s", state: flow.Cancelled, err: fmt.Errorf("no output")})
		}, "'s' is undefined: the step was cancelled"},
		{func(e *jinja.Eval) py.Value { return e.Step(task{key: "s", text: "{", state: flow.Completed}) }, "the output of step 's' cannot be read: "},
		{func(e *jinja.Eval) py.Value { return e.Previous("s", "", false) }, "'s' is undefined"},
	} {
		var e jinja.Eval
		e.WriteValue(c.v(&e), "")
		if err := e.Err(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("the error is %v, not %s", err, c.want)
		}
	}
}

// A symbol is shown, and fails nothing.
func TestSymbols(t *testing.T) {
	var e jinja.Eval
	s := e.Step(task{key: "s", state: flow.Completed, text: kernel.OutputSymbol("s")})
	e.WriteValue(s, "")
	e.WriteValue(e.Item(e.Attr(s, "a"), py.Str("b")), "")
	e.WriteValue(e.Add(s, py.Int(1)), "")
	e.WriteValue(e.Method(s, "upper"), "")
	e.WriteValue(e.Filter(py.Filters.Length, s), "")
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

func TestBindingsHaveNamesOfTheirOwn(t *testing.T) {
	var e jinja.Eval
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

func TestConversions(t *testing.T) {
	const what = "the argument `n`"
	whole := func(e *jinja.Eval, s string) string { return fmt.Sprint(e.ToInt(s, what)) }
	number := func(e *jinja.Eval, s string) string { return fmt.Sprint(e.ToFloat(s, what)) }
	truth := func(e *jinja.Eval, s string) string { return fmt.Sprint(e.ToBool(s, what)) }
	word := func(e *jinja.Eval, s string) string { return e.ToWord(s, what) }
	line := func(e *jinja.Eval, s string) string { return e.ToLine(s, what) }
	path := func(e *jinja.Eval, s string) string { return e.ToPath(s, what) }
	for _, c := range []struct {
		do         func(*jinja.Eval, string) string
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
		var e jinja.Eval
		got := c.do(&e, c.text)
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%q gives %s, not %s", c.text, got, c.want)
		}
	}
}

// Flow code reads no files: it says which must exist.
func TestPathsAreCheckedLater(t *testing.T) {
	var e jinja.Eval
	e.WriteValue(py.Str(e.ToPath("no/such/file", "the argument `p` of #show")), "{{ p }} (line 3)")
	e.WriteValue(py.Str(e.ToPath("a b", "the argument `p` of #show")), "{{ p }} (line 4)")
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

func TestCondition(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " False\n": false, "NONE": false, "0": false, "[]": false, "{}": false,
		"no": true, "off": true, "null": true, "0.0": true, "00": true, "()": true, "not true": true, "x": true,
	} {
		if got := jinja.Condition(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// An error of a template is a failure of the node, and stops its action.
func TestFailures(t *testing.T) {
	var e jinja.Eval
	e.WriteValue(e.Add(py.Int(1), py.Str("x")), "{{ 1 + 'x' }} (line 3)")
	if r, err := e.Perform(nil, flow.Bash{}); err == nil || r.Text != "" {
		t.Errorf("an action with a value that failed gives %+v, %v", r, err)
	}
	if holds, err := e.Decide(true, ""); holds || err == nil {
		t.Errorf("a condition that failed is %t, %v", holds, err)
	}
	text, err := e.Result()
	if f, ok := err.(*flow.Failure); !ok || f.Reason != "template" || f.Message != "unsupported operand type(s) for +: 'int' and 'str' in {{ 1 + 'x' }} (line 3)" || text != "" {
		t.Errorf("the result is %q, %#v", text, err)
	}
}
