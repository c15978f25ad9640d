package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// repeated repeats a completed run from each of its points. The run must end as before, perform
// the steps again that repeat.Steps names and no others, and count the cost of both.
func repeated(w sim.World, whole *sim.Result, seed uint64, most int) error {
	points := repeat.Points(w.Definition, whole.Steps)
	for _, p := range points[max(0, len(points)-most):] {
		chosen, err := repeat.Steps(w.Definition, whole.Steps, p.Key)
		if err != nil {
			return err
		}
		before := *whole
		before.Steps = slices.Clone(whole.Steps)
		want := map[string]bool{}
		for _, r := range repeat.Reset(w.Definition, whole.Steps, chosen) {
			before.Steps[slices.IndexFunc(before.Steps, func(old flow.Record) bool { return old.Key == r.Key })] = r
			want[r.Key] = true
		}
		if !want[p.Key] && !slices.ContainsFunc(chosen, func(r flow.Record) bool { return strings.HasPrefix(r.Key, p.Key) }) {
			return fmt.Errorf("%s does not repeat itself: %v", p.Key, want)
		}
		w.Resumes = &before
		got := sim.Run(w, seed)
		if len(got.Faults) > 0 {
			return fmt.Errorf("from %s: %v", p.Key, got.Faults)
		}
		if err := sim.Same(whole, got); err != nil {
			return fmt.Errorf("from %s: %w", p.Key, err)
		}
		spent := sched.Used(whole.Steps).CostUSD
		for key, n := range got.Begun {
			r := whole.Step(key)
			if n > 0 && !want[key] && r.Status == flow.Completed {
				return fmt.Errorf("from %s: %s was performed, too", p.Key, key)
			}
			spent += r.Meta.CostUSD
		}
		if used := sched.Used(got.Steps).CostUSD; used != spent {
			return fmt.Errorf("from %s: it costs %v in all, not %v", p.Key, used, spent)
		}
		for key := range want {
			if r := whole.Step(key); r.Status == flow.Completed && r.Attempt > 0 && got.Begun[key] == 0 {
				return fmt.Errorf("from %s: %s was not performed again", p.Key, key)
			}
		}
	}
	return nil
}

// ordered is a sequence whose nodes depend on each other in order.
func (d sequence) ordered() *flow.Definition {
	def := d.definition()
	for i := range def.Nodes {
		if i > 0 {
			def.Nodes[i].After = []string{def.Nodes[i-1].Key}
		}
		inside := func(s *seqStep) (list []flow.NodeInfo) {
			for ; s != nil; s = s.body {
				for k := range s.n {
					if s.shape == seqFork {
						list = append(list, flow.NodeInfo{Key: fmt.Sprintf("c%d", k)})
					}
				}
			}
			return list
		}
		def.Nodes[i].Inside = inside(d[i])
	}
	return def
}

func TestSequencesRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawSequence(t)
		for _, s := range d {
			s.fails, s.n = -1, min(s.n, 3)
			if s.body != nil {
				s.body.fails = -1
			}
			if n := len(s.said); n > 0 && strings.HasPrefix(s.said[n-1], kernel.ChoiceReject) {
				s.said[n-1] = kernel.ChoiceAccept
			}
		}
		w := sim.World{Definition: d.ordered(), Perform: perform, Answers: d.answers(), MaxParallel: 2}
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w, seed)
		if whole.End.Status != flow.Completed {
			t.Fatalf("%+v", whole.End)
		}
		if err := repeated(w, whole, seed, 12); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDAGsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDAG(t, 10)
		for i := range d {
			d[i].fails, d[i].within, d[i].again = 0, 0, false
			if d[i].shape == breaks || d[i].shape == garbles || d[i].shape == ends {
				d[i].shape = acts
			}
		}
		w := sim.World{Definition: d.definition(), Perform: perform, Answers: d.answers()}
		for i := range w.Definition.Nodes {
			if d[i].shape == groups {
				w.Definition.Nodes[i].Inside = []flow.NodeInfo{{Key: "left"}, {Key: "right"}, {Key: "idle", After: []string{"left"}}, {Key: "both", After: []string{"left", "right"}}}
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		whole := sim.Run(w, seed)
		if whole.End.Status != flow.Completed {
			t.Skip("it does not complete")
		}
		if err := repeated(w, whole, seed, 12); err != nil {
			t.Fatal(err)
		}
	})
}

func TestGraphsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, salt := drawGraph(t)
		s.limits.Iterations = 0
		if _, _, end := interpret(s, salt); end != string(flow.Completed) {
			t.Skip("it does not complete")
		}
		w := newWorld(s, nil)
		perform := w.Perform
		w.Perform = func(a sim.Attempt) sim.Performance {
			node, _, _ := strings.Cut(a.Key, "@")
			p := sim.Performance{Result: flow.Result{Status: flow.Completed}}
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
		for i := range 60 {
			for k := range s.nodes {
				if n := &s.nodes[k]; n.kind == "human" {
					key := fmt.Sprintf("%s@%d", n.id, i+1)
					text, _ := given(salt, n, key)
					w.Answers = append(w.Answers, sim.Answer{Key: key + "#1", After: time.Second, Result: flow.Result{Status: flow.Completed, Text: text}})
				}
			}
		}
		w.Attended = true
		whole := sim.Run(w.World, 1)
		if whole.End.Status != flow.Completed {
			t.Skip("it does not complete")
		}
		if err := repeated(w.World, whole, 1, 8); err != nil {
			t.Fatal(err)
		}
	})
}
