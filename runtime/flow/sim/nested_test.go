package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// groupOf is a workflow with one node: a loop whose iterations are flows of their own.
func groupOf(most int, body func(c *flow.Context, i *steps.Iteration) []flow.AnyTask) *flow.Definition {
	return &flow.Definition{Name: "group", Nodes: []flow.NodeInfo{{Key: "fix", Kind: "loop"}}, Flow: func(c *flow.Context) (any, error) {
		task := flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: most, Goal: "the end",
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask { return body(c, i) })
				},
				Done: func(text string) bool { return text == fmt.Sprint("end ", most) },
			}.Run(c)
		}})
		err := flow.Settle(c)
		return output{[]string{task.Final().Text}}, err
	}}
}

// inner is a node of a group that performs one action.
func inner(c *flow.Context, key, text string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "node", After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(work{Text: text, Takes: time.Second})
		return r.Text, err
	}})
}

// The nodes of an iteration read those of the one before, whose outputs a later process
// takes from the journal. The node of the group has the cost of all of them.
func TestGroupReadsItsPreviousIteration(t *testing.T) {
	def := groupOf(3, nil)
	def.Flow = func(c *flow.Context) (any, error) {
		task := flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			var previous *flow.Task[string]
			return steps.Loop{
				Max: 3, Goal: "the end", Done: func(text string) bool { return text == "abc" },
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask {
						text := ""
						if previous != nil {
							text = previous.Final().Text
						}
						first := inner(c, "first", text+string(rune('a'+i.Number-1)))
						previous = first
						return flow.After(first, inner(c, "second", "not this one"))
					})
				},
			}.Run(c)
		}})
		err := flow.Settle(c)
		return output{[]string{task.Final().Text}}, err
	}
	w := sim.World{Definition: def, Perform: perform}
	whole := sim.Run(w, 1)
	for crash := 1; crash <= whole.Points; crash++ {
		got := sim.Run(w, uint64(crash), crash)
		if len(got.Faults) > 0 || got.End.Status != flow.Completed {
			t.Fatalf("crash at %d: %s %v", crash, got.End.Error, got.Faults)
		}
		if r := got.Step("fix"); r.Text != "abc" || r.Meta.CostUSD < 6 {
			t.Fatalf("crash at %d: the group ended with %q, cost %v", crash, r.Text, r.Meta.CostUSD)
		}
	}
	if r := whole.Step("fix"); r.Meta.CostUSD != 6 {
		t.Errorf("undisturbed, the group cost %v instead of 6", r.Meta.CostUSD)
	}
	if r := whole.Step("fix#2.first"); r.Text != "ab" {
		t.Errorf("the second iteration's node: %+v", r)
	}
}

// A group that used up its iterations goes on for as many when the run is resumed, also
// after a crash anywhere.
func TestGroupThatEndsNowhere(t *testing.T) {
	w := sim.World{Perform: perform, Definition: groupOf(2, func(c *flow.Context, i *steps.Iteration) []flow.AnyTask {
		first := inner(c, "first", "x")
		return flow.After(inner(c, "second", fmt.Sprint("text ", i.Number), first))
	})}
	whole := explore(t, w)
	if n := whole.Step("fix"); n.Status != flow.Failed || n.Failure.Message != "node `fix` ran 2 iterations without reaching the end" {
		t.Fatalf("%+v", n)
	}
	for crash := 1; crash <= whole.Points; crash++ {
		first := sim.Run(w, 1, crash)
		again := resume(w, 1, first)
		if n := again.Step("fix"); n.Failure == nil || n.Failure.Message != "node `fix` ran 4 iterations without reaching the end" || again.Effects["fix#1.first"] != 0 {
			t.Errorf("crash at %d: %+v, %+v", crash, n.Failure, again.Effects)
		}
	}
}

// A node that cancels the run, inside a group, cancels the group and ends its loop.
func TestCancelInsideAGroup(t *testing.T) {
	def := groupOf(3, func(c *flow.Context, i *steps.Iteration) []flow.AnyTask {
		before := inner(c, "before", "x")
		return flow.After(flow.Spawn(c, flow.Node[string]{Key: "stop", Kind: "cancel", After: flow.After(before), Run: func(c *flow.Context) (string, error) {
			if i.Number == 2 {
				c.CancelRun("enough")
			}
			return "", nil
		}}))
	})
	w := sim.World{Definition: def, Perform: perform}
	whole := sim.Run(w, 1)
	for crash := 1; crash <= whole.Points; crash++ {
		got := sim.Run(w, uint64(crash), crash)
		if got.End.Status != flow.Cancelled || got.End.Reason != "enough" || len(got.Faults) > 0 {
			t.Fatalf("crash at %d: %+v %v", crash, got.End, got.Faults)
		}
		if r := got.Step("fix#3.before"); r.Status != "" {
			t.Fatalf("crash at %d: the loop went on: %+v", crash, r)
		}
	}
}

// After a node of a group that failed, the others run or are skipped by their rules, and
// then the loop fails with it.
func TestFailureInsideAGroup(t *testing.T) {
	def := groupOf(3, func(c *flow.Context, i *steps.Iteration) []flow.AnyTask {
		bad := flow.Spawn(c, flow.Node[string]{Key: "bad", Kind: "node", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Fails: 1})
			return r.Text, err
		}})
		slow := flow.Spawn(c, flow.Node[string]{Key: "slow", Kind: "node", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: "done", Takes: time.Hour})
			return r.Text, err
		}})
		after := func(key string, rule flow.Rule) flow.AnyTask {
			return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "node", After: flow.After(bad), Rule: rule, Run: func(*flow.Context) (string, error) {
				return "end 3", nil
			}})
		}
		return flow.After(inner(c, "late", "end 3", slow), after("clean", flow.AllDone), after("next", nil))
	})
	got := sim.Run(sim.World{Definition: def, Perform: perform}, 1)
	if want := "iteration 1: node `bad` failed: no luck in fix#1.bad"; got.Step("fix").Failure == nil || got.Step("fix").Failure.Message != want {
		t.Errorf("the group failed as %+v instead of %q", got.Step("fix").Failure, want)
	}
	for _, key := range []string{"slow", "late", "clean"} {
		if r := got.Step("fix#1." + key); r.Status != flow.Completed {
			t.Errorf("%s ended as %+v", key, r)
		}
	}
	if r := got.Step("fix#1.next"); r.Status != flow.Skipped || r.Reason != "trigger_rule" {
		t.Errorf("a node that needs the failed one: %+v", r)
	}
	if r := got.Step("fix#2.bad"); r.Status != "" {
		t.Errorf("the loop went on: %+v", r)
	}
}
