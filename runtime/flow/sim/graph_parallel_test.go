package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// forked is a parallel of three branches and a join with an agent.
func forked(labels ...string) gspec {
	handle := map[string]func(*ggraph, graph.NodeResult){"": note("TEXT")}
	return gspec{start: "p", nodes: []gnode{
		{id: "p", kind: "parallel", labels: labels, branches: []string{"x", "y", "z"}, edges: []gedge{{label: "all", to: "j"}, {label: "failed", to: "j"}}},
		{id: "x", kind: "prompt", labels: []string{"done"}, handle: handle},
		{id: "y", kind: "bash", labels: []string{"pass", "fail"}, handle: handle},
		{id: "z", kind: "prompt", labels: []string{"P1", "clean"}, handle: handle},
		{id: "j", kind: "prompt", labels: []string{"done"}, reports: []string{"x", "y", "z"}, edges: []gedge{{to: ""}}},
	}}
}

func TestGraphParallel(t *testing.T) {
	for limit := range 4 {
		s := forked("all")
		s.limits.Parallel = limit
		w := newWorld(s, map[string]string{"x": "one", "y": "exit 1", "z@4": "hm", "z@4/again": "clean", "j": "so"})
		o, out := w.run(t)
		if w.trace() != "p:all x:done y:fail z:clean j:done" || fmt.Sprint(out.Memory.Notes) != "[one printed hm]" {
			t.Errorf("%+v, %s, %v", o.End, w.trace(), out.Memory.Notes)
		}
		if want := map[int]time.Duration{0: 3, 1: 5, 2: 4, 3: 3}[limit] * time.Second; o.Elapsed != want {
			t.Errorf("with a limit of %d it took %v, want %v", limit, o.Elapsed, want)
		}
		if want := "## Output of `x`\n\none\n\n## Output of `y`\n\nprinted\n\n## Output of `z`\n\nhm"; !strings.HasSuffix(w.asked["j@5"], want) {
			t.Errorf("%q", w.asked["j@5"])
		}
		first := w.saved[0]
		if len(first.Ended) != 4 || first.Ended[3].Iteration != 4 || first.Iteration != 4 || first.Next != "j" {
			t.Errorf("%+v", first)
		}
		for _, key := range []string{"p", "x", "y", "z", "j"} {
			if r := o.Step(key); r.Status != flow.Completed {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestGraphParallelWithABrokenBranch(t *testing.T) {
	gives := map[string]string{"x": "broken", "y": "ok", "z": "clean"}
	w := newWorld(forked("all"), gives)
	o, _ := w.run(t)
	if o.End.Status != flow.Failed || o.End.Error != "node `p`: branch `x` failed: no service" || o.End.Reason != "agent" {
		t.Errorf("%+v", o.End)
	}
	if o.Effects["y@3"] != 1 || o.Effects["z@4"] != 1 || o.Step("x").Status != flow.Failed || o.Step("z").Status != flow.Completed {
		t.Errorf("%+v", o.Steps)
	}
	// When it is resumed only the broken branch runs again.
	w.gives = map[string]string{"x": "one", "y": "no", "z": "P1"}
	if o = resume(w.World, 1, o); o.End.Status != flow.Completed || o.Effects["y@3"]+o.Effects["z@4"] != 0 || outputsOf(t, o).Labels["z"] != "clean" {
		t.Errorf("%+v %v", o.End, o.Effects)
	}

	// A parallel with an output for it goes on, and the failure stands.
	w = newWorld(forked("all", "failed"), gives)
	o, out := w.run(t)
	if o.End.Status != flow.Completed || w.trace() != "p:failed y:pass z:clean j:done" || out.Labels["x"] != "" || w.lastSaved().Iteration != 4 {
		t.Errorf("%+v, %s", o.End, w.trace())
	}
	if got := w.asked["j@5"]; strings.Contains(got, "`x`") || !strings.Contains(got, "`y`") {
		t.Errorf("%q", got)
	}
	if x := o.Step("x@2"); x.Status != flow.Completed || x.Failure == nil || o.Step("x").Status != flow.Failed {
		t.Errorf("%+v", x)
	}
}

func TestGraphParallelWithPeople(t *testing.T) {
	s := gspec{start: "p", nodes: []gnode{
		{id: "p", kind: "parallel", labels: []string{"all"}, branches: []string{"x", "y"}, edges: []gedge{{to: ""}}},
		{id: "x", kind: "human", labels: []string{"yes", "no"}, timeout: 3 * time.Hour},
		{id: "y", kind: "human", labels: []string{"yes", "no"}, timeout: time.Hour, otherwise: "no"},
	}}
	w := newWorld(s, nil)
	w.Answers = []sim.Answer{said("x@2#1", "yes", "")}
	for _, w.Attended = range []bool{true, false} {
		o, out := w.run(t)
		if o.End.Status != flow.Completed || fmt.Sprint(out.Labels) != "map[p:all x:yes y:no]" {
			t.Errorf("%+v %v", o.End, out.Labels)
		}
	}
	w.Answers, w.Attended = nil, true
	if o, _ := w.run(t); o.End.Status != flow.Paused || o.End.Reason != "timeout" || w.lastSaved().Next != "p" {
		t.Errorf("%+v %+v", o.End, w.lastSaved())
	}
}
