package sim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
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
	before, after []graph.Interrupt[string, ggraph]
	// decide is a decision's condition.
	decide func(g *ggraph) bool
	// handle are handlers by label; the key "" is for all.
	handle map[string]func(g *ggraph, e graph.NodeResult)
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
	limits flow.GraphLimits
	goals  []func(g *ggraph) bool
}

// ggraph is a run's way through one.
type ggraph struct {
	graph.Walk[string, memory, labels, ggraph]
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
	table := &graph.Graph[string, ggraph]{Version: "1.0", Limits: s.limits, Edges: []graph.Edge[string, ggraph]{{From: graph.Start, To: s.start}}}
	for _, n := range s.nodes {
		table.Nodes = append(table.Nodes, n.node())
		for _, e := range n.edges {
			table.Edges = append(table.Edges, graph.Edge[string, ggraph]{From: n.id, To: cmp.Or(e.to, graph.End), On: e.label, When: e.guard})
		}
	}
	for _, goal := range s.goals {
		table.Completion = append(table.Completion, graph.Goal[string, ggraph]{When: goal})
	}
	return &flow.Definition{Name: "g", Nodes: table.NodeInfos(), Graph: table.Info(), Flow: func(c *flow.Context) (any, error) {
		g := &ggraph{}
		g.State.Notes = []string{}
		out, err := g.Follow(c, table, g)
		return graphOutputs{
			Success: out.Success, Node: out.Node, Label: out.Label, Text: out.Text,
			Executed: g.Executed(), Labels: out.Labels, Memory: out.State,
		}, err
	}}
}

// node is the row of a node in the table of a graph.
func (n gnode) node() graph.Node[string, ggraph] {
	row := graph.Node[string, ggraph]{
		Name: n.id, Kind: n.kind, Labels: n.labels, Branches: n.branches, WaitsFor: n.reports,
		Timeout: n.timeout, TimeoutLabel: n.otherwise, Retry: n.retry, Before: n.before, After: n.after,
	}
	if n.otherwise == "" && slices.Contains(n.labels, "timeout") {
		row.TimeoutLabel = "timeout"
	}
	if n.branches != nil && slices.Contains(n.labels, "failed") {
		row.FailureLabel = "failed"
	}
	switch n.kind {
	case "prompt":
		row.Run = func(g *ggraph, c *flow.Context) (graph.NodeResult, error) {
			return g.AskAgent(c, flow.Prompt{Text: fmt.Sprintf("%s %v %d%s", n.id, g.State.Notes, g.Iteration(), g.Reports(c))})
		}
	case "bash":
		row.Run = func(g *ggraph, c *flow.Context) (graph.NodeResult, error) {
			return g.RunScript(c, flow.Bash{Script: n.id})
		}
	case "decision":
		row.Decide, row.ThenLabel, row.ElseLabel = n.decide, n.labels[0], n.labels[1]
	case "human":
		row.Run = func(g *ggraph, c *flow.Context) (graph.NodeResult, error) { return g.AskPerson(c, "which, "+n.id+"?") }
	default:
		row.EndLabel = n.labels[0]
	}
	row.OnEnd = func(g *ggraph, o graph.NodeResult) {
		for _, key := range []string{"", o.Label} {
			if h := n.handle[key]; h != nil {
				h(g, o)
			}
		}
	}
	return row
}

// note is a handler that notes a text.
func note(text string) func(*ggraph, graph.NodeResult) {
	return func(g *ggraph, e graph.NodeResult) {
		g.State.Notes = append(g.State.Notes, strings.ReplaceAll(text, "TEXT", e.Text))
	}
}

// count is a handler that counts.
func count(g *ggraph, _ graph.NodeResult) { g.State.Count++ }

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
	saved []graphstate.State
	keys  []string
	asked map[string]string
}

func newWorld(s gspec, gives map[string]string) *gworld {
	w := &gworld{gives: gives, asked: map[string]string{}}
	w.Definition = s.definition()
	w.Perform = w.perform
	return w
}

func (w *gworld) perform(a sim.Attempt) sim.Performance {
	p := sim.Performance{Result: flow.Result{Status: flow.Completed}, Takes: time.Second}
	switch payload := a.Payload.(type) {
	case graphstate.State:
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
	text = tries[min(a.Number, len(tries))-1]
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
func (w *gworld) run(t *testing.T) (*sim.Result, graphOutputs) {
	t.Helper()
	if _, err := sim.Explore(w.World, 1, 3, nil); err != nil {
		t.Fatal(err)
	}
	w.saved, w.keys, w.asked = nil, nil, map[string]string{}
	o := sim.Run(w.World, 1)
	return o, outputsOf(t, o)
}

func outputsOf(t *testing.T, o *sim.Result) (out graphOutputs) {
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
func (w *gworld) lastSaved() graphstate.State { return w.saved[len(w.saved)-1] }

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
