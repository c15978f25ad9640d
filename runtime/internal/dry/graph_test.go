package dry_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
)

// writing is a state graph: write, judge, and back to write until it is good. Before the first
// writing, it asks a person.
func writing() *flow.Definition {
	d := &flow.Definition{Name: "g", Nodes: []flow.NodeInfo{
		{Key: "write", Kind: "prompt", Labels: []string{"done"}}, {Key: "judge", Kind: "human", Labels: []string{"yes", "no"}},
	}, Graph: &flow.GraphInfo{}}
	nodes, info := d.Nodes, d.Graph
	d.Flow = func(c *flow.Context) (any, error) {
		type labels struct{ Write, Judge string }
		var last labels
		w := graph.New(c, graph.Graph[string, struct{}, labels]{Info: info, Nodes: nodes, State: &struct{}{}, Labels: &last})
		for at := w.Start(graph.Edge[string]{To: "write"}); at != ""; {
			switch at {
			case "write":
				at = w.Visit(graph.Visit[string]{Work: graph.Work[string]{Node: at, OnEnd: graph.Keep(&last.Write), Run: func(c *flow.Context) (graph.NodeResult, error) {
					return w.AskAgent(c, flow.Prompt{Text: "write, since " + w.StartedAt()})
				}}, Before: []graph.Interrupt[string]{{Message: "begin?", When: func() bool { return w.Iteration() == 0 }}}, Edges: []graph.Edge[string]{{To: "judge"}}})
			case "judge":
				at = w.Visit(graph.Visit[string]{Work: graph.Work[string]{Node: at, OnEnd: graph.Keep(&last.Judge), Run: func(c *flow.Context) (graph.NodeResult, error) {
					return w.AskPerson(c, "good?")
				}}, Edges: []graph.Edge[string]{{To: "write", When: func() bool { return last.Judge == "no" }}, {To: ""}}})
			}
		}
		return w.Finish()
	}
	return d
}

func TestPlanOfAGraph(t *testing.T) {
	for _, tt := range []struct {
		outputs string
		status  string
		keys    []string
	}{
		{`{}`, "undecided", []string{"write@1/before#1", "write@1", "judge@2#1"}},
		{`{"judge@2#1": "yes"}`, "completed", []string{"write@1/before#1", "write@1", "judge@2#1"}},
		{`{"judge@2#1": "no", "judge@4#1": "yes"}`, "completed", []string{"write@1/before#1", "write@1", "judge@2#1", "write@3", "judge@4#1"}},
	} {
		p := plan(t, writing(), tt.outputs)
		var keys []string
		for _, s := range p.Steps {
			for _, a := range s.Actions {
				keys = append(keys, a.Key)
				if a.Kind == "prompt" && a.Prompt != "write, since ‹when the run begins›" {
					t.Errorf("the prompt is %q", a.Prompt)
				}
			}
		}
		slices.Sort(keys)
		slices.Sort(tt.keys)
		if p.Verdict.Status != tt.status || !slices.Equal(keys, tt.keys) || len(p.Steps) != 2 {
			t.Errorf("%s: %+v %q", tt.outputs, p.Verdict, keys)
		}
	}
}
