package sim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// endless is two nodes that follow each other for ever, until the first has run n
// times.
func endless(n int64, limits flow.GraphLimits) gspec {
	return gspec{start: "a", limits: limits, nodes: []gnode{
		{id: "a", kind: "prompt", labels: []string{"done"}, handle: map[string]func(*ggraph, graph.NodeResult){"": count},
			edges: []gedge{{guard: func(g *ggraph) bool { return g.State.Count >= n }, to: ""}, {to: "b"}}},
		{id: "b", kind: "bash", labels: []string{"done"}, edges: []gedge{{to: "a"}}},
	}}
}

func TestGraphLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits flow.GraphLimits
		reason string
		nodes  int
		text   string
	}{
		{"iterations", flow.GraphLimits{Iterations: 4}, "max_iterations", 4, "the limit `max_iterations` of 4 nodes is reached: 4 nodes used; the run continues at node `a` when you resume it with a higher limit"},
		{"time", flow.GraphLimits{Time: 2500 * time.Millisecond}, "max_time_minutes", 3, "of 3s is reached: 3s used; the run continues at node `b`"},
		{"cost", flow.GraphLimits{CostUSD: 1}, "max_cost_dollars", 3, "of $1.00 is reached: $1.00 used"},
		{"the first of them", flow.GraphLimits{Iterations: 2, Time: time.Second, CostUSD: 9}, "max_time_minutes", 1, "1s used"},
		{"one that the end comes before", flow.GraphLimits{Iterations: 5, Time: 5 * time.Second, CostUSD: 1.5}, "", 5, ""},
		{"none", flow.GraphLimits{}, "", 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(endless(3, c.limits), nil)
			w.cost = 0.5
			same := sim.Same
			if c.limits.Time > 0 {
				// A process that dies costs time.
				same = func(_, _ *sim.Result) error { return nil }
			}
			if _, err := sim.Explore(w.World, 1, 3, same); err != nil {
				t.Fatal(err)
			}
			w.saved, w.keys = nil, nil
			o := sim.Run(w.World, 1)
			last := w.lastSaved()
			if last.Iteration != c.nodes || len(last.Executed) != c.nodes {
				t.Errorf("%+v", last)
			}
			if c.reason == "" {
				if o.End.Status != flow.Completed {
					t.Errorf("%+v", o.End)
				}
				return
			}
			if o.End.Status != flow.LimitReached || o.End.Reason != c.reason || !strings.Contains(o.End.Error, c.text) {
				t.Errorf("%+v", o.End)
			}
			if last.Status != kernel.StateLimit || last.Reason != c.reason || last.Next == "" {
				t.Errorf("%+v", last)
			}

			// Resumed with the same limits it ends at once and does nothing.
			second := resume(w.World, 1, o)
			if len(second.Faults) > 0 || second.End.Status != flow.LimitReached || len(second.Effects) > 0 {
				t.Errorf("%+v, %v", second.End, second.Effects)
			}
			// With none it goes on where it was, in whatever way that is disturbed.
			w.Graph = &flow.GraphOptions{Limits: &flow.GraphLimits{}}
			saved := len(w.saved)
			for point := range 30 {
				third := resume(w.World, 1, second, point)
				if out := outputsOf(t, third); third.End.Status != flow.Completed || out.Memory.Count != 3 || len(out.Executed) != 5 || third.Effects["a@1"] > 0 {
					t.Errorf("crash at %d: %+v %v", point, third.End, third.Effects)
				}
			}
			if s := w.saved[saved]; s.Status != kernel.StateRunning || s.Next != last.Next || s.Iteration != last.Iteration {
				t.Errorf("it goes on with %+v", s)
			}
		})
	}
}

// A lower limit does not undo what was done under a higher one, and may be
// reached again behind that.
func TestGraphLimitsThatChange(t *testing.T) {
	w := newWorld(endless(9, flow.GraphLimits{Iterations: 2}), nil)
	o := sim.Run(w.World, 1)
	for _, step := range []struct {
		limit, nodes int
		status       flow.Status
	}{{6, 6, flow.LimitReached}, {4, 6, flow.LimitReached}, {7, 7, flow.LimitReached}, {3, 7, flow.LimitReached}, {0, 17, flow.Completed}} {
		w.Graph = &flow.GraphOptions{Limits: &flow.GraphLimits{Iterations: step.limit}}
		o = resume(w.World, 1, o)
		if len(o.Faults) > 0 || o.End.Status != step.status || w.lastSaved().Iteration != step.nodes {
			t.Fatalf("with %d: %+v, %d nodes, %v", step.limit, o.End, w.lastSaved().Iteration, o.Faults)
		}
	}
	for _, s := range w.saved {
		if s.Status == kernel.StateRunning && len(s.Ended) == 0 && s.Next == "" {
			t.Errorf("%+v", s)
		}
	}
}

// A parallel may go beyond the number of nodes.
func TestGraphLimitBeyond(t *testing.T) {
	s := forked("all")
	s.limits.Iterations = 2
	w := newWorld(s, map[string]string{"y": "ok", "z": "clean"})
	o, _ := w.run(t)
	if o.End.Status != flow.LimitReached || w.lastSaved().Iteration != 4 || w.lastSaved().Next != "j" || !strings.Contains(o.End.Error, "4 nodes used") {
		t.Errorf("%+v", o.End)
	}
}

// A run goes on from the state that another one saved.
func TestGraphGoesOnFromAState(t *testing.T) {
	first := newWorld(reviewed(), map[string]string{"test@2": "exit 1", "test": "fine", "review@5": "P1: mend it", "review@8": "LGTM"})
	first.cost = 0.5
	_, whole := first.run(t)
	for _, s := range first.saved {
		if s.Next == "" || len(s.Ended) == 0 {
			continue
		}
		from, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(reviewed(), first.gives)
		w.cost = 0.5
		w.Graph = &flow.GraphOptions{From: from, Folder: "t"}
		o, out := w.run(t)
		last := w.lastSaved()
		if o.End.Status != flow.Completed || strings.Join(out.Executed, " ") != strings.Join(whole.Executed, " ") || out.Memory.Count != whole.Memory.Count {
			t.Errorf("from %s: %+v %+v", s.Node, o.End, out)
		}
		if last.Iteration != 8 || last.Usage.CostUSD != 2.5 || !last.Started.Equal(s.Started) || last.Usage.Elapsed != 8*time.Second || last.Folder != "t" {
			t.Errorf("from %s: %+v", s.Node, last)
		}
	}
	for text, want := range map[string]string{
		`{"next":"nowhere"}`:                           "unknown node `nowhere`",
		`{"next":"test","variables":{"count":"many"}}`: "its variables: `count` must be an integer, not a string",
		`[]`: "it must be an object, not an array",
	} {
		w := newWorld(reviewed(), nil)
		w.Graph = &flow.GraphOptions{From: json.RawMessage(text)}
		if o, _ := w.run(t); o.End.Status != flow.Failed || !strings.Contains(o.End.Error, want) || o.End.Reason != "state" {
			t.Errorf("%s: %+v", text, o.End)
		}
	}
}
