package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// Explore finds a workflow whose end depends on what a crash forgets.
func TestExploreFindsADifference(t *testing.T) {
	calls := 0
	w := sim.World{Perform: perform, Definition: &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		calls++ // state outside the run: what flow code must not have
		_, err := c.DoAs("a", work{})
		return calls, err
	}}}
	runs, err := sim.Explore(w, 1, 3, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "seed 1, crash at 1 of ") || !strings.Contains(err.Error(), "the run ended as") || runs != 2 {
		t.Fatal(runs, err)
	}
}

func TestEveryPointIsTried(t *testing.T) {
	w := sim.World{Perform: perform, Definition: &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		_, err := c.DoAs("a", work{Takes: time.Second})
		return nil, err
	}}}
	// Two commits with two sides each, the start and the effect of one action.
	if runs, err := sim.Explore(w, 1, 1, nil); err != nil || runs != 1+6 {
		t.Fatal(runs, err)
	}
	for point, want := range []struct {
		effects int
		elapsed time.Duration
	}{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 1}, {2, 2}, {1, 1}} {
		o := sim.Run(w, 1, point)
		if o.Effects["a"] != want.effects || o.Elapsed != want.elapsed*time.Second {
			t.Errorf("crash at %d: the effect took place %d times, in %v", point, o.Effects["a"], o.Elapsed)
		}
	}
}

// A run that nobody answers stays paused; one that is answered goes on in a
// later process.
func TestPausedRun(t *testing.T) {
	w := sim.World{Definition: &flow.Definition{Name: "t", Flow: func(c *flow.Context) (any, error) {
		r, err := c.Ask("gate", flow.Question{})
		return r.Text, err
	}}}
	if o := sim.Run(w, 1); o.End.Status != flow.Paused || o.Processes != 1 || len(o.Faults) > 0 {
		t.Errorf("%+v", o)
	}
	w.Answers = []sim.Answer{{Key: "gate", After: time.Hour, Result: flow.Result{Status: flow.Completed, Text: "go"}}}
	if o := sim.Run(w, 1); string(o.End.Outputs) != `"go"` || o.Processes != 2 || o.Elapsed != time.Hour || len(o.Faults) > 0 {
		t.Errorf("%+v", o)
	}
	w.Attended = true
	if o := sim.Run(w, 1); string(o.End.Outputs) != `"go"` || o.Processes != 1 || len(o.Faults) > 0 {
		t.Errorf("%+v", o)
	}
}

// resume runs a world again after a run that did not complete.
func resume(w sim.World, seed uint64, before *sim.Result, crash ...int) *sim.Result {
	w.Resumes = before
	return sim.Run(w, seed, crash...)
}
