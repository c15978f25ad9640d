package sim_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A random graph: nodes of all kinds with edges to anywhere. What agents, scripts
// and people give follows from the key alone, so a plain interpreter can say how a
// run must go.

// fate is a number that a key is bound to.
func fate(salt uint64, key string) int {
	h := fnv.New64a()
	fmt.Fprint(h, salt, key)
	return int(h.Sum64() >> 33)
}

func drawGraph(t *rapid.T) (s gspec, salt uint64) {
	salt = rapid.Uint64().Draw(t, "salt")
	n := rapid.IntRange(1, 7).Draw(t, "nodes")
	kinds := []string{"prompt", "prompt", "bash", "bash", "decision", "human", "checkpoint", "parallel"}
	id := func(i int) string { return string(rune('a' + i)) }
	var branches []gnode
	for i := range n {
		node := gnode{id: id(i), kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch node.kind {
		case "prompt", "human":
			node.labels = []string{"P0", "clean", "other"}[:rapid.IntRange(1, 3).Draw(t, "labels")]
		case "bash":
			node.labels = []string{"pass", "fail"}
		case "decision":
			node.labels = []string{"yes", "no"}
			k := int64(rapid.IntRange(0, 4).Draw(t, "enough"))
			node.decide = func(g *ggraph) bool { return g.State.Count >= k }
		case "checkpoint":
			node.labels = []string{"done"}
		case "parallel":
			node.labels = []string{"all", "failed"}[:rapid.IntRange(1, 2).Draw(t, "labels")]
			for b := range rapid.IntRange(1, 3).Draw(t, "branches") {
				branch := gnode{id: fmt.Sprintf("%s%d", node.id, b), kind: rapid.SampledFrom([]string{"prompt", "bash", "human"}).Draw(t, "branch")}
				branch.labels = []string{"P0", "clean"}
				if branch.kind == "bash" {
					branch.labels = []string{"pass", "fail"}
				}
				branch.handle = map[string]func(*ggraph, graph.NodeResult){"": note(branch.id + " TEXT")}
				node.branches = append(node.branches, branch.id)
				branches = append(branches, branch)
			}
		}
		for _, l := range append(node.labels[1:len(node.labels):len(node.labels)], "") {
			if rapid.IntRange(0, 9).Draw(t, "edge") > 0 {
				to := ""
				if k := rapid.IntRange(0, n).Draw(t, "to"); k < n {
					to = id(k)
				}
				node.edges = append(node.edges, gedge{label: l, to: to})
			}
		}
		node.handle = map[string]func(*ggraph, graph.NodeResult){"": count, node.labels[0]: note(node.id + " TEXT")}
		s.nodes = append(s.nodes, node)
	}
	s.nodes = append(s.nodes, branches...)
	s.start = "a"
	s.limits = flow.GraphLimits{Iterations: rapid.IntRange(1, 12).Draw(t, "limit"), Parallel: rapid.IntRange(0, 2).Draw(t, "parallel")}
	return s, salt
}

// given is what is given for a visit, and the label that it stands for; "" is none:
// the node fails.
func given(salt uint64, n *gnode, key string) (text, label string) {
	f := fate(salt, key)
	label = n.labels[f%len(n.labels)]
	switch n.kind {
	case "bash":
		if label == "fail" {
			return "exit 1", label
		}
		return key, label
	case "prompt":
		if f%13 == 0 {
			return "broken", ""
		}
		if f%3 == 0 && len(n.labels) > 1 {
			return "hm " + key, label // asked again
		}
		return key + " [OUTPUT:" + label + "]", label
	}
	return label, label
}

// interpret says how a run goes: the order of the nodes with their labels, the
// notes, and the end.
func interpret(s gspec, salt uint64) (trace []string, m memory, end string) {
	m.Notes = []string{}
	at, entered, iteration := s.start, 0, 0
	for {
		n := s.node(at)
		entered++
		var done []string
		var apply []func()
		label, broken := "", false
		visit := func(n *gnode, number int) (string, bool) {
			key := fmt.Sprintf("%s@%d", n.id, number)
			text, label := given(salt, n, key)
			if n.kind == "bash" && label == "fail" {
				text = "printed"
			}
			if label == "" {
				return "", false
			}
			apply = append(apply, func() {
				g := standing(m)
				for _, k := range []string{"", label} {
					if h := n.handle[k]; h != nil {
						h(g, graph.NodeResult{Label: label, Text: text})
					}
				}
				m = g.State
			})
			done = append(done, n.id+":"+label)
			return label, true
		}
		number := entered
		for _, b := range n.branches {
			entered++
			if _, ok := visit(s.node(b), entered); !ok {
				broken = true
			}
		}
		switch {
		case n.kind == "decision":
			label = "no"
			if n.decide(standing(m)) {
				label = "yes"
			}
		case broken && len(n.labels) == 1:
			return trace, m, "failed"
		case broken:
			label = "failed"
		case n.kind == "parallel" || n.kind == "checkpoint":
			label = n.labels[0]
		default:
			l, ok := visit(n, number)
			if !ok {
				return trace, m, "failed"
			}
			label = l
		}
		if kind := n.kind; kind == "decision" || kind == "parallel" || kind == "checkpoint" {
			apply = append(apply, func() {
				g := standing(m)
				count(g, graph.NodeResult{})
				if label == n.labels[0] {
					note(n.id+" TEXT")(g, graph.NodeResult{Text: label})
				}
				m = g.State
			})
			done = append([]string{n.id + ":" + label}, done...)
		}
		for _, f := range apply {
			f()
		}
		trace = append(trace, done...)
		iteration += len(done)
		edge := slices.IndexFunc(n.edges, func(e gedge) bool { return e.label == "" || e.label == label })
		switch {
		case edge < 0:
			return trace[:len(trace)-len(done)], m, "failed"
		case n.edges[edge].to == "":
			return trace, m, "completed"
		case iteration >= s.limits.Iterations:
			return trace, m, "limit_reached"
		}
		at = n.edges[edge].to
	}
}

// Whatever order the world chooses and wherever processes die, up to five times,
// a run goes as the interpreter says: the same nodes, labels, state, calls.
func TestGraphsGoTheSameWayAlways(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, salt := drawGraph(t)
		trace, m, end := interpret(s, salt)
		w := newWorld(s, nil)
		perform := w.Perform
		w.Perform = func(a sim.Attempt) sim.Performance {
			node, _, _ := strings.Cut(a.Key, "@")
			p := sim.Performance{Result: flow.Result{Status: flow.Completed}, Takes: time.Duration(fate(salt, a.Key)%4) * time.Second}
			switch key, again := strings.CutSuffix(a.Key, "/again"); {
			case a.Payload.Kind() == "graph_state":
				return perform(a)
			case again:
				_, label := given(salt, s.node(node), key)
				p.Result.Text = "[OUTPUT:" + label + "]"
			default:
				text, _ := given(salt, s.node(node), a.Key)
				w.gives = map[string]string{a.Key: text}
				p.Result = perform(a).Result
			}
			return p
		}
		for i := range 40 {
			for k := range s.nodes {
				if n := &s.nodes[k]; n.kind == "human" {
					key := fmt.Sprintf("%s@%d", n.id, i+1)
					text, _ := given(salt, n, key)
					w.Answers = append(w.Answers, sim.Answer{Key: key + "#1", After: time.Duration(fate(salt, key)%90) * time.Second, Result: flow.Result{Status: flow.Completed, Text: text}})
				}
			}
		}
		w.Attended = rapid.Bool().Draw(t, "attended")
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w.World, seed)
		if len(whole.Faults) > 0 || string(whole.End.Status) != end {
			t.Fatalf("the run ended as %+v instead of %s: %v", whole.End, end, whole.Faults)
		}
		if got, want := w.trace(), strings.Join(trace, " "); got != want {
			t.Fatalf("the way was %s instead of %s", got, want)
		}
		if last := w.lastSaved(); end == "completed" {
			if got := string(last.Variables); got != string(mustJSON(m)) {
				t.Fatalf("the state is %s instead of %s", got, mustJSON(m))
			}
		}
		for range 6 {
			var crash []int
			for at := 0; len(crash) < rapid.IntRange(1, 5).Draw(t, "deaths"); {
				at += rapid.IntRange(1, max(2, whole.Points)).Draw(t, "crash")
				crash = append(crash, at)
			}
			saved := w.saved
			w.saved, w.keys = nil, nil
			got := sim.Run(w.World, seed+1, crash...)
			if len(got.Faults) > 0 {
				t.Fatalf("crashes at %v: %v", crash, got.Faults)
			}
			if err := sim.Same(whole, got); err != nil {
				t.Fatalf("crashes at %v: %v", crash, err)
			}
			if len(w.saved) != len(saved) || w.trace() != strings.Join(trace, " ") || string(w.lastSaved().Variables) != string(saved[len(saved)-1].Variables) {
				t.Fatalf("crashes at %v: %d states were saved instead of %d: %s", crash, len(w.saved), len(saved), w.trace())
			}
			for key := range whole.Effects {
				if n := got.Effects[key]; n < 1 || n > got.Processes {
					t.Fatalf("crashes at %v: %s was performed %d times by %d processes", crash, key, n, got.Processes)
				}
			}
		}
	})
}

// standing is a graph whose state is m, for handlers.
func standing(m memory) *ggraph {
	g := &ggraph{}
	g.State = m
	return g
}
