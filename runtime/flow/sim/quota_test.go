package sim_test

import (
	"hash/fnv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// refusals is how often an agent refuses the attempts at an action: 0 to 2 times.
func refusals(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % 3)
}

// refusing performs work whose agent's quota is used up at first, with a reset that the agent
// names or doesn't.
func refusing(a sim.Attempt) sim.Performance {
	if a.Number > refusals(a.Key) {
		a.Number -= refusals(a.Key)
		return perform(a)
	}
	quota := &flow.Quota{Agent: "claude"}
	if a.Number == 1 {
		quota.Reset = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return sim.Performance{Takes: time.Second, Result: flow.Result{Status: flow.Failed, Meta: flow.Meta{CostUSD: 1}, Failure: &flow.Failure{
		Message: "limit reached", Class: flow.ClassFatal, Reason: "quota", Quota: quota,
	}}}
}

// Quotas that are used up delay a run and change nothing else, wherever processes die.
func TestQuotasOnlyDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t, 8)
		for i := range d {
			// Nodes that run again in each process would use up their quota in each.
			if d[i].again = false; !d[i].retry.Allows(d[i].fails, &flow.Failure{Class: d[i].class}) {
				d[i].fails = 0
			}
			if d[i].shape == garbles || d[i].shape == breaks {
				d[i].shape = decides
			}
			if d[i].shape == races || d[i].shape == ends { // they depend on time
				d[i].shape = acts
			}
		}
		w := sim.World{Definition: d.definition(), Perform: refusing, Answers: d.answers(), MaxParallel: rapid.IntRange(0, 3).Draw(t, "limit")}
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w, seed)
		if err := d.agrees(whole); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			crash := rapid.IntRange(1, whole.Points).Draw(t, "crash")
			got := sim.Run(w, seed+1, crash, crash+rapid.IntRange(1, whole.Points).Draw(t, "next crash"))
			if err := d.agrees(got); err != nil {
				t.Fatalf("crash at %d: %v", crash, err)
			}
		}
	})
}
