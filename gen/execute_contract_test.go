package gen_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// contractInputs are the inputs of the sample contract, as a run has them after
// its defaults.
const contractInputs = `{"arguments":"","context":"","topic":"a$b; rm -rf /","style":"strict","rounds":3,"deep":true,"files":["a.go",{"z":1,"a":2}],"note":"n"}`

// runContract runs the sample contract, in which these results differ from those of
// a run that goes well.
func runContract(t *testing.T, s scenario, results map[string]flow.Result) *outcome {
	t.Helper()
	s.Workflow, s.Results = "contract", map[string]flow.Result{
		"diff": text("+ a"), "plan": text("look"), "review": text("good"), "count": text("5"),
		"verify": text(" {\"green\" : true}\n"), "/evidence": text(""),
	}
	maps.Copy(s.Results, results)
	if s.Inputs == nil {
		s.Inputs = json.RawMessage(contractInputs)
	}
	return execute(t, s)
}

func TestContractGoesWell(t *testing.T) {
	o := runContract(t, scenario{Explore: 3}, nil)
	if o.End.Status != flow.Completed || o.End.Outcome != "succeeded" || string(o.End.Outputs) != `{"verify":{"green":true}}` {
		t.Errorf("the run ended as %+v with %s", o.End, o.End.Outputs)
	}
	var diff flow.Bash
	o.payload(t, "diff", &diff)
	for name, want := range map[string]string{
		"INPUTS_TOPIC": "a$b; rm -rf /", "INPUTS_STYLE": "strict", "INPUTS_ROUNDS": "3", "INPUTS_DEEP": "true",
		"INPUTS_FILES": `["a.go",{"z":1,"a":2}]`, "INPUTS_NOTE": "n", "STATE_DIR": "/sim/state",
	} {
		if got := variable(diff.Env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(diff.Bindings) != 1 || diff.Bindings[0].Value != "a$b; rm -rf /" || strings.Contains(diff.Script, "rm") {
		t.Errorf("diff ran %+v", diff)
	}
	var plan, review flow.Prompt
	o.payload(t, "plan", &plan)
	if want := `Plan a$b; rm -rf / with ["a.go",{"z":1,"a":2}]. Note n. Keep state in /sim/state.`; plan.Text != want {
		t.Errorf("plan asked %q, want %q", plan.Text, want)
	}
	if len(plan.Options) != 1 || string(plan.Options[0].Value) != `"You review a$b; rm -rf /."` {
		t.Errorf("plan has the options %+v", plan.Options)
	}
	o.payload(t, "review", &review)
	if want := "Review this in the style very strict:\n\n+ a\n\nlook\n"; review.Text != want {
		t.Errorf("review asked %q, want %q", review.Text, want)
	}
	var count flow.Script
	o.payload(t, "count", &count)
	for name, want := range map[string]string{"INPUTS_TEXT": "good", "INPUTS_MAX": "5", "INPUTS_PLAN": "look"} {
		if got := variable(count.Env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestContractEndsAsFailed(t *testing.T) {
	o := runContract(t, scenario{Explore: 2}, map[string]flow.Result{"verify": text(`{"green":false,"notes":["a"]}`)})
	if o.End.Status != flow.Completed || o.End.Outcome != "failed" || string(o.End.Outputs) != `{"verify":{"green":false,"notes":["a"]}}` {
		t.Errorf("the run ended as %+v with %s", o.End, o.End.Outputs)
	}
}

func TestContractNeedsEvidence(t *testing.T) {
	o := runContract(t, scenario{Explore: 2}, map[string]flow.Result{"/evidence": failed("there is no evidence.json")})
	if o.End.Status != flow.Failed || o.End.Outcome != "succeeded" || o.End.Error != "there is no evidence.json" {
		t.Errorf("the run ended as %+v", o.End)
	}
}

func TestContractReadsOneDocument(t *testing.T) {
	for printed, want := range map[string]string{
		"```json\n{\"green\":true}\n```": "it must be exactly one JSON document",
		`{"green":true} {"green":true}`:  "it must be exactly one JSON document",
		"It is:\n{\"green\":true}":       "it must be exactly one JSON document",
		`{"green":"true"}`:               "green",
		`{}`:                             "green",
		"":                               "it must be exactly one JSON document",
	} {
		o := runContract(t, scenario{}, map[string]flow.Result{"verify": text(printed)})
		got := o.Step("verify")
		if got.Status != flow.Failed || !strings.Contains(got.Failure.Message, want) {
			t.Errorf("%q: verify ended as %+v %+v, want %q", printed, got, got.Failure, want)
		}
		if o.End.Status != flow.Failed || o.End.Outcome != "" || o.Effects["verify"] != 1 {
			t.Errorf("%q: the run ended as %+v after %d attempts", printed, o.End, o.Effects["verify"])
		}
	}
}

// A script that takes too long is skipped, and the others go on.
func TestContractSkipsWhatTakesTooLong(t *testing.T) {
	o := runContract(t, scenario{Explore: 2}, map[string]flow.Result{
		"count": {Status: flow.Failed, Failure: &flow.Failure{Message: "it took too long", Reason: "timeout"}},
	})
	if got := o.Actions["count"].Timeout; got != 5*time.Second {
		t.Errorf("count may take %s", got)
	}
	if got := o.Step("count"); got.Status != flow.Skipped || got.Reason != "timeout" {
		t.Errorf("count ended as %+v", got)
	}
	if o.End.Status != flow.Completed || o.End.Outcome != "succeeded" {
		t.Errorf("the run ended as %+v", o.End)
	}
}

// A node whose producer was skipped has the value that its binding says, or cannot
// run without one.
func TestContractWithoutPlan(t *testing.T) {
	in := json.RawMessage(strings.Replace(contractInputs, `"deep":true`, `"deep":false`, 1))
	o := runContract(t, scenario{Inputs: in, Explore: 2}, nil)
	var review flow.Prompt
	o.payload(t, "review", &review)
	if want := "Review this in the style very strict:\n\n+ a\n\nno plan\n"; review.Text != want {
		t.Errorf("review asked %q, want %q", review.Text, want)
	}
	if got := o.Step("count"); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "`$plan.output`") {
		t.Errorf("count ended as %+v %+v", got, got.Failure)
	}
	if slices.Contains(slices.Collect(maps.Keys(o.Effects)), "count") {
		t.Error("count ran")
	}
}

// A prompt that reads an input which has no value cannot be asked.
func TestContractWithoutNote(t *testing.T) {
	in := json.RawMessage(strings.Replace(contractInputs, `"note":"n"`, `"note":null`, 1))
	o := runContract(t, scenario{Inputs: in}, nil)
	if got := o.Step("plan"); got.Status != flow.Failed || !strings.Contains(got.Failure.Message, "$INPUTS.note") {
		t.Errorf("plan ended as %+v %+v", got, got.Failure)
	}
	var diff flow.Bash
	o.payload(t, "diff", &diff)
	if got := variable(diff.Env, "INPUTS_NOTE"); got != "" {
		t.Errorf("INPUTS_NOTE is %q", got)
	}
}
