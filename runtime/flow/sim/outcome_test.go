package sim_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// judged is a workflow whose result is the bool that node `verify` gives, beside a node
// that may fail or be skipped by its time limit.
func judged(evidence bool) *flow.Definition {
	return &flow.Definition{Name: "judged", Returns: "verify", RequiresEvidence: evidence, Flow: func(c *flow.Context) (any, error) {
		run := func(c *flow.Context) (string, error) { return flow.TextOf(c.Do(work{})) }
		slow := flow.Spawn(c, flow.Node[string]{Key: "slow", SkipOnTimeout: true, Run: run})
		verify := flow.Spawn(c, flow.Node[bool]{
			Key: "verify", After: flow.After(slow), Rule: flow.AllDone, Run: run,
			Decode: func(text string) (ok bool, err error) { return ok, json.Unmarshal([]byte(text), &ok) },
		})
		read := flow.Spawn(c, flow.Node[string]{Key: "read", After: flow.After(slow), Rule: flow.AllDone, Run: func(*flow.Context) (string, error) {
			return slow.RequireText("$slow.output")
		}})
		_ = read
		err := flow.Settle(c)
		if evidence {
			err = flow.RequireEvidence(c, err)
		}
		return nil, flow.Outcome(err, verify, func(ok bool) bool { return ok })
	}}
}

// The author's verdict is beside the status, whatever the status is, in every order and
// after every crash.
func TestOutcome(t *testing.T) {
	failed := func(reason string) flow.Result {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no " + reason, Reason: reason}}
	}
	done := func(text string) flow.Result { return flow.Result{Status: flow.Completed, Text: text} }
	for name, c := range map[string]struct {
		evidence bool
		results  map[string]flow.Result
		status   flow.Status
		outcome  string
		slow     flow.Status
		summary  string
	}{
		"succeeded":          {false, map[string]flow.Result{"slow": done("x"), "verify": done("true")}, flow.Completed, "succeeded", flow.Completed, "true"},
		"failed":             {false, map[string]flow.Result{"slow": done("x"), "verify": done("false")}, flow.Completed, "failed", flow.Completed, "false"},
		"another node fails": {false, map[string]flow.Result{"slow": failed("exit"), "verify": done("true")}, flow.Failed, "succeeded", flow.Failed, "true"},
		"no result":          {false, map[string]flow.Result{"slow": done("x"), "verify": failed("exit")}, flow.Failed, "", flow.Completed, ""},
		"a skipped timeout":  {false, map[string]flow.Result{"slow": failed("timeout"), "verify": done("true")}, flow.Failed, "succeeded", flow.Skipped, "true"},
		"evidence":           {true, map[string]flow.Result{"slow": done("x"), "verify": done("true"), "/evidence": done("")}, flow.Completed, "succeeded", flow.Completed, "true"},
		"no evidence":        {true, map[string]flow.Result{"slow": done("x"), "verify": done("true"), "/evidence": failed("evidence")}, flow.Failed, "succeeded", flow.Completed, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			world := sim.World{Definition: judged(c.evidence), Perform: func(a sim.Attempt) sim.Performance {
				return sim.Performance{Result: c.results[a.Key], Takes: time.Second}
			}}
			check := func(o *sim.Result) error {
				if o.End.Status != c.status || o.End.Outcome != c.outcome || o.Step("slow").Status != c.slow || o.End.Summary != c.summary {
					return fmt.Errorf("the run is %s with the outcome %q and the summary %q, slow is %s (%s)", o.End.Status, o.End.Outcome, o.End.Summary, o.Step("slow").Status, o.Step("slow").Reason)
				}
				return nil
			}
			everywhere(t, world, check)
		})
	}
}

// A run that failed because it had left no evidence completes when it is resumed with some:
// nothing but the check runs again.
func TestEvidenceAfterResuming(t *testing.T) {
	there := false
	world := sim.World{Definition: judged(true), Perform: func(a sim.Attempt) sim.Performance {
		r := flow.Result{Status: flow.Completed, Text: "true"}
		if a.Key == "/evidence" && !there {
			r = flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no evidence"}}
		}
		return sim.Performance{Result: r}
	}}
	first := sim.Run(world, 1)
	if first.End.Status != flow.Failed || first.End.Error != "no evidence" {
		t.Fatalf("the run is %s: %s", first.End.Status, first.End.Error)
	}
	there, world.Resumes = true, first
	second := sim.Run(world, 1)
	if second.End.Status != flow.Completed || second.Begun["verify"] != 0 || second.Begun["/evidence"] != 1 {
		t.Errorf("the resumed run is %s, and began %v", second.End.Status, second.Begun)
	}
}
