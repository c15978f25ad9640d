package gen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// runCalls runs the sample calls, in which these results differ from those of a run that
// goes well. It also dies at every point of its journals and those of its children.
func runCalls(t *testing.T, results map[string]flow.Result, answers ...sim.Answer) *outcome {
	t.Helper()
	s := scenario{Workflow: "calls", Inputs: json.RawMessage(`{"arguments":"a$b","limit":4}`), Explore: 2, Answers: answers, Results: map[string]flow.Result{
		"plan": text(`{"files":["x.go","y.go"],"rounds":7,"strict":true}`), "count": text("5"), "names": text("[6]"), "look": text("ok"),
		"verdict": text(`{"grade":"good"}`), "done": text("published"), "say of 6": text("six"), "report": text("end"),
	}}
	for key, r := range results {
		s.Results[key] = r
	}
	return execute(t, s)
}

// published answers the gate of the run of node gate.
var published = sim.Answer{Run: "gate", Key: "ask#1", After: time.Minute, Result: flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "approve"}}}

func TestCallsPassTypedInputs(t *testing.T) {
	o := runCalls(t, nil, published)
	if o.End.Status != flow.Completed || o.End.Summary != "end" {
		t.Fatalf("the run ended as %+v", o.End)
	}
	var verdict flow.Prompt
	o.payload(t, "verdict", &verdict)
	want := `Grade ok, 7 5 4 true 0.5 {"files":["x.go","y.go"],"rounds":7,"strict":true} ["a",{"b":1}] null u.`
	if verdict.Text != want {
		t.Errorf("verdict asked %q, want %q", verdict.Text, want)
	}
	var report flow.Bash
	o.payload(t, "report", &report)
	var values []string
	for _, b := range report.Bindings {
		values = append(values, b.Value)
	}
	if got, want := strings.Join(values, " "), `good published ["ok","ok"] ["six"]`; got != want {
		t.Errorf("report got %s, want %s", got, want)
	}
	for _, run := range []string{"review", "review/review", "gate", "all[0]", "all[1]", "some[0]"} {
		if child := o.Children[run]; child == nil || child.End.Status != flow.Completed {
			t.Errorf("run %s ended as %+v", run, child)
		}
	}
}

func TestCallsReadStrings(t *testing.T) {
	for _, c := range []struct{ producer, prints, reader, want string }{
		{"count", "five", "review", "input `most` cannot be \"five\""},
		{"names", "6", "some", "`$names.output` is not a list in JSON: 6"},
	} {
		o := runCalls(t, map[string]flow.Result{c.producer: text(c.prints)}, published)
		if got := o.Step(c.reader); got.Status != flow.Failed || got.Failure.Message != c.want {
			t.Errorf("%s ended as %+v %+v, want %q", c.reader, got, got.Failure, c.want)
		}
		if o.Children[c.reader] != nil || o.Children[c.reader+"[0]"] != nil {
			t.Errorf("%s has children: %v", c.reader, o.Children)
		}
	}
}

func TestCallsPauseForTheirChildren(t *testing.T) {
	o := runCalls(t, nil)
	gate := o.Children["gate"]
	if o.End.Status != flow.Paused || o.Step("gate").Status != flow.Waiting || gate == nil || gate.End.Status != flow.Paused {
		t.Fatalf("the run ended as %+v, gate as %+v", o.End, o.Step("gate"))
	}
	if ask := gate.Step("ask"); ask.Status != flow.Waiting {
		t.Errorf("ask is %+v", ask)
	}
}

func TestFanOutOfCalls(t *testing.T) {
	o := runCalls(t, map[string]flow.Result{
		"names":    text(`["a",1.50,{"k":"v"},null]`),
		"say of a": text("said a"), "say of 1.5": failed("no"), `say of {"k":"v"}`: text(""), "say of null": text("said null"),
	}, published)
	want := "[\"said a\",{\"archon_failed\":true,\"error\":\"run calls-simula/some[1] is failed: node `say`: no\",\"status\":\"failed\"},\"\",\"said null\"]"
	if got := o.Step("some"); got.Text != want {
		t.Errorf("some is %s, want %s", got.Text, want)
	}
	if o.End.Status != flow.Completed {
		t.Errorf("the run ended as %+v", o.End)
	}
}

func TestFanOutOfFailingCalls(t *testing.T) {
	o := runCalls(t, map[string]flow.Result{"look": failed("no look")}, published)
	got := o.Step("all")
	if got.Status != flow.Failed || got.Failure.Message != "all[0]: run calls-simula/all[0] is failed: node `look`: no look" {
		t.Errorf("all ended as %+v %+v", got, got.Failure)
	}
	if last := o.Children["all[1]"]; last == nil || last.End.Status != flow.Failed {
		t.Errorf("the last item ended as %+v", last)
	}
	o = runCalls(t, map[string]flow.Result{"plan": text(`{"files":[],"rounds":7,"strict":true}`)}, published)
	if got := o.Step("all"); got.Status != flow.Completed || got.Text != "[]" {
		t.Errorf("all ended as %+v", got)
	}
}
