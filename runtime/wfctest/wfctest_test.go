package wfctest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/examples/inbox/inbox"
	"github.com/wfc-lang/wfc/examples/triage/triage"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/wfctest"
)

// TestRun runs the tests of two examples with their generated packages.
func TestRun(t *testing.T) {
	wfctest.Run(t, "../../examples/triage/*.test.yaml", &inbox.Workflow, &triage.Workflow)
	wfctest.Run(t, "../../examples/inbox/*.test.yaml", &inbox.Workflow)
}

// TestCase scripts the agents of a generated workflow with its types.
func TestCase(t *testing.T) {
	o := wfctest.Case{
		Inputs: triage.Inputs{Arguments: "It crashes"},
		Replies: map[string][]any{
			"classify":    {&flow.Failure{Message: "connection lost", Class: flow.ClassTransient}, triage.ClassifyOutput{Kind: triage.ClassifyKindBug, Confidence: 1, Title: "Crash"}},
			"investigate": {"A race."},
		},
		Outputs: map[string][]any{"fetch": {"It crashes"}, "report": {"done"}},
	}.Run(t, &triage.Workflow)
	if o.End.Status != flow.Completed || o.Step("plan").Status != flow.Skipped || o.Step("investigate").Text != "A race." || o.Step("classify").Attempt != 2 {
		t.Errorf("%+v", o.Steps)
	}
}

// TestCaseAsksPeople: answers pass gates, and a node without one leaves the run paused.
func TestCaseAsksPeople(t *testing.T) {
	c := wfctest.Case{
		Inputs:  map[string]any{"file": "."},
		Replies: map[string][]any{"sort": {"[OUTPUT:question]"}, "write": {"Hello."}},
		Outputs: map[string][]any{"read": {"How?"}, "send": {errors.New("no network")}},
	}
	if o := c.Run(t, &inbox.Workflow); o.End.Status != flow.Paused {
		t.Errorf("%+v", o.End)
	}
	c.Answers = map[string][]string{"approve": {"send"}}
	if o := c.Run(t, &inbox.Workflow); o.End.Status != flow.Failed || !strings.Contains(o.End.Error, "no network") {
		t.Errorf("%+v", o.End)
	}
}
