package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// reviewed is a loop: implement, test, review, and back until it is clean.
func reviewed() gspec {
	return gspec{start: "implement", nodes: []gnode{
		{id: "implement", kind: "prompt", labels: []string{"done", "blocked"}, edges: []gedge{{label: "done", to: "test"}},
			handle: map[string]func(*ggraph, graph.NodeResult){"": count}},
		{id: "test", kind: "bash", labels: []string{"pass", "fail"}, edges: []gedge{{label: "fail", to: "implement"}, {label: "pass", to: "review"}},
			handle: map[string]func(*ggraph, graph.NodeResult){"fail": note("fail TEXT")}},
		{id: "review", kind: "prompt", labels: []string{"P1", "clean"}, edges: []gedge{{label: "P1", to: "implement"}, {label: "clean", to: ""}},
			handle: map[string]func(*ggraph, graph.NodeResult){"P1": note("review TEXT")}},
	}}
}

func TestGraphWalksItsEdges(t *testing.T) {
	w := newWorld(reviewed(), map[string]string{"test@2": "exit 1", "test": "fine", "review@5": "P1: mend it", "review@8": "LGTM"})
	w.cost = 0.5
	o, out := w.run(t)
	if o.End.Status != flow.Completed || !out.Success || out.Text != "LGTM" || o.End.Summary != "LGTM" {
		t.Errorf("%+v %+v", o.End, out)
	}
	if got, want := w.trace(), "implement:done test:fail implement:done test:pass review:P1 implement:done test:pass review:clean"; got != want {
		t.Errorf("%s", got)
	}
	if fmt.Sprint(out.Memory) != "{[fail printed review P1: mend it] 3}" || out.Labels["test"] != "pass" {
		t.Errorf("%+v", out)
	}
	for key, n := range o.Effects {
		if n != 1 {
			t.Errorf("%s was performed %d times", key, n)
		}
	}
	if got := w.asked["implement@6"]; got != "implement [fail printed review P1: mend it] 5" {
		t.Errorf("%q", got)
	}
	if r := o.Step("implement"); r.Status != flow.Completed || r.Meta.CostUSD != 1.5 || r.Meta.Choice != "done" {
		t.Errorf("%+v", r)
	}
	if r := o.Step("test@2"); r.Status != flow.Completed || r.Meta.Choice != "fail" || r.Text != "printed" {
		t.Errorf("%+v", r)
	}
	if r := o.Step("review@8"); r.Meta.Choice != "clean" || r.Meta.CostUSD != 0.5 {
		t.Errorf("%+v", r)
	}
	last := w.lastSaved()
	if last.Status != kernel.StateCompleted || last.Iteration != 8 || last.Usage.CostUSD != 2.5 || last.Success == nil || !*last.Success ||
		string(last.Labels) != `{"implement":"done","review":"clean","test":"pass"}` || string(last.Variables) != `{"notes":["fail printed","review P1: mend it"],"count":3}` {
		t.Errorf("%+v", last)
	}
	if first := w.saved[0]; first.Node != "implement" || first.Next != "test" || first.Status != kernel.StateRunning || len(first.Executed) != 1 || first.Iteration != 1 {
		t.Errorf("%+v", first)
	}
}

func TestGraphFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		spec   gspec
		gives  map[string]string
		reason string
		text   string
	}{
		{"no edge", reviewed(), map[string]string{"implement": "blocked"}, kernel.ReasonNoEdge, "no edge from node `implement` holds after `blocked`, and no completion condition does"},
		{"an agent that is broken", reviewed(), map[string]string{"implement": "broken"}, "agent", "node `implement`: no service"},
		{"no output", reviewed(), map[string]string{"implement": "hm", "implement@1/again": "hm hm"}, kernel.ReasonUndetermined, "node `implement`: the text names none of its outputs, which are `done`, `blocked`, even after the agent was asked again"},
		{"an output that is not declared", reviewed(), map[string]string{"implement": "[OUTPUT:x]", "implement@1/again": "[OUTPUT:y]"}, kernel.ReasonUndetermined, "node `implement`: `y` is not one of its outputs, which are `done`, `blocked`, even after the agent was asked again"},
		{"a script without an output for it", chained(gnode{id: "a", kind: "bash"}), map[string]string{"a": "exit 1"}, "exit", "node `a`: exit 1; no output of the node means a failure: add `fail` to its `outputs`, and an edge from it, to handle one"},
		{"a time limit", chained(gnode{id: "a", timeout: time.Minute}), map[string]string{"a": "slow"}, "timeout", "node `a`: too slow"},
		{"a bug", chained(gnode{id: "a", handle: map[string]func(*ggraph, graph.NodeResult){"": func(*ggraph, graph.NodeResult) { panic("oops") }}}), nil, "panic", "node `a`: panic: oops at graph_test.go:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.spec, c.gives)
			o, _ := w.run(t)
			if o.End.Status != flow.Failed || o.End.Reason != c.reason || !strings.HasPrefix(o.End.Error, c.text) {
				t.Errorf("%+v", o.End)
			}
			if last := w.lastSaved(); last.Status != kernel.StateFailed || last.Reason != c.reason {
				t.Errorf("%+v", last)
			}
			if r := o.Step(c.spec.start); r.Status != flow.Failed {
				t.Errorf("the node is %+v", r)
			}
			// It fails again, and says so again.
			again := resume(w.World, 1, o)
			if last := w.lastSaved(); again.End.Status != flow.Failed || last.Status != kernel.StateFailed || w.keys[len(w.keys)-2] != c.spec.start+"@1/failed#1/resumed" {
				t.Errorf("%+v %q", again.End, w.keys)
			}
			o = again
			// What made it fail is mended: the run goes on at the same node.
			if c.name == "a bug" {
				return
			}
			w.gives = map[string]string{"implement": "done", "implement@1/again": "done", "test": "fine", "review": "LGTM"}
			first := len(w.saved)
			o = resume(w.World, 1, o)
			if out := outputsOf(t, o); o.End.Status != flow.Completed || !out.Success {
				t.Errorf("resumed: %+v", o.End)
			}
			if w.saved[first].Status != kernel.StateRunning || w.saved[first].Next != c.spec.start {
				t.Errorf("resumed: %+v", w.saved[first])
			}
		})
	}
}

func TestGraphAsksAgentsAgain(t *testing.T) {
	w := newWorld(reviewed(), map[string]string{"implement@1": "I wrote it.", "implement@1/again": "[OUTPUT:done]", "test": "ok", "review": "clean"})
	w.cost = 1
	o, out := w.run(t)
	if o.End.Status != flow.Completed || w.trace() != "implement:done test:pass review:clean" || out.Memory.Count != 1 {
		t.Errorf("%+v, %s", o.End, w.trace())
	}
	if got := w.asked["implement@1/again"]; !strings.Contains(got, "I wrote it.") || !strings.Contains(got, "[OUTPUT:done]\n[OUTPUT:blocked]") {
		t.Errorf("%q", got)
	}
	if w.saved[0].Ended[0].Text != "I wrote it." || o.Step("implement").Meta.CostUSD != 2 || w.lastSaved().Usage.CostUSD != 3 {
		t.Errorf("%+v", w.saved[0])
	}
}

func TestGraphRetriesAndTimeouts(t *testing.T) {
	retry := flow.Retry{Retries: 3, Delay: time.Second, All: true}
	for _, c := range []struct {
		name, gives string
		node        gnode
		want        string
		elapsed     time.Duration
	}{
		{"a script that works in the end", "exit 1|exit 1|fine", gnode{kind: "bash", labels: []string{"success", "failure"}, retry: retry}, "a:success", 6 * time.Second},
		{"a script that does not", "exit 1", gnode{kind: "bash", labels: []string{"success", "failure"}, retry: retry}, "a:failure", 11 * time.Second},
		{"an agent that works in the end", "broken|done", gnode{retry: retry}, "a:done", 3 * time.Second},
		{"a time limit with an output", "slow", gnode{labels: []string{"done", "timeout"}, timeout: time.Minute}, "a:timeout", time.Minute},
		{"a time limit with an output, after retries", "slow", gnode{labels: []string{"done", "timeout"}, timeout: time.Minute, retry: retry}, "a:timeout", 4*time.Minute + 7*time.Second},
		{"a script with such an output", "slow", gnode{kind: "bash", labels: []string{"done", "timeout"}, timeout: time.Minute}, "a:timeout", time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.node.id = "a"
			w := newWorld(chained(c.node), map[string]string{"a": c.gives})
			o, _ := w.run(t)
			if o.End.Status != flow.Completed || w.trace() != c.want || o.Elapsed != c.elapsed {
				t.Errorf("%+v, %s, %v", o.End, w.trace(), o.Elapsed)
			}
			if n := w.lastSaved().Iteration; n != 1 {
				t.Errorf("%d iterations", n)
			}
		})
	}
}

func TestGraphGoals(t *testing.T) {
	clean := func(g *ggraph) bool { return g.Labels["b"] == "clean" }
	for text, success := range map[string]bool{"clean": true, "P1": false} {
		s := chained(gnode{id: "a"}, gnode{id: "b", labels: []string{"P1", "clean"}})
		s.goals = []func(*ggraph) bool{func(*ggraph) bool { return false }, clean}
		w := newWorld(s, map[string]string{"b": text})
		o, out := w.run(t)
		if o.End.Status != flow.Completed || out.Success != success || *w.lastSaved().Success != success || (o.End.Reason == kernel.ReasonGoals) == success {
			t.Errorf("%s: %+v", text, o.End)
		}
		// Without an edge a goal that holds ends the run; otherwise it fails.
		s.nodes[1].edges = []gedge{}
		w = newWorld(s, map[string]string{"b": text})
		o, out = w.run(t)
		if (o.End.Status == flow.Completed) != success || out.Success != success {
			t.Errorf("%s without an edge: %+v", text, o.End)
		}
	}
}

func TestGraphDecisionsAndCheckpoints(t *testing.T) {
	s := chained(
		gnode{id: "work", handle: map[string]func(*ggraph, graph.NodeResult){"done": count}},
		gnode{id: "save", kind: "checkpoint"},
		gnode{id: "enough", kind: "decision", labels: []string{"yes", "no"}, decide: func(g *ggraph) bool { return g.State.Count >= 3 },
			edges: []gedge{{label: "yes", to: ""}, {label: "no", to: "work"}}},
	)
	w := newWorld(s, nil)
	o, out := w.run(t)
	want := strings.Repeat("work:done save:done enough:no ", 2) + "work:done save:done enough:yes"
	if o.End.Status != flow.Completed || w.trace() != want || out.Memory.Count != 3 {
		t.Errorf("%+v, %s", o.End, w.trace())
	}
	for _, saved := range w.saved {
		if isSave := len(saved.Ended) > 0 && saved.Ended[0].Node == "save"; saved.Checkpoint != isSave {
			t.Errorf("%+v", saved)
		}
	}
	if r := o.Step("enough"); r.Status != flow.Completed || r.Text != "yes" {
		t.Errorf("%+v", r)
	}
}

// A script gives no promise, also not to the process after one that died.
func TestGraphPromiseOfAScript(t *testing.T) {
	w := newWorld(reviewed(), map[string]string{"test": "<promise>ALL DONE</promise>", "review": "clean"})
	w.Graph = &flow.GraphOptions{Promise: "ALL DONE"}
	if o, out := w.run(t); o.End.Status != flow.Completed || out.Node != "review" {
		t.Errorf("%+v %+v", o.End, out)
	}
}

func TestGraphPromise(t *testing.T) {
	for text, ended := range map[string]bool{
		"<promise>ALL  DONE</promise>": true, "ALL DONE": false, "<promise>all done</promise>": false,
		"<promise>x</promise><promise>ALL DONE</promise>": false, "P1 <promise>\nALL DONE </promise>": true,
	} {
		w := newWorld(reviewed(), map[string]string{"review@3": text, "review@3/again": "P1", "review": "clean"})
		w.Graph = &flow.GraphOptions{Promise: "ALL DONE", Limits: &flow.GraphLimits{Iterations: 3}}
		o, out := w.run(t)
		if (o.End.Status == flow.Completed) != ended || out.Success != ended || (w.lastSaved().Reason == kernel.ReasonPromise) != ended {
			t.Errorf("%q: %+v %+v", text, o.End, w.lastSaved())
		}
	}
}
