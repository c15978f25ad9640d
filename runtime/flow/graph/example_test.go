package graph_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

// A graph that writes and reviews until the review is clean, at most ten nodes.
func Example() {
	type node string
	type state struct {
		Drafts int `json:"drafts"`
	}
	type labels struct {
		Write  string `json:"write,omitempty"`
		Review string `json:"review,omitempty"`
	}
	nodes := []flow.NodeInfo{
		{Key: "write", Kind: "prompt", Labels: []string{"done"}},
		{Key: "review", Kind: "prompt", Labels: []string{"bugs", "clean"}},
	}
	info := flow.GraphInfo{Version: "1.0", Limits: flow.GraphLimits{Iterations: 10}}
	walk := func(c *flow.Context) (any, error) {
		var s state
		var last labels
		w := graph.New(c, graph.Graph[node, state, labels]{Info: &info, Nodes: nodes, State: &s, Labels: &last})
		ask := func(c *flow.Context) (graph.NodeResult, error) {
			return w.AskAgent(c, flow.Prompt{Agent: "claude", Text: w.Current()})
		}
		for at := w.Start(graph.Edge[node]{To: "write"}); at != ""; {
			switch at {
			case "write":
				at = w.Visit(graph.Visit[node]{
					Work: graph.Work[node]{Node: at, Run: ask, OnEnd: func(o graph.NodeResult) {
						last.Write = o.Label
						s.Drafts++
					}},
					Edges: []graph.Edge[node]{{To: "review"}},
				})
			case "review":
				at = w.Visit(graph.Visit[node]{
					Work:  graph.Work[node]{Node: at, Run: ask, OnEnd: graph.Keep(&last.Review)},
					Edges: []graph.Edge[node]{{To: "write", When: func() bool { return last.Review == "bugs" }}, {To: ""}},
				})
			}
		}
		return w.Finish()
	}
	run := sim.Run(sim.World{
		Definition: &flow.Definition{Name: "draft", Nodes: nodes, Graph: &info, Flow: walk},
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
	fmt.Println(run.End.Status)
	fmt.Println(string(run.End.Outputs))
	// Output:
	// completed
	// {"success":true,"node":"review","label":"clean","text":"[OUTPUT:clean]","iterations":4,"labels":{"write":"done","review":"clean"},"state":{"drafts":2}}
}
