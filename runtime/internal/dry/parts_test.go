package dry_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
)

// The output of a loop is that of its last iteration, known or not.
func TestLastIterationIsKnown(t *testing.T) {
	p := plan(t, deliver(), `{"talk#2": "bye DONE"}`)
	if s := step(p, "talk"); !s.OutputKnown || s.Output != "bye DONE" || len(s.Actions) != 3 {
		t.Errorf("%+v", s)
	}
}

// A loop that used up its iterations begins again, where it may.
func TestSecondAttemptOfALoop(t *testing.T) {
	no := `"fix#1/until": false, "fix#2/until": false, "fix#3/until": false, "fix#4/until": false`
	p := plan(t, deliver(), `{"fix": "never", `+no+`, "fix/attempt2#1/until": true}`)
	s := step(p, "fix")
	if s.Status != flow.Completed || len(s.Actions) != 10 || s.Actions[8].Key != "fix/attempt2#1" || s.Actions[8].Result.Text != "never" {
		t.Errorf("%+v", s)
	}
}

// What comes of a rework is not the gate's output.
func TestGateWithUnknownRework(t *testing.T) {
	p := small(t, `{"gate#1": "reject"}`, "gate after<gate", func(c *flow.Context) {
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Good?", MaxRejections: 2, Rework: func(c *flow.Context, reason string) (flow.Result, error) {
				return c.Do(flow.Prompt{Agent: "claude", Text: "Mend " + reason})
			}}.Run(c)
		}})
		bash(c, "after", "true", nil, flow.Node[string]{After: flow.After(gate), When: func() (bool, error) { return gate.MustOutput().Text == "", nil }})
	})
	if s := step(p, "gate"); !s.OutputKnown || s.Output != "" || len(s.Actions) != 3 {
		t.Errorf("%+v", s)
	}
	if s := step(p, "after"); s.Decision != dry.Runs {
		t.Errorf("%+v", s)
	}
}

// A rejection cancels for sure, whatever else may.
func TestRejectionBesideWhatMayCancel(t *testing.T) {
	p := small(t, `{"gate": {"choice": "reject", "text": "no"}}`, "u m<u gate<u", func(c *flow.Context) {
		u := bash(c, "u", "u", nil, flow.Node[string]{})
		flow.Spawn(c, flow.Node[string]{Key: "m", Kind: "cancel", After: flow.After(u), When: func() (bool, error) { return u.MustOutput().Text == "", nil }, Run: func(c *flow.Context) (string, error) {
			c.CancelRun("perhaps")
			return "", nil
		}})
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(u), Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Good?"}.Run(c)
		}})
	})
	if p.Verdict.Status != "cancelled" || !strings.Contains(p.Verdict.Reasons[0], "node `gate` was rejected: no") {
		t.Errorf("%+v", p.Verdict)
	}
}
