package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

func works(c *flow.Context) (string, error) { return flow.TextOf(c.Do(work{})) }

// upstream is a workflow whose node `join` depends on the end of the chain first, between,
// far, and on a node that completes.
func upstream(runsFirst bool, between flow.Rule, strict bool) *flow.Definition {
	return &flow.Definition{Name: "upstream", Flow: func(c *flow.Context) (any, error) {
		first := flow.Spawn(c, flow.Node[string]{Key: "first", Run: works, When: func() (bool, error) { return runsFirst, nil }})
		next := flow.Spawn(c, flow.Node[string]{Key: "between", After: flow.After(first), Rule: between, Run: works})
		far := flow.Spawn(c, flow.Node[string]{Key: "far", After: flow.After(next), Run: works})
		other := flow.Spawn(c, flow.Node[string]{Key: "other", Run: works})
		flow.Spawn(c, flow.Node[string]{
			Key: "join", After: flow.After(far, other), Rule: flow.NoneFailedMinOneSuccess, SkipCountsAsFailure: strict, Run: works,
		})
		return nil, flow.Settle(c)
	}}
}

// With SkipCountsAsFailure a failure blocks the rule through any chain of skipped nodes, and a
// condition never does, in every order and after every crash.
func TestFailedUpstream(t *testing.T) {
	for name, c := range map[string]struct {
		runsFirst bool
		between   flow.Rule
		strict    bool
		join      flow.Status
	}{
		"failure":                 {true, nil, true, flow.Skipped},
		"failure, one_success":    {true, flow.OneSuccess, true, flow.Skipped},
		"failure, as before":      {true, nil, false, flow.Completed},
		"failure behind all_done": {true, flow.AllDone, true, flow.Completed},
		"condition":               {false, nil, true, flow.Completed},
		"condition, as before":    {false, nil, false, flow.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			world := sim.World{Definition: upstream(c.runsFirst, c.between, c.strict), Perform: func(a sim.Attempt) sim.Performance {
				if a.Key == "first" {
					return sim.Performance{Result: flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "no"}}, Takes: time.Second}
				}
				return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: a.Key}, Takes: time.Second}
			}}
			everywhere(t, world, func(o *sim.Result) error {
				if got := o.Step("join").Status; got != c.join {
					return fmt.Errorf("join is %s, want %s", got, c.join)
				}
				return nil
			})
		})
	}
}

// A reader gets the session of a node, also after a crash, and fails if the node did not
// complete.
func TestSessionOfANode(t *testing.T) {
	for name, c := range map[string]struct {
		runs bool
		want string
	}{
		"completed": {true, "completed s1"},
		"skipped":   {false, "failed the session of node `first` cannot be continued: node `first` was skipped, so it has no session"},
	} {
		t.Run(name, func(t *testing.T) {
			definition := &flow.Definition{Name: "session", Flow: func(x *flow.Context) (any, error) {
				first := flow.Spawn(x, flow.Node[string]{Key: "first", When: func() (bool, error) { return c.runs, nil }, Run: works})
				flow.Spawn(x, flow.Node[string]{Key: "reader", After: flow.After(first), Rule: flow.AllDone, Run: func(c *flow.Context) (string, error) {
					session, err := first.Session()
					if err != nil {
						return "", err
					}
					return flow.TextOf(c.Do(flow.Prompt{Text: "go on", Session: session, Fork: true}))
				}})
				return nil, flow.Settle(x)
			}}
			world := sim.World{Definition: definition, Perform: func(a sim.Attempt) sim.Performance {
				text := a.Key
				if p, ok := a.Payload.(flow.Prompt); ok && p.Fork {
					text = p.Session
				}
				return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text, Meta: flow.Meta{Session: "s1", Turns: 1}}, Takes: time.Second}
			}}
			everywhere(t, world, func(o *sim.Result) error {
				r := o.Step("reader")
				got := string(r.Status) + " " + r.Text
				if r.Failure != nil {
					got += r.Failure.Message
				}
				if got != c.want {
					return fmt.Errorf("the reader: %s, want %s", got, c.want)
				}
				return nil
			})
		})
	}
}
