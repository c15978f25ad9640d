package graph_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A node is one of the nodes of the example, a state holds its variables, and labels the last
// label of each node.
type (
	node  string
	state struct {
		Drafts int `json:"drafts"`
	}
	labels struct {
		Write  string `json:"write,omitempty"`
		Review string `json:"review,omitempty"`
	}
)

// A run is what the table's functions work on.
type run struct {
	graph.Walk[node, state, labels, run]
}

func (r *run) ask(c *flow.Context) (graph.NodeResult, error) {
	return r.AskAgent(c, flow.Prompt{Agent: "claude", Text: r.Current()})
}

func (r *run) endWrite(graph.NodeResult) { r.State.Drafts++ }

// A graph that writes and reviews until the review is clean, at most ten nodes.
func Example() {
	table := graph.Graph[node, run]{
		Version: "1.0",
		Limits:  flow.GraphLimits{Iterations: 10},
		Nodes: []graph.Node[node, run]{
			{Name: "write", Kind: "prompt", Labels: []string{"done"}, Run: (*run).ask, OnEnd: (*run).endWrite},
			{Name: "review", Kind: "prompt", Labels: []string{"bugs", "clean"}, Run: (*run).ask},
		},
		Edges: []graph.Edge[node, run]{
			{From: graph.Start, To: "write"},
			{From: "write", To: "review"},
			{From: "review", To: "write", On: "bugs"},
			{From: "review", To: graph.End},
		},
	}
	walk := func(c *flow.Context) (any, error) {
		r := &run{graph.Walk[node, state, labels, run]{State: state{}, Labels: labels{}}}
		return r.Follow(c, &table, r)
	}
	result := sim.Run(sim.World{
		Definition: &flow.Definition{Name: "draft", Nodes: table.NodeInfos(), Graph: table.Info(), Flow: walk},
		Perform: func(a sim.Attempt) sim.Performance {
			text := "[OUTPUT:clean]"
			switch a.Key {
			case "write@1", "write@3":
				text = "a draft" // its only label needs no [OUTPUT:done]
			case "review@2":
				text = "[OUTPUT:bugs]"
			}
			return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text}}
		},
	}, 1)
	fmt.Println(result.End.Status)
	fmt.Println(string(result.End.Outputs))
	// Output:
	// completed
	// {"success":true,"node":"review","label":"clean","text":"[OUTPUT:clean]","iterations":4,"labels":{"write":"done","review":"clean"},"state":{"drafts":2}}
}
