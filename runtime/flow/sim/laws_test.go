package sim_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// drawDAG draws a random workflow of up to most nodes.
func drawDAG(t *rapid.T, most int) dag {
	d := make(dag, rapid.IntRange(1, most).Draw(t, "nodes"))
	classes := []flow.Class{flow.ClassUnknown, flow.ClassTransient, flow.ClassFatal}
	for i := range d {
		n := &d[i]
		n.shape = shape(rapid.IntRange(0, int(ends)-1).Draw(t, "shape"))
		for k := max(0, i-6); k < i; k++ {
			switch rapid.IntRange(0, 7).Draw(t, "edge") {
			case 0, 1:
				n.after = append(n.after, k)
			case 2:
				n.order = append(n.order, k)
			}
		}
		n.rule = rapid.IntRange(0, len(rules)-1).Draw(t, "rule")
		n.within = max(0, rapid.IntRange(-2*i, i).Draw(t, "within"))
		n.when = rapid.IntRange(0, 5).Draw(t, "when") == 0
		n.fails = max(0, rapid.IntRange(-4, 2).Draw(t, "fails"))
		n.class = rapid.SampledFrom(classes).Draw(t, "class")
		n.retry = flow.Retry{
			Retries: rapid.IntRange(0, 2).Draw(t, "retries"), All: rapid.Bool().Draw(t, "all"),
			Delay: time.Duration(rapid.IntRange(0, 2).Draw(t, "delay")) * time.Second,
		}
		n.takes = time.Duration(rapid.IntRange(0, 3).Draw(t, "takes")) * time.Second
		n.again = rapid.IntRange(0, 3).Draw(t, "again") == 0
	}
	if i := rapid.IntRange(0, 4*len(d)).Draw(t, "end"); i < len(d) {
		// What a cancel node leaves undone depends on time, unless it comes
		// after some nodes and before all others.
		d[i].shape, d[i].when, d[i].order, d[i].rule = ends, false, nil, len(rules)-1
		d[i].within = 0
		for k := range i {
			d[i].order = append(d[i].order, k)
		}
		d[i].after = nil
		for k := i + 1; k < len(d); k++ {
			d[k].order = append(d[k].order, i)
		}
	}
	return d
}

// Whatever order the world chooses and wherever processes die, a run ends as
// the reference says, and nothing that was committed as completed is performed
// again.
func TestEveryOrderAndCrashGivesTheSameEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t, 14)
		w := sim.World{Definition: d.definition(), Perform: perform, Answers: d.answers(), MaxParallel: rapid.IntRange(0, 3).Draw(t, "limit")}
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w, seed)
		if err := d.agrees(whole); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			first := rapid.IntRange(1, whole.Points).Draw(t, "crash")
			second := first + rapid.IntRange(1, whole.Points).Draw(t, "next crash")
			got := sim.Run(w, seed+1, first, second)
			if err := d.agrees(got); err != nil {
				t.Fatalf("crash at %d and %d: %v", first, second, err)
			}
			if string(got.End.Outputs) != string(whole.End.Outputs) {
				t.Fatalf("crash at %d and %d: outputs %s instead of %s", first, second, got.End.Outputs, whole.End.Outputs)
			}
		}
	})
}

// A run that a person cancels at any moment ends as cancelled or, when nothing
// was left to cancel, as completed or failed; nothing goes on after it.
func TestCancelAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t, 12)
		for i := range d {
			if d[i].shape == ends {
				d[i].shape = decides
			}
		}
		w := sim.World{
			Definition: d.definition(), Perform: perform, Answers: d.answers(), MaxParallel: rapid.IntRange(0, 3).Draw(t, "limit"),
			Cancels: []sim.Cancel{{At: time.Duration(rapid.IntRange(0, 20).Draw(t, "at")) * time.Second / 2, Reason: "stop it"}},
		}
		got := sim.Run(w, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 100).Draw(t, "crash"))
		if len(got.Faults) > 0 {
			t.Fatal(got.Faults)
		}
		if got.End.Status == flow.Cancelled {
			if got.End.Reason != "stop it" {
				t.Fatalf("reason %q", got.End.Reason)
			}
			return
		}
		if err := d.agrees(got); err != nil {
			t.Fatalf("it was not cancelled, and: %v", err)
		}
	})
}

// thirty is a workflow of the crash test: the given shapes of nodes, in layers.
func thirty(shapes ...shape) dag {
	d := make(dag, 30)
	for i := range d {
		n := &d[i]
		n.shape = shapes[i%len(shapes)]
		n.takes = time.Duration(i%4) * time.Second
		n.rule = 3
		if i >= 5 {
			n.after = []int{i - 5, (i/5-1)*5 + (i+2)%5}
		}
		if i%6 == 1 {
			n.fails, n.class, n.retry = 1, flow.ClassTransient, flow.Retry{Retries: 1, Delay: time.Second}
		}
		if i%11 == 4 {
			n.fails = 1
		}
	}
	return d
}

// The crash test: workflows of 30 nodes, stopped at every journal write and at
// both sides of every action, under 100 interleavings.
func TestCrashEverywhere(t *testing.T) {
	crashEverywhere(t, thirty(acts, acts, naps, decides, repeats, acts, acts, asks, races, acts), 100)
}

// The same with loops, gates that are reworked, and nodes that always run, under
// fewer.
func TestCrashEverywhereInParts(t *testing.T) {
	d := thirty(acts, loops, gates, tests, decides, acts, talks, acts, loops, acts, gates, acts, tests)
	for i := range d {
		d[i].again = i%3 == 1
	}
	crashEverywhere(t, d, 8)
}

func crashEverywhere(t *testing.T, d dag, seeds uint64) {
	if testing.Short() {
		seeds = min(seeds, 4)
	}
	w := sim.World{Definition: d.definition(), Perform: perform, Answers: d.answers(), MaxParallel: 4}
	steps, end := d.expect()
	const shards = 4
	for shard := range uint64(shards) {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			runs, err := sim.Explore(w, seeds*shard/shards+1, seeds*(shard+1)/shards, func(whole, got *sim.Result) error {
				if string(whole.End.Outputs) != string(got.End.Outputs) {
					return errors.New("other outputs: " + string(got.End.Outputs))
				}
				return agree(got, steps, end)
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d runs of 30 nodes", runs)
		})
	}
}
