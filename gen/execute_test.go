package gen_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

const bug = `{"kind":"bug","confidence":0.9}`

func TestTriageTakesTheBranch(t *testing.T) {
	o := execute(t, scenario{Workflow: "triage", Inputs: json.RawMessage(`{"arguments":"7; rm -rf /","context":"be quick"}`), Explore: 3, Results: map[string]flow.Result{
		"fetch": text("It crashes.\n\n"), "classify": text(bug), "investigate": text("a nil map"),
	}})
	if o.End.Status != flow.Completed || string(o.End.Outputs) != `{"investigate":"a nil map","stop":""}` {
		t.Errorf("the run ended as %s with %s", o.End.Status, o.End.Outputs)
	}
	if got := o.Step("stop"); got.Status != flow.Skipped || got.Reason != "when_condition" {
		t.Errorf("stop ended as %+v", got)
	}
	var fetch flow.Bash
	o.payload(t, "fetch", &fetch)
	if fetch.Script != `gh issue view "$ARGUMENTS" --json title,body` || variable(fetch.Env, "ARGUMENTS") != "7; rm -rf /" || variable(fetch.Env, "BASE_BRANCH") != "main" || variable(fetch.Env, "LOG_DIR") != "/sim/log" || variable(fetch.Env, "REJECTION_REASON") != "" {
		t.Errorf("fetch ran %+v", fetch)
	}
	var classify flow.Prompt
	o.payload(t, "classify", &classify)
	if classify.Text != "Classify this issue:\nIt crashes.\n\n\n\n---\n\nbe quick" || classify.Agent != "claude" || !json.Valid(classify.Schema) {
		t.Errorf("classify asked %+v", classify)
	}
	var investigate flow.Prompt
	o.payload(t, "investigate", &investigate)
	if investigate.Text != "Find the root cause of this bug.\n\n---\n\nbe quick" {
		t.Errorf("investigate asked %q", investigate.Text)
	}
}

func TestTriageCancels(t *testing.T) {
	o := execute(t, scenario{Workflow: "triage", Results: map[string]flow.Result{"classify": text(`{"kind":"question","confidence":1}`)}})
	if o.End.Status != flow.Cancelled || o.End.Reason != "not a bug but a question" {
		t.Errorf("the run ended as %+v", o.End)
	}
	if got := o.Step("stop"); got.Status != flow.Completed || got.Text != "not a bug but a question" {
		t.Errorf("stop ended as %+v", got)
	}
}

func TestOutputOfAnotherForm(t *testing.T) {
	for text1, want := range map[string]string{
		`prose`:                                 "not JSON",
		`{"kind":"bug"}`:                        "`confidence` is missing",
		`{"Kind":"bug","confidence":1}`:         "`kind` is missing",
		`{"kind":"bug","confidence":null}`:      "`confidence` is null",
		`{"kind":"bug","confidence":"certain"}`: "`confidence` must be a number, not a string",
	} {
		o := execute(t, scenario{Workflow: "triage", Results: map[string]flow.Result{"classify": text(text1)}})
		got := o.Step("classify")
		if got.Status != flow.Failed || !strings.Contains(got.Failure.Message, want) {
			t.Errorf("%s: classify ended as %+v", text1, got.Failure)
		}
	}
}

func TestAbsentProducers(t *testing.T) {
	o := execute(t, scenario{Workflow: "presence", Explore: 2, Results: map[string]flow.Result{"probe": failed("exit 1")}})
	for key, want := range map[string]string{
		"report": "`$probe.output` cannot be read: node `probe` failed", "late": "`$report.output` cannot be read: node `report` failed",
	} {
		if got := o.Step(key); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, want) {
			t.Errorf("%s ended as %+v %v", key, got, got.Failure)
		}
	}
	for _, key := range []string{"judge", "summary"} {
		if got := o.Step(key); got.Status != flow.Skipped || got.Reason != "trigger_rule" {
			t.Errorf("%s ended as %+v", key, got)
		}
	}
}

func TestFailedProducerOfAField(t *testing.T) {
	o := execute(t, scenario{Workflow: "presence", Results: map[string]flow.Result{"probe": text(`{"name":"n"}`), "judge": failed("no")}})
	got := o.Step("report")
	if got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "`$judge.output.grade` cannot be read: node `judge` failed") {
		t.Errorf("report ended as %+v %v", got, got.Failure)
	}
}

// The compiler's proof that a value is there is broken in this program on
// purpose: what goes wrong in generated code must name the workflow's line.
func TestPanicNamesTheLine(t *testing.T) {
	o := execute(t, scenario{Workflow: "wrong", Results: map[string]flow.Result{"a": failed("no")}})
	for key, line := range map[string]int{"prompt": 11, "script": 19, "condition": 23, "list": 28, "loop": 38, "test": 48, "gate": 55} {
		got := o.Step(key)
		want := fmt.Sprintf("wrong.yaml:%d", line)
		if got.Status != flow.Failed || got.Failure.Reason != "panic" || !strings.HasSuffix(got.Failure.Message, want) {
			t.Errorf("%s ended as %+v, want a panic at %s", key, got.Failure, want)
		}
	}
}

func TestCompileErrorNamesTheLine(t *testing.T) {
	files := gen.Generate(program("triage"), gen.Options{LineDirectives: true})
	broken := strings.Replace(string(files[0].Content), "Value . Confidence", "Value . Nope", 1)
	m := newModule(t)
	m.add(t, "internal/gentest/broken/broken.go", broken)
	_, err := m.run(t, "build", "./internal/gentest/broken")
	if err == nil || !strings.Contains(err.Error(), "triage.yaml:22:") || !strings.Contains(err.Error(), "Nope undefined") {
		t.Errorf("the build said %v", err)
	}
}

// What stands for no line of the workflow is placed in the file itself.
func TestDirectivesReset(t *testing.T) {
	files := gen.Generate(program("triage"), gen.Options{LineDirectives: true})
	for i, line := range strings.Split(string(files[0].Content), "\n") {
		if number, ok := strings.CutPrefix(line, "//line triage.go:"); ok && number != fmt.Sprint(i+2) {
			t.Errorf("line %d says that the next one is %s", i+1, number)
		}
		if strings.Contains(line, "wfc-reset") {
			t.Errorf("line %d is still a mark", i+1)
		}
	}
}

func TestPresentProducers(t *testing.T) {
	o := execute(t, scenario{Workflow: "presence", Explore: 2, Results: map[string]flow.Result{
		"probe": text(`{"name":"y","n":1}`), "judge": text(`{"grade":12345678901234567}`), "report": text("r"), "summary": text("s"),
	}})
	if o.End.Status != flow.Cancelled || o.End.Reason != "after r" {
		t.Errorf("the run ended as %+v", o.End)
	}
	var report flow.Bash
	o.payload(t, "report", &report)
	var values []string
	for _, b := range report.Bindings {
		values = append(values, b.Value)
	}
	if want := []string{`{"name":"y","n":1}`, "12345678901234568", ""}; fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("report was given %q", values)
	}
	var summary flow.Prompt
	o.payload(t, "summary", &summary)
	if want := "{\"name\":\"y\",\"n\":1}y\nbased on main in presence-simula"; summary.Text != want {
		t.Errorf("summary asked %q", summary.Text)
	}
}

func TestConditions(t *testing.T) {
	const typed = `{"kind":"bug","name":"Ann","count":3,"score":0.5,"done":true,"extra":{"a":1.0},"size":4}`
	runs := func(plain, typed string) map[string]string {
		o := execute(t, scenario{Workflow: "conditions", Results: map[string]flow.Result{"plain": text(plain), "typed": text(typed)}})
		got := map[string]string{}
		for _, s := range o.Steps[2:] {
			got[s.Key] = string(s.Status)
			if s.Failure != nil {
				got[s.Key] = s.Failure.Message
			}
		}
		return got
	}
	const yes, no = "completed", "skipped"
	notObject := "is not a JSON object"
	check := func(name string, got, want map[string]string) {
		for key, w := range want {
			if got[key] != w && (w == yes || w == no || !strings.Contains(got[key], w)) {
				t.Errorf("%s: %s is %s, want %s", name, key, got[key], w)
			}
		}
	}
	check("seven", runs("7", typed), map[string]string{
		"enum-same": yes, "enum-odd": yes, "text": yes, "int-canonical": yes, "int-odd": yes, "int-above-half": yes, "int-at-most": yes,
		"float-canonical": yes, "float-odd": no, "bool": yes, "bool-not": no, "bool-odd": no, "no-note": yes, "size": yes, "size-above": yes,
		"ratio": yes, "sure": no, "extra": yes, "number": yes, "lazy-and": notObject, "lazy-or": yes,
		"nested": notObject, "nested-or": notObject, "mixed": no, "not": yes,
	})
	check("object", runs(`{"a":"x","b":"n"}`, `{"kind":"feature","name":"Bob","count":2.0,"score":2.25,"done":false,"extra":null,"note":"","ratio":0.25,"sure":true}`), map[string]string{
		"enum-same": no, "enum-odd": yes, "text": no, "int-canonical": no, "int-above-half": no, "int-at-most": yes, "bool": no, "bool-not": yes, "no-note": yes,
		"size": no, "size-above": "`$typed.output.size` is compared as a number, but it is empty", "ratio": no, "sure": yes, "extra": no,
		"number": "`$plain.output` is compared as a number, but it is", "lazy-and": no, "lazy-or": yes, "nested": no, "nested-or": yes,
	})
	check("missing", runs(`{"b":"y"}`, typed), map[string]string{"lazy-or": "has no field `a`; it has `b`", "nested": yes, "nested-or": no})
	check("prefix", runs(" 5.5abc", typed), map[string]string{"number": yes, "lazy-and": no, "lazy-or": notObject})
}

func TestShapes(t *testing.T) {
	o := execute(t, scenario{Workflow: "shapes", Results: map[string]flow.Result{
		"analyse": text(`{"owner":{"z":1,"name":"Ann","email":null},"tags":["b","<a>"],"people":[{"age":3e0}],"levels":["low"],"nothing":null,"free":{"k":1},"odd":">=","type":"t","Type":"T","-":1,"quo\"te":"q","Größe":1.5,"日本":true,"more":1}`),
		"list":    text("```json\n[1, 2]\n```"), "open": text(`{"x":{"2":0,"b":1e21,"1":[]}}`), "flag": text("true"), "use": text("u"),
	}})
	if o.End.Status != flow.Completed {
		t.Fatalf("the run ended as %+v", o.End)
	}
	var use flow.Bash
	o.payload(t, "use", &use)
	want := []string{`{"z":1,"name":"Ann","email":null}`, "", `["b","<a>"]`, "", "", ">=", "```json\n[1, 2]\n```", `{"1":[],"2":0,"b":1e+21}`, "true"}
	for i, b := range use.Bindings {
		if b.Value != want[i] {
			t.Errorf("%s is %q, want %q", b.Name, b.Value, want[i])
		}
	}
}

func TestTextsArriveUnchanged(t *testing.T) {
	const nasty = "'; touch pwned; \"$(touch pwned)\" \\ `x` $short.output\n\n"
	p := program("texts")
	o := execute(t, scenario{Workflow: "texts", Results: map[string]flow.Result{"short": text(nasty)}, Inputs: json.RawMessage(`{"arguments":"$short.output"}`)})
	for _, n := range p.Workflow.Body.All() {
		want := strings.ReplaceAll(written(n), "$short.output", nasty)
		switch n.ID {
		case "controls", "blank", "long", "backquotes", "short", "nothing":
			var got flow.Prompt
			o.payload(t, n.ID, &got)
			// JSON, in which the driver answers, cannot hold the invalid byte.
			if want = strings.ReplaceAll(want, "\xff", "\ufffd"); got.Text != want {
				t.Errorf("%s asked\n%q, want\n%q", n.ID, got.Text, want)
			}
		case "plain":
			var got flow.Bash
			o.payload(t, n.ID, &got)
			if got.Script != want {
				t.Errorf("%s ran\n%q, want\n%q", n.ID, got.Script, want)
			}
		case "script":
			var got flow.Bash
			o.payload(t, n.ID, &got)
			if len(got.Bindings) != 1 || got.Bindings[0].Value != nasty || strings.Contains(got.Script, "touch") {
				t.Errorf("%s ran %+v", n.ID, got)
			}
		}
	}
	if o.End.Reason != "multi\nline "+nasty {
		t.Errorf("the run ended with reason %q", o.End.Reason)
	}
}

func TestSettings(t *testing.T) {
	o := execute(t, scenario{Workflow: "settings", Inputs: json.RawMessage(`{"arguments":"go","context":"c"}`), Results: map[string]flow.Result{"slow": text("s")}})
	var ask flow.Prompt
	o.payload(t, "ask", &ask)
	if want := "go /sim/artifacts docs/\n\n---\n\nc"; ask.Text != want {
		t.Errorf("ask asked %q, want %q", ask.Text, want)
	}
	if ask.Agent != "claude" || ask.Model != "opus" || !ask.FreshSession || len(ask.Options) != 1 || string(ask.Options[0].Value) != `"high"` || ask.IdleTimeout != 60e9 {
		t.Errorf("ask asked %+v", ask)
	}
	var calc flow.Script
	o.payload(t, "calc", &calc)
	if calc.Runtime != "uv" || calc.Source != "import os\nprint(f'{wfc_slow_output}')" || fmt.Sprint(calc.Deps) != "[numpy rich]" || fmt.Sprint(calc.Bindings) != fmt.Sprint([]flow.Binding{{Name: "wfc_slow_output", Value: "s"}}) || variable(calc.Env, "CONTEXT") != "c" {
		t.Errorf("calc ran %+v", calc)
	}
	// The runtime knows the names of the variables that the compiler gives to scripts.
	var names []string
	for _, v := range program("settings").Workflow.Env {
		names = append(names, v.Name)
	}
	if !slices.EqualFunc(names, calc.Env, func(name string, v flow.Variable) bool { return v.Name == name }) {
		t.Errorf("scripts get %v, want %v", calc.Env, names)
	}
	if a := o.Actions["slow"]; a.Timeout != 90e9 || a.Retry != (flow.Retry{Retries: 1, Delay: 1500e6, All: true}) {
		t.Errorf("slow ran with %+v", a)
	}
}

func TestOddNamesRun(t *testing.T) {
	o := execute(t, scenario{Workflow: "names", Results: map[string]flow.Result{
		"a-b": text("x"), "classify": text(`{"output":"a","kind_output":{"x":1}}`), "holds": text(`{"b":"z","field":"f"}`),
	}})
	if got := o.Step("use-holds"); got.Status != flow.Completed {
		t.Errorf("use-holds ended as %+v", got)
	}
	if got := o.Step("_"); got.Status != flow.Completed {
		t.Errorf("the last of the chain ended as %+v", got)
	}
}

func TestLongFlowRuns(t *testing.T) {
	s := scenario{Workflow: "cut", Results: map[string]flow.Result{}}
	nodes := cut().Workflow.Body.All()
	for _, n := range nodes {
		s.Results[n.ID] = text("of " + n.ID)
		if n.Action.Kind() == "prompt" {
			s.Results[n.ID] = text(`{"kind":"bug"}`)
		}
	}
	o := execute(t, s)
	if o.End.Status != flow.Completed || len(o.Actions) != len(nodes) {
		t.Errorf("%d of %d nodes ran, and the run ended as %+v", len(o.Actions), len(nodes), o.End)
	}
	var last flow.Bash
	o.payload(t, "node-248", &last)
	if len(last.Bindings) != 1 || last.Bindings[0].Value != "of node-238" {
		t.Errorf("node-248 ran %+v", last)
	}
	outputs := map[string]any{}
	if err := json.Unmarshal(o.End.Outputs, &outputs); err != nil || len(outputs) != 10 || outputs["node-248"] != "of node-248" {
		t.Errorf("the outputs are %s, %v", o.End.Outputs, err)
	}
}

// payload decodes what an action was.
func (o *outcome) payload(t *testing.T, key string, into any) {
	t.Helper()
	a, ok := o.Actions[key]
	if !ok {
		t.Fatalf("%s was not performed; it ended as %+v", key, o.Step(key))
	}
	if err := json.Unmarshal(a.Payload, into); err != nil {
		t.Fatal(err)
	}
}

// written is the text of a prompt or script as the workflow has it.
func written(n *ir.Node) string {
	switch a := n.Action.(type) {
	case *ir.Bash:
		return a.Original.Source.Value
	case *ir.Prompt:
		return a.Text.Source.Value
	}
	return ""
}
