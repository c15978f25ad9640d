package py_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// A task is a settled step.
type task struct {
	key, text string
	state     flow.Status
	err       error
	stand     bool
}

func (t task) Key() string           { return t.key }
func (t task) State() flow.Status    { return t.state }
func (t task) Text() (string, error) { return t.text, t.err }

func (t task) StandIn(path ...string) (string, bool) {
	return "<" + strings.Join(append([]string{t.key}, path...), ".") + ">", t.stand
}

func TestEvalKeepsTheFirstError(t *testing.T) {
	var e py.Eval
	e.Write("a")
	e.Put(e.Add(py.Int(1), py.Str("x")), "{{ 1 + 'x' }} (line 3)")
	e.Put(e.Div(py.Int(1), py.Int(0)), "{{ 1 / 0 }} (line 4)")
	calls := 0
	for range e.Each(py.NewList(py.Int(1)), "for") {
		calls++
	}
	e.And(py.Bool(true), func() py.Value { calls++; return py.None{} })
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
	if e.If(py.Bool(true), "") && calls > 0 {
		t.Errorf("after the error %d things were done", calls)
	}
}

func TestEvalPlacesErrorsInside(t *testing.T) {
	var e py.Eval
	m := e.Macro(py.Macro{Name: "m", Params: []string{"a"}}, func(c *py.MacroCall) { e.Put(c.Arg(0), "{{ a }} (line 1)") })
	e.Put(e.Call(m), "{{ m() }} (line 9)")
	if err := e.Err(); err == nil || err.Error() != "parameter 'a' was not provided in {{ a }} (line 1)" {
		t.Errorf("the error is %v", err)
	}
}

func TestMacroArguments(t *testing.T) {
	for _, c := range []struct {
		args py.Args
		want string
	}{
		{py.Of(py.Int(1)), "1d"},
		{py.Args{Pos: []py.Value{py.Int(1)}, Kw: []py.Kw{{"b", py.Int(2)}}}, "12"},
		{py.Args{Kw: []py.Kw{{"b", py.Int(2)}, {"a", py.Int(3)}}}, "32"},
		{py.Of(py.Int(1), py.Int(2), py.Int(3)), "!macro 'm' takes not more than 2 argument(s)"},
		{py.Args{Kw: []py.Kw{{"c", py.Int(2)}}}, "!macro 'm' takes no keyword argument 'c'"},
		{py.Args{Pos: []py.Value{py.Int(1)}, Kw: []py.Kw{{"a", py.Int(2)}}}, "!macro 'm' takes no keyword argument 'a'"},
		{py.Args{Kw: []py.Kw{{"a", py.Int(2)}, {"a", py.Int(2)}}}, "!got multiple values for keyword argument 'a'"},
	} {
		var e py.Eval
		m := e.Macro(py.Macro{Name: "m", Params: []string{"a", "b"}}, func(c *py.MacroCall) {
			e.Put(c.Arg(0), "")
			e.Put(c.ArgOr(1, func() py.Value { return py.Str("d") }), "")
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
	var e py.Eval
	var m py.Value
	m = e.Macro(py.Macro{Name: "m"}, func(*py.MacroCall) { e.Put(e.Call(m), "") })
	e.Put(e.Call(m), "")
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "recursion") {
		t.Errorf("the error is %v", err)
	}
}

func TestStepsOutputs(t *testing.T) {
	var e py.Eval
	if got := e.Str(e.Attr(e.Step(task{key: "s", text: `{"a": [1, true]}`, state: flow.Completed}), "a")); got != "[1, True]" {
		t.Errorf("got %q", got)
	}
	if got := e.Str(e.StepText(task{key: "s", text: `{"a"`, state: flow.Completed})); got != `{"a"` {
		t.Errorf("got %q", got)
	}
	skipped := e.Step(task{key: "s", state: flow.Skipped})
	if e.Test(py.TestDefined, skipped) {
		t.Error("the output of a skipped step is defined")
	}
	approved := e.LenientAttr(skipped, "approved")
	if e.Truth(approved) || !e.Eq(approved, py.Bool(false)) || !e.Eq(py.Bool(false), approved) || e.Eq(approved, py.Bool(true)) || e.Eq(py.Int(0), py.Int(1)) ||
		e.Str(approved) != "" || e.Test(py.TestDefined, approved) || e.Truth(e.Attr(approved, "x")) || e.Str(e.Filter(py.FilterDefault, approved, py.Str("d"))) != "d" {
		t.Error("an attribute of a skipped step is more than false")
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		v    func(e *py.Eval) py.Value
		want string
	}{
		{func(e *py.Eval) py.Value { return e.Attr(e.Step(task{key: "s", state: flow.Skipped}), "a") }, "'s' is undefined"},
		{func(e *py.Eval) py.Value { return e.Step(task{key: "s", err: fmt.Errorf("it failed")}) }, "it failed"},
		{func(e *py.Eval) py.Value { return e.Step(task{key: "s", text: "{", state: flow.Completed}) }, "the output of step 's' cannot be read: "},
		{func(e *py.Eval) py.Value { return e.Previous("s", "", false) }, "'s' is undefined"},
	} {
		var e py.Eval
		e.Put(c.v(&e), "")
		if err := e.Err(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("the error is %v, not %s", err, c.want)
		}
	}
}

// In a plan what nobody knows is shown, and fails nothing.
func TestPlannedOutputs(t *testing.T) {
	var e py.Eval
	s := e.Step(task{key: "s", state: flow.Completed, stand: true})
	e.Put(s, "")
	e.Put(e.Item(e.Attr(s, "a"), py.Str("b")), "")
	e.Put(e.Add(s, py.Int(1)), "")
	e.Put(e.Method(s, "upper"), "")
	e.Put(e.Filter(py.FilterLength, s), "")
	for v := range e.Each(s, "") {
		e.Put(v, "")
	}
	for loop := range e.Loop(s, "") {
		e.Put(e.Attr(loop.Item(), "x"), "")
	}
	if got, err := e.Result(); got != "<s><s.a.b><s><s><s><s><s.x>" || err != nil {
		t.Errorf("the text is %q, %v", got, err)
	}
}

func TestItemsOfALoop(t *testing.T) {
	for _, c := range []struct {
		v    py.Value
		want string
	}{
		{py.NewList(py.Int(1), py.Str("a")), "[1, 'a']"},
		{py.Str(`["a", 2]`), "['a', 2]"},
		{py.Str(`{"a": 2}`), "[{'a': 2}]"},
		{py.Str("['a']"), `["['a']"]`},
		{py.Int(3), "[3]"},
		{py.None{}, "[None]"},
		{py.UndefinedName("x"), "!'x' is undefined in `x`"},
	} {
		var e py.Eval
		got, _ := py.Repr(py.NewList(e.Items(c.v, "`x`")...))
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%v has %s, not %s", c.v, got, c.want)
		}
	}
}

func TestBindingsHaveNamesOfTheirOwn(t *testing.T) {
	var e py.Eval
	for _, name := range []string{"X", "X", "X_2", "X", "Y"} {
		e.Bind(flow.Binding{Name: name, Value: "v"}, "${", "} ")
	}
	if got := e.Take(); got != "${X} ${X_2} ${X_2_2} ${X_3} ${Y} " {
		t.Errorf("the program is %q", got)
	}
	if list := e.Bindings(); len(list) != 5 || list[3].Name != "X_3" || list[3].Value != "v" || len(e.Bindings()) != 0 {
		t.Errorf("the bindings are %+v", list)
	}
}

func TestTextsThatGrowTooLong(t *testing.T) {
	var e py.Eval
	long := strings.Repeat("x", 1<<20)
	for range 80 {
		e.Write(long)
	}
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("the error is %v", err)
	}
}

func TestConversions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text := func(do func(*py.Eval, string, string) string) func(*py.Eval, string) string {
		return func(e *py.Eval, s string) string { return do(e, s, "the argument `n`") }
	}
	whole := func(e *py.Eval, s string) string { return fmt.Sprint(e.ToInt(s, "the argument `n`")) }
	number := func(e *py.Eval, s string) string { return fmt.Sprint(e.ToFloat(s, "the argument `n`")) }
	truth := func(e *py.Eval, s string) string { return fmt.Sprint(e.ToBool(s, "the argument `n`")) }
	for _, c := range []struct {
		do         func(*py.Eval, string) string
		text, want string
	}{
		{whole, " 7 ", "7"}, {whole, "1_000", "1000"}, {whole, "-3", "-3"},
		{whole, "5.5", "!the argument `n`: '5.5' is not a whole number of 64 bits"}, {whole, "99999999999999999999", "!"}, {whole, "", "!"},
		{number, "1e3", "1000"}, {number, "x", "!the argument `n`: 'x' is not a number"},
		{truth, "Yes", "true"}, {truth, "off", "false"}, {truth, "2", "!the argument `n`: '2' is neither true nor false"},
		{text((*py.Eval).ToWord), "a", "a"}, {text((*py.Eval).ToWord), "a b", "!the argument `n`: 'a b' is not one word"}, {text((*py.Eval).ToWord), "", "!"},
		{text((*py.Eval).ToLine), "a b", "a b"}, {text((*py.Eval).ToLine), "a\nb", "!the argument `n`: the text has more than one line"},
		{text((*py.Eval).ToPath), file, file}, {text((*py.Eval).ToPath), file + "x", "!the argument `n`: there is no file "},
	} {
		var e py.Eval
		got := c.do(&e, c.text)
		if err := e.Err(); err != nil {
			got = "!" + err.Error()
		}
		if got != c.want && (!strings.HasPrefix(c.want, "!") || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%q gives %s, not %s", c.text, got, c.want)
		}
	}
}

// A field of a typed output that is not there is like an attribute that is not there:
// undefined where that matters, and an error where it is read.
func TestFieldsOfTypedOutputs(t *testing.T) {
	name := "ann"
	var e py.Eval
	if v := py.Member(&name, "name", py.OfStr); !e.Eq(v, py.Str("ann")) {
		t.Errorf("a field is %v", v)
	}
	if !e.Test(py.TestUndefined, py.Member((*string)(nil), "name", py.OfStr)) || e.Err() != nil {
		t.Errorf("a field that is not there is defined, %v", e.Err())
	}
	if got := py.Required(&e, &name, "name", "{{ a.name }}"); got != "ann" || e.Err() != nil {
		t.Errorf("a required field is %q, %v", got, e.Err())
	}
	if got := py.Required[string](&e, nil, "name", "{{ a.name }} (line 3)"); got != "" || e.Err() == nil || e.Err().Error() != "'dict object' has no attribute 'name' in {{ a.name }} (line 3)" {
		t.Errorf("a field that is not there is %q, %v", got, e.Err())
	}
	if r, err := e.Perform(nil, flow.Bash{}); err == nil || r.Text != "" {
		t.Errorf("an action with a value that failed gives %+v, %v", r, err)
	}
}
