package sim_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/outcome"
)

// memory is the state of the tests' graphs: what handlers wrote, and a counter.
type memory struct {
	Notes []string `json:"notes"`
	Count int64    `json:"count"`
}

// labels are the last labels by node.
type labels map[string]string

// graphOutputs are the outputs of the tests' graphs.
type graphOutputs struct {
	Success  bool
	Node     string
	Label    string
	Text     string
	Executed []string
	Labels   labels
	Memory   memory
}

func (o graphOutputs) Summary() string { return o.Text }

// gnode is a node of a test's graph.
type gnode struct {
	id      string
	kind    string // prompt, bash, decision, parallel, join, human, checkpoint
	labels  []string
	edges   []gedge
	timeout time.Duration
	retry   flow.Retry
	// branches are those of a parallel, reports what a join's agent is shown.
	branches, reports []string
	// otherwise is a human's default.
	otherwise     string
	before, after []flow.Interrupt[string]
	// decide is a decision's condition.
	decide func(g *ggraph) bool
	// handle are handlers by label; the key "" is for all.
	handle map[string]func(g *ggraph, e flow.Ending)
}

// gedge is an edge: with a label it is for that, with a guard for when it holds.
type gedge struct {
	label string
	guard func(g *ggraph) bool
	to    string
}

// gspec is a graph.
type gspec struct {
	nodes  []gnode
	start  string
	limits flow.Limits
	goals  []func(g *ggraph) bool
}

// ggraph is a run's way through one.
type ggraph struct {
	walk   *flow.Walk[string]
	spec   *gspec
	memory memory
	labels labels
}

func (s *gspec) node(id string) *gnode {
	for i := range s.nodes {
		if s.nodes[i].id == id {
			return &s.nodes[i]
		}
	}
	panic("no node " + id)
}

func (s *gspec) definition() *flow.Definition {
	d := &flow.Definition{Name: "g", Graph: &flow.GraphInfo{}}
	for _, n := range s.nodes {
		d.Nodes = append(d.Nodes, flow.NodeInfo{Key: n.id, Kind: n.kind})
	}
	d.Flow = func(c *flow.Context) (any, error) {
		g := &ggraph{spec: s, labels: labels{}, memory: memory{Notes: []string{}}}
		spec := flow.Graph[string]{Version: "1.0", Limits: s.limits, State: &g.memory, Labels: &g.labels}
		for _, n := range s.nodes {
			spec.Nodes = append(spec.Nodes, n.id)
		}
		for _, goal := range s.goals {
			spec.Goals = append(spec.Goals, func() bool { return goal(g) })
		}
		g.walk = flow.NewWalk(c, spec)
		at := g.walk.Start(func() (string, bool) { return s.start, true })
		for at != "" {
			at = g.walk.Visit(g.visit(s.node(at)))
		}
		last := g.walk.Last()
		return graphOutputs{
			Success: g.walk.Success(), Node: g.walk.Current(), Label: last.Label, Text: last.Text,
			Executed: g.walk.Executed(), Labels: g.labels, Memory: g.memory,
		}, g.walk.Verdict()
	}
	return d
}

func (g *ggraph) visit(n *gnode) flow.Visit[string] {
	v := flow.Visit[string]{Step: g.step(n), Before: n.before, After: n.after, Checkpoint: n.kind == "checkpoint"}
	for _, b := range n.branches {
		v.Branches = append(v.Branches, g.step(g.spec.node(b)))
	}
	if slices.Contains(n.labels, "failed") {
		v.OnFailure = "failed"
	}
	v.Next = func() (string, bool) {
		for _, e := range n.edges {
			if (e.label == "" || e.label == g.labels[n.id]) && (e.guard == nil || e.guard(g)) {
				return e.to, true
			}
		}
		return "", false
	}
	return v
}

func (g *ggraph) step(n *gnode) flow.Step[string] {
	l := flow.Labels{Names: n.labels, Reply: outcome.Reply, Script: outcome.Script}
	if slices.Contains(n.labels, "timeout") {
		l.Timeout = "timeout"
	}
	return flow.Step[string]{
		Node: n.id, Kind: n.kind, Timeout: n.timeout, Retry: n.retry,
		Run: func(c *flow.Context) (flow.Ending, error) {
			switch n.kind {
			case "prompt":
				return flow.AskAgent(c, flow.Prompt{Text: fmt.Sprintf("%s %v %d%s", n.id, g.memory.Notes, g.walk.Iteration(), g.walk.Reports(n.reports...))}, l)
			case "bash":
				return flow.RunScript(c, flow.Bash{Script: n.id}, l)
			case "decision":
				return flow.Decide(n.decide(g), n.labels[0], n.labels[1])
			case "human":
				return flow.AskPerson(c, "which, "+n.id+"?", n.timeout, n.otherwise, l)
			}
			return flow.Pass(n.labels[0])
		},
		Done: func(e flow.Ending) {
			g.labels[n.id] = e.Label
			for _, key := range []string{"", e.Label} {
				if h := n.handle[key]; h != nil {
					h(g, e)
				}
			}
		},
	}
}

// note is a handler that notes a text.
func note(text string) func(*ggraph, flow.Ending) {
	return func(g *ggraph, e flow.Ending) {
		g.memory.Notes = append(g.memory.Notes, strings.ReplaceAll(text, "TEXT", e.Text))
	}
}

// count is a handler that counts.
func count(g *ggraph, _ flow.Ending) { g.memory.Count++ }

// a chain of nodes that are each followed by the next.
func chained(nodes ...gnode) gspec {
	for i := range nodes {
		to := ""
		if i+1 < len(nodes) {
			to = nodes[i+1].id
		}
		if nodes[i].edges == nil {
			nodes[i].edges = []gedge{{to: to}}
		}
		if nodes[i].labels == nil {
			nodes[i].labels = []string{"done"}
		}
		if nodes[i].kind == "" {
			nodes[i].kind = "prompt"
		}
	}
	return gspec{nodes: nodes, start: nodes[0].id}
}

// gworld is the world of a graph: what agents and scripts give by key, in which
// "exit 1" is a failure and "slow" a time limit; and all the states that were
// saved, in the order in which they were saved first.
type gworld struct {
	sim.World
	gives map[string]string
	cost  float64
	saved []flow.GraphState
	keys  []string
	asked map[string]string
}

func newWorld(s gspec, gives map[string]string) *gworld {
	w := &gworld{gives: gives, asked: map[string]string{}}
	w.Definition = s.definition()
	w.Perform = w.perform
	return w
}

func (w *gworld) perform(a flow.Action, attempt int) sim.Performance {
	p := sim.Performance{Result: flow.Result{Status: flow.Completed}, Takes: time.Second}
	switch payload := a.Payload.(type) {
	case flow.GraphState:
		p.Takes = 0
		if !slices.Contains(w.keys, a.Key) {
			w.keys, w.saved = append(w.keys, a.Key), append(w.saved, payload)
		}
		return p
	case flow.Prompt:
		w.asked[a.Key] = payload.Text
		p.Result.Meta = flow.Meta{CostUSD: w.cost, Session: ""}
	case flow.Bash:
	}
	text, ok := w.gives[a.Key]
	if !ok {
		text, ok = w.gives[strings.SplitN(a.Key, "@", 2)[0]]
	}
	if !ok {
		text = "[OUTPUT:done]"
	}
	// "a|b" are two attempts.
	tries := strings.Split(text, "|")
	text = tries[min(attempt, len(tries))-1]
	switch what, exit, _ := strings.Cut(text, " "); what {
	case "exit":
		p.Result.Status, p.Result.Failure = flow.Failed, &flow.Failure{Message: "exit " + exit, Reason: "exit", ExitCode: 1}
		p.Result.Text = "printed"
	case "slow":
		p.Result.Status, p.Result.Failure = flow.Failed, &flow.Failure{Message: "too slow", Reason: "timeout", ExitCode: -1}
		p.Takes = max(a.Timeout, time.Second)
	case "broken":
		p.Result.Status, p.Result.Failure = flow.Failed, &flow.Failure{Message: "no service", Reason: "agent"}
	default:
		p.Result.Text = text
	}
	return p
}

// run explores the world with a crash at every point, and returns the outputs of
// an undisturbed run.
func (w *gworld) run(t *testing.T) (*sim.Outcome, graphOutputs) {
	t.Helper()
	if _, err := sim.Explore(w.World, 1, 3, nil); err != nil {
		t.Fatal(err)
	}
	w.saved, w.keys, w.asked = nil, nil, map[string]string{}
	o := sim.Run(w.World, 1)
	return o, outputsOf(t, o)
}

func outputsOf(t *testing.T, o *sim.Outcome) (out graphOutputs) {
	t.Helper()
	if len(o.Faults) > 0 {
		t.Error(o.Faults)
	}
	if len(o.End.Outputs) > 0 {
		if err := json.Unmarshal(o.End.Outputs, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// trace is the order of the nodes with their labels.
func (w *gworld) trace() string {
	var list []string
	for _, s := range w.saved {
		for _, e := range s.Ended {
			list = append(list, e.Node+":"+e.Label)
		}
	}
	return strings.Join(list, " ")
}

// lastSaved is the state as it was saved last.
func (w *gworld) lastSaved() flow.GraphState { return w.saved[len(w.saved)-1] }

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
