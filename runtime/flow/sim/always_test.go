package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// always is a world of a loop and an action that always run, of an action that
// does not, and of one after them that fails until the given number of
// attempts.
func always(fails int) sim.World {
	do := func(key string, again bool, after ...flow.AnyTask) flow.Node[string] {
		return flow.Node[string]{Key: key, Kind: "bash", After: after, AlwaysRun: again, Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(work{Text: key, Takes: time.Second})
			return r.Text, err
		}}
	}
	return sim.World{
		Definition: &flow.Definition{
			Name: "w", Nodes: []flow.NodeInfo{{Key: "loop"}, {Key: "again"}, {Key: "once"}, {Key: "last", After: []string{"loop", "again", "once"}}},
			Flow: func(c *flow.Context) (any, error) {
				loop := flow.Spawn(c, flow.Node[string]{Key: "loop", AlwaysRun: true, Run: func(c *flow.Context) (string, error) {
					return steps.Loop{
						Max: 2, Goal: "x", Body: says,
						Until: func(c *flow.Context, _ *steps.Iteration) (bool, error) { return steps.Test(c, flow.Bash{Script: "x"}) },
					}.Run(c)
				}})
				again, once := flow.Spawn(c, do("again", true)), flow.Spawn(c, do("once", false))
				last := flow.Spawn(c, do("last", false, loop, again, once))
				err := flow.Settle(c)
				return last.Final().Text, err
			},
		},
		Perform: func(a sim.Attempt) sim.Performance {
			if w, ok := a.Payload.(work); ok {
				if a.Key == "last" {
					w.Fails = fails
				}
				a.Payload = w
				return perform(a)
			}
			return replies(func(i string) string { return i }, map[string]string{"loop#1/until": "false", "loop#2/until": "true"})(a)
		},
	}
}

// A node that always runs does so once in each process of its run, with all of
// its parts; its completion in an earlier process is nothing to keep.
func TestAlwaysRunsAgain(t *testing.T) {
	w := always(0)
	explore(t, w)
	twice := 0
	whole := sim.Run(w, 1)
	for point := 1; point <= whole.Points; point++ {
		o := sim.Run(w, 1, point)
		for _, key := range []string{"loop#1", "loop#1/until", "loop#2", "loop#2/until", "again"} {
			if n := o.Effects[key]; n < 1 || n > 2 {
				t.Errorf("crash at %d: `%s` took effect %d times", point, key, n)
			} else if n == 2 {
				twice++
			}
		}
	}
	if twice < whole.Points {
		t.Errorf("only %d steps ran again", twice)
	}
}

// The same when a failed run is resumed, whatever happens on the way.
func TestAlwaysRunsWhenResumed(t *testing.T) {
	failed := explore(t, always(1))
	if failed.End.Status != flow.Failed {
		t.Fatalf("%+v", failed.End)
	}
	w := always(0)
	whole := resume(w, 1, failed)
	want := map[string]int{"again": 1, "last": 1, "loop#1": 1, "loop#1/until": 1, "loop#2": 1, "loop#2/until": 1}
	if whole.End.Status != flow.Completed || fmt.Sprint(whole.Effects) != fmt.Sprint(want) || len(whole.Faults) > 0 {
		t.Fatalf("%+v, effects %v, faults %q", whole.End, whole.Effects, whole.Faults)
	}
	for point := 1; point <= whole.Points; point++ {
		got := resume(w, 1, failed, point)
		if err := sim.Same(whole, got); err != nil || len(got.Faults) > 0 {
			t.Errorf("crash at %d: %v %q", point, err, got.Faults)
		}
	}
}

// What runs again on purpose may still not be performed twice by one process.
func TestAgainOnlyOnPurpose(t *testing.T) {
	w := always(0)
	w.Definition.Flow = func(c *flow.Context) (any, error) {
		e := c.Scheduler()
		if err := e.Await(e.Do(flow.Action{Key: "again", Payload: work{}, Fresh: true})); err != nil {
			return nil, err
		}
		_, err := c.DoAs("once", work{}) // commits the completion
		e.Begin("again", flow.Running)   // which the end of the run cancels
		return nil, err
	}
	if o := sim.Run(w, 1); len(o.Faults) != 1 || o.Faults[0] != "step again was completed and is made cancelled" {
		t.Errorf("%q", o.Faults)
	}
}
