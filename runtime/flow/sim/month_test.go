package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// A gate stays open for thirty days while a process continues the run each day, for another
// gate. Neither the commits nor the steps that are written depend on the time that passes,
// and each day costs the same.
func TestMonthAtAGate(t *testing.T) {
	month := func(days int, day time.Duration) (outcome *sim.Result, commits, written int) {
		def := &flow.Definition{Name: "month", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}}}
		for i := range days {
			def.Nodes = append(def.Nodes, flow.NodeInfo{Key: fmt.Sprintf("day%d", i+1), Kind: "approval"})
		}
		def.Flow = func(c *flow.Context) (any, error) {
			for _, n := range def.Nodes {
				flow.Spawn(c, flow.Node[string]{Key: n.Key, Kind: n.Kind, Run: steps.Approval{Message: "Continue?", Timeout: time.Duration(days+1) * day}.Run})
			}
			return nil, flow.Settle(c)
		}
		w := sim.World{Definition: def, Committed: func(_ string, _ time.Time, b flow.Batch) {
			commits++
			written += len(b.Steps)
		}}
		approve := flow.Result{Status: flow.Completed, Meta: flow.Meta{Choice: "approve"}}
		for i := range days {
			w.Answers = append(w.Answers, sim.Answer{Key: fmt.Sprintf("day%d#1", i+1), After: time.Duration(i+1)*day - day/2, Result: approve})
		}
		w.Answers = append(w.Answers, sim.Answer{Key: "gate#1", After: time.Duration(days) * day, Result: approve})
		outcome = sim.Run(w, 1)
		return outcome, commits, written
	}
	const days = 30
	o, commits, written := month(days, 24*time.Hour)
	if o.End.Status != flow.Completed || o.Elapsed != days*24*time.Hour || len(o.Faults) > 0 {
		t.Fatalf("it ended as %+v after %v, with %q", o.End, o.Elapsed, o.Faults)
	}
	if o.Processes < days {
		t.Errorf("%d processes worked on the run, want one a day", o.Processes)
	}
	if _, quick, quickWritten := month(days, time.Minute); commits != quick || written != quickWritten {
		t.Errorf("%d commits of %d steps in 30 days, %d of %d in 30 minutes", commits, written, quick, quickWritten)
	}
	_, fewer, fewerWritten := month(days/3, 24*time.Hour)
	if commits > 3*fewer+3 || written > 3*fewerWritten+3 {
		t.Errorf("%d commits of %d steps in %d days, %d of %d in %d", commits, written, days, fewer, fewerWritten, days/3)
	}
	t.Logf("%d processes, %d commits of %d steps", o.Processes, commits, written)
}
