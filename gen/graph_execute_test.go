package gen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// graphOutputs is what the generated Outputs of a graph encode to.
type graphOutputs struct {
	Success    bool
	Node       string
	Label      string
	Text       string
	Iterations int
	Labels     map[string]string
	State      map[string]json.RawMessage
}

func (o *outcome) graph(t *testing.T) (out graphOutputs) {
	t.Helper()
	if err := json.Unmarshal(o.End.Outputs, &out); err != nil {
		t.Fatalf("%s: %v", o.End.Outputs, err)
	}
	return out
}

// savedState is what these tests read of a saved position.
type savedState struct {
	Iteration  int
	Next       string
	Status     string
	Success    *bool
	Version    string
	Variables  json.RawMessage
	Limits     flow.GraphLimits
	Warnings   []string
	Checkpoint bool
}

// state decodes the state that was saved under a key.
func (o *outcome) state(t *testing.T, key string) (s savedState) {
	t.Helper()
	o.payload(t, key, &s)
	return s
}

func exitWith(code int, printed string) flow.Result {
	return flow.Result{Status: flow.Failed, Text: printed, Failure: &flow.Failure{Reason: "exit", ExitCode: code, Message: fmt.Sprintf("exit %d", code)}}
}

func choose(key, choice string) sim.Answer {
	return sim.Answer{Key: key, After: time.Minute, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: choice, By: "ann"}}}
}

func TestFeatureGraph(t *testing.T) {
	o := execute(t, scenario{Workflow: "graphfeature", Attended: true, Explore: 2, Results: map[string]flow.Result{
		"research_approach_a@2": text("A is simple"), "research_approach_b@3": text("B is fast"), "aggregate@4": text("Take A."), "write_tests@6": text("ok"),
		"implement@7": text("completed"), "run_tests@8": exitWith(1, "2 failed"),
		"implement@9": text("completed"), "run_tests@10": text("Coverage: 87%, 12 tests"), "review@11": text("P1: rename it"),
		"implement@12": text("done"), "run_tests@13": text("coverage is 91 of 100"), "review@14": text("LGTM"),
	}, Answers: []sim.Answer{choose("aggregate@4/after#1", "yes"), choose("approval@15/before#1", "yes"), choose("approval@15#1", "yes")}})
	if o.End.Status != flow.Completed || o.End.Reason != "" {
		t.Fatalf("%+v", o.End)
	}
	out := o.graph(t)
	if !out.Success || out.Node != "approval" || out.Label != "yes" || out.Iterations != 15 || out.Labels["review"] != "clean" {
		t.Errorf("%+v", out)
	}
	if string(out.State["approaches_researched"]) != `["approach_a","approach_b"]` || string(out.State["test_coverage"]) != "91" || string(out.State["review_score"]) != "10" {
		t.Errorf("%s", out.State)
	}
	var asked flow.Prompt
	o.payload(t, "aggregate@4", &asked)
	if !strings.Contains(asked.Text, "## Output of `research_approach_a`\n\nA is simple") || asked.Agent != "self" {
		t.Errorf("%+v", asked)
	}
	s := o.state(t, "run_tests@10/state")
	if s.Next != "review" || s.Iteration != 10 || s.Version != "1.0" || s.Limits.CostUSD != 10 || string(s.Variables) != `{"approaches_researched":["approach_a","approach_b"],"test_coverage":87,"review_score":0}` {
		t.Errorf("%+v %s", s, s.Variables)
	}
	if s := o.state(t, "save_research@5/state"); !s.Checkpoint {
		t.Errorf("%+v", s)
	}
	if s := o.state(t, "END/state"); s.Status != "completed" || !*s.Success {
		t.Errorf("%+v", s)
	}
}

func TestFeatureGraphEnds(t *testing.T) {
	results := map[string]flow.Result{
		"research_approach_a@2": text("A"), "research_approach_b@3": text("B"), "aggregate@4": text("Take A."), "write_tests@6": text("ok"),
	}
	for n := 7; n < 40; n++ {
		results[fmt.Sprintf("implement@%d", n)] = text("done")
		results[fmt.Sprintf("run_tests@%d", n)] = exitWith(1, "")
	}
	o := execute(t, scenario{Workflow: "graphfeature", Results: results})
	if o.End.Status != flow.LimitReached || o.End.Reason != "max_iterations" || o.Step("implement@19").Key == "" || o.Step("implement@21").Key != "" {
		t.Errorf("%+v", o.End)
	}
	results["implement@7"] = text("I am blocked")
	o = execute(t, scenario{Workflow: "graphfeature", Explore: 1, Results: results})
	if o.End.Status != flow.Failed || o.End.Reason != "no_edge" {
		t.Errorf("%+v", o.End)
	}
}

func TestValuesGraph(t *testing.T) {
	run := func(topic string, attended bool, results map[string]flow.Result, answers ...sim.Answer) *outcome {
		return execute(t, scenario{
			Workflow: "graphvalues", Inputs: json.RawMessage(`{"topic":` + topic + `}`), Attended: attended, Explore: 1, Results: results, Answers: answers,
		})
	}
	const done = "well done"
	o := run(`"Go; rm -rf /"`, false, map[string]flow.Result{"work@1": text(done), "node@2": text("the score is 7.5 of 10"), "node@2/x": text("")})
	out := o.graph(t)
	if o.End.Status != flow.Completed || out.Success || o.End.Reason != "no_goal" || out.Node != "enough" || out.Label != "yes" {
		t.Errorf("%+v %+v", o.End, out)
	}
	want := `{"depth":2,"tries":1,"score":7.5,"ready":false,"feedback":null,"current_score":7.5,"notes":["first <note>","well done"],"numbers":[1,2,3],"extra":{"b":1,"a":[]},"topic":"Go; rm -rf /"}`
	// The driver's JSON escapes what the state does not.
	if s := o.state(t, "END/state"); strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(s.Variables)) != want {
		t.Errorf("%s", s.Variables)
	}
	var ask flow.Prompt
	o.payload(t, "work@1", &ask)
	if want := "Write about Go; rm -rf /, 2 levels deep.\nTry 0 after : first <note> {\"b\":1,\"a\":[]} 1, 2 0.5 false \n"; !strings.HasPrefix(ask.Text, want) || len(ask.Files) != 1 {
		t.Errorf("%q", ask.Text)
	}
	var script flow.Bash
	o.payload(t, "node@2", &script)
	if script.Bindings[0].Value != "Go; rm -rf /" || script.Bindings[1].Value != `{"b":1,"a":[]}` || !script.TextOnFailure || o.Actions["node@2"].Retry.Retries != 3 || o.Actions["node@2"].Timeout != 10*time.Minute {
		t.Errorf("%+v", script)
	}

	// No edge leads on from the start.
	if o = run(`""`, false, nil); o.End.Status != flow.Failed || o.End.Reason != "no_edge" || o.End.Error != "no edge from START holds, and no completion condition does" {
		t.Errorf("%+v", o.End)
	}

	// A script that fails: its text is feedback, what cannot be told is a warning.
	o = run(`"x"`, false, map[string]flow.Result{"work@1": text(done), "node@2": exitWith(2, "none")}, choose("node@2/after#1", "yes"), choose("State@3#1", "yes"))
	out = o.graph(t)
	if !out.Success || out.Node != "State" || string(out.State["feedback"]) != `"none"` || string(out.State["ready"]) != "true" {
		t.Errorf("%+v %+v", o.End, out)
	}

	// What cannot be told is a warning, and the variable keeps its value.
	o = run(`"x"`, false, map[string]flow.Result{"work@1": text(done), "node@2": text("no number")})
	if s := o.state(t, "node@2/state"); len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "variable `current_score` keeps its value") {
		t.Errorf("%q", s.Warnings)
	}

	// An agent that is blocked, and one that takes too long.
	if o = run(`"x"`, false, map[string]flow.Result{"work@1": text("blocked")}); o.graph(t).Node != "work" || o.graph(t).Label != "blocked" {
		t.Errorf("%+v", o.End)
	}
	late := flow.Result{Status: flow.Failed, Failure: &flow.Failure{Reason: "timeout", Message: "too slow"}, Meta: flow.Meta{CostUSD: 2}}
	o = run(`"x"`, true, map[string]flow.Result{"work@1": late}, choose("State@2/before#1", "skip"))
	if o.End.Status != flow.Completed || o.graph(t).Node != "State" || o.graph(t).Labels["State"] != "" {
		t.Errorf("%+v", o.End)
	}
	question := o.Step("State@2/before#1").Question
	if want := "It cost 2 since 2030-01-01T00:00:00Z at State of work."; question == nil || question.Message != want {
		t.Errorf("%+v", question)
	}
}
