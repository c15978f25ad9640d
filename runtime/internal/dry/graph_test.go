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
	table := &graph.Graph[string, writingRun]{
		Nodes: []graph.Node[string, writingRun]{
			{Name: "write", Kind: "prompt", Labels: []string{"done"}, Run: func(r *writingRun, c *flow.Context) (graph.NodeResult, error) {
				return r.AskAgent(c, flow.Prompt{Text: "write, since " + r.StartedAt()})
			}, Before: []graph.Interrupt[string, writingRun]{{Message: "begin?", When: func(r *writingRun) bool { return r.Iteration() == 0 }}}},
			{Name: "judge", Kind: "human", Labels: []string{"yes", "no"}, Run: func(r *writingRun, c *flow.Context) (graph.NodeResult, error) {
				return r.AskPerson(c, "good?")
			}},
		},
		Edges: []graph.Edge[string, writingRun]{{From: graph.Start, To: "write"}, {From: "write", To: "judge"}, {From: "judge", To: "write", On: "no"}, {From: "judge", To: graph.End}},
	}
	return &flow.Definition{Name: "g", Nodes: table.NodeInfos(), Graph: table.Info(), Flow: func(c *flow.Context) (any, error) {
		r := &writingRun{}
		return r.Follow(c, table, r)
	}}
}

// A writingRun is one run of writing.
type writingRun struct {
	graph.Walk[string, struct{}, map[string]string, writingRun]
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
				if a.Kind == "prompt" && a.Text != "write, since ‹when the run begins›" {
					t.Errorf("the prompt is %q", a.Text)
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
