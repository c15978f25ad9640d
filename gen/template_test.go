package gen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/flow"
)

var jinjaResults = map[string]flow.Result{
	"orders":   text(`{"count": 2, "items": [{"name": "a", "price": 1.5}, {"name": "b", "price": 2}, {"name": "c", "price": 0}]}`),
	"customer": text(`{"name": "Ada", "visits": 3, "active": true, "note": "hi"}`),
	"rows":     text(`[{"id": 7}, {"id": 8}]`),
	"maybe":    text(`{"text": "m"}`),
}

func TestJinjaTemplates(t *testing.T) {
	o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":false}`), Results: jinjaResults})
	for id, want := range map[string]string{
		"greet":  "Hello, Ada!\nYour 3 visits, 2 rows, friend.\nquiet hi",
		"total":  "total=3 and 3.5 for ADA",
		"report": "# Report for Ada\n\n1/2\n- a: 1.50\n2/2\n- b: 2.00\nactive\nSum of Ada: 3.5",
		"last":   "done",
	} {
		var p flow.Prompt
		o.payload(t, id, &p)
		if p.Text != want {
			t.Errorf("%s asks %q, not %q", id, p.Text, want)
		}
	}
	var send flow.Bash
	o.payload(t, "send", &send)
	if want := "\necho \"${row_id_i}\"\n\necho \"${row_id_i_2}\"\n\n"; send.Script != want {
		t.Errorf("the script is %q, not %q", send.Script, want)
	}
	if len(send.Bindings) != 2 || send.Bindings[0] != (flow.Binding{Name: "row_id_i", Value: "7"}) || send.Bindings[1] != (flow.Binding{Name: "row_id_i_2", Value: "8"}) {
		t.Errorf("the script gets %+v", send.Bindings)
	}
	if got := o.Step("maybe"); got.Status != flow.Skipped {
		t.Errorf("maybe ended as %+v", got)
	}
}

// An input that is absent, or null, has its default.
func TestDefaultsOfInputs(t *testing.T) {
	for inputs, want := range map[string]string{`{}`: "active", `{"count":null}`: "active", `{"count":2}`: "gone", `{"count":3}`: "active"} {
		o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(inputs), Results: jinjaResults})
		var report flow.Prompt
		o.payload(t, "report", &report)
		if !strings.Contains(report.Text, "\n"+want+"\n") {
			t.Errorf("%s: the report is %q", inputs, report.Text)
		}
	}
}

// Inputs of every type are typed fields, those with a default pointers.
func TestInputsOfEveryType(t *testing.T) {
	for inputs, want := range map[string]string{
		`{"must":"go"}`: `go 3 0.0 2.5 True False hi "you" none`,
		`{"must":"go","retries":0,"factor":1.5,"ratio":0,"loud":false,"quiet":true,"greeting":"","file":"a/b"}`: `go 0 1.5 0.0 False True  a/b`,
	} {
		o := execute(t, scenario{Workflow: "inputs", Inputs: json.RawMessage(inputs)})
		var ask flow.Prompt
		o.payload(t, "ask", &ask)
		if ask.Text != want {
			t.Errorf("%s: the prompt is %q, not %q", inputs, ask.Text, want)
		}
	}
}

// The variable of a loop is of the Go type of the items, or a value of Jinja2's when
// more is read of an item than its fields.
func TestJinjaLoops(t *testing.T) {
	o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":false}`), Results: jinjaResults})
	for key, want := range map[string]string{
		"each[0]": "echo \"${row_id} ${row_tag//\\\\/\\\\\\\\} \"|7 x", "each[1]": "echo \"${row_id} ${row_tag//\\\\/\\\\\\\\} big\"|8 x",
	} {
		var each flow.Bash
		o.payload(t, key, &each)
		var values []string
		for _, b := range each.Bindings {
			values = append(values, b.Value)
		}
		if got := each.Script + "|" + strings.Join(values, " "); got != want {
			t.Errorf("%s ran %s, not %s", key, got, want)
		}
	}
	var whole flow.Bash
	o.payload(t, "whole[1]", &whole)
	if len(whole.Bindings) != 1 || whole.Bindings[0].Value != `{"id": 8, "tag": "x"}` {
		t.Errorf("whole[1] gets %+v", whole.Bindings)
	}
}

// Loops whose bodies and conditions read nothing of an item compile.
func TestLoopsThatReadNothing(t *testing.T) {
	p := compile("idle.yml", `name: idle
steps:
  - name: list
    bash: x
    output: [{ id: int }]
  - name: each
    for: { i: [1, 2] }
    bash: echo
  - name: typed
    for: { row: "{{ list }}" }
    bash: echo
  - name: both
    for: { a: [1, 2], b: "{{ list }}" }
    bash: echo "{{ a }}"
  - name: again
    bash: echo
    repeat: { until: "true", max: 2 }
  - name: names
    bash: echo "{{ list | map(attribute='id') | join(', ') }} {{ list | map(attribute='more') | list }}"
`, nil)
	check := testkit.TypeChecker[gen.File](t)
	for _, mode := range []bool{false, true} {
		check("idle", gen.Generate(p, gen.Options{LineDirectives: mode})[0])
	}
}

// A template that fails fails its node before the agent is asked.
func TestJinjaFailures(t *testing.T) {
	o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":true}`), Results: map[string]flow.Result{
		"orders":   text(`{"items": []}`),
		"customer": text(`{"name": "Ada", "visits": 1, "active": false}`),
		"rows":     text(`[]`),
	}})
	const want = "step 'customer' returned no field `note` in {{ customer.note }} (line 23); it returned the fields `name`, `visits`, `active`"
	if got := o.Step("greet"); got.Status != flow.Failed || got.Failure.Message != want || got.Failure.Reason != "template" {
		t.Errorf("greet ended as %s with %+v", got.Status, got.Failure)
	}
	if _, asked := o.Actions["greet"]; asked {
		t.Error("the agent was asked")
	}
	for printed, want := range map[string]string{
		"Sorry, I cannot": "step 'customer' returned no field `name` in {{ customer.name }} (line 21); it returned the text \"Sorry, I cannot\"",
		`{"nam": "Ada"}`:  "step 'customer' returned no field `name` in {{ customer.name }} (line 21); it returned the field `nam`",
		"":                "step 'customer' returned no field `name` in {{ customer.name }} (line 21); it returned an object without fields",
	} {
		o := execute(t, scenario{Workflow: "jinja", Inputs: json.RawMessage(`{"loud":true}`), Results: map[string]flow.Result{
			"orders": text(`{"items": []}`), "customer": text(printed), "rows": text(`[]`),
		}})
		if got := o.Step("greet"); got.Failure == nil || got.Failure.Message != want {
			t.Errorf("after %q, greet ended with %+v", printed, got.Failure)
		}
	}
}

// A template with thousands of lines is a few strings.
func TestLongTemplateStaysSmall(t *testing.T) {
	text := strings.Repeat(strings.Repeat("      a line of text\n", 40)+"      {{ orders.count }}\n", 50)
	p := compile("long.yml", "name: long\nsteps:\n  - {name: orders, bash: fetch}\n  - name: ask\n    prompt: |\n"+text, nil)
	code := gen.Generate(p, gen.Options{})[0].Content
	if n := strings.Count(string(code), "e.Text("); n != 50 {
		t.Errorf("%d of 50 holes", n)
	}
	if n := strings.Count(string(code), "\n"); n > 2500 {
		t.Errorf("%d lines of code", n)
	}
}

// A chain of comparisons is a Go expression if its operands may be computed twice.
func TestChainedComparisons(t *testing.T) {
	for cond, want := range map[string]string{
		"1 < a < b < 9":                       "return 1 < in.A && in.A < in.B && in.B < 9",
		"not 1 < a < b":                       "return !(1 < in.A && in.A < in.B)",
		"a < b | abs < 9":                     "middle := ",
		"'a' <= said.word <= 'm' and a < b":   `"a" <= py.Required(&e, said.Output().Value.Word, "word", said) &&`,
		"0 < said.word | length < a or b < 2": "middle := ",
	} {
		workflow := "name: c\ninput: {a: int, b: int}\nsteps:\n  - name: said\n    bash: say\n    output: {word: word}\n" +
			"  - name: x\n    if: \"{{ " + cond + " }}\"\n    bash: 'true'\n"
		code := string(gen.Generate(compile("c.yml", workflow, nil), gen.Options{})[0].Content)
		if !strings.Contains(code, want) {
			t.Errorf("%s: there is no %q in\n%s", cond, want, code)
		}
	}
}
