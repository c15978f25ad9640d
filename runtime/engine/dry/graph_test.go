package dry_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/outcome"
)

// graph is a state graph: write, judge, and back to write until it is good.
func graph() *flow.Definition {
	d := &flow.Definition{Name: "g", Nodes: []flow.NodeInfo{{Key: "write", Kind: "prompt"}, {Key: "judge", Kind: "human"}}, Graph: &flow.GraphInfo{}}
	d.Flow = func(c *flow.Context) (any, error) {
		labels := map[string]string{}
		w := flow.NewWalk(c, flow.Graph[string]{Nodes: []string{"write", "judge"}, State: &struct{}{}, Labels: &labels})
		step := func(id string, run func(c *flow.Context) (flow.Ending, error)) flow.Step[string] {
			return flow.Step[string]{Node: id, Run: run, Done: func(e flow.Ending) { labels[id] = e.Label }}
		}
		at := w.Start(func() (string, bool) { return "write", true })
		for at != "" {
			if at == "write" {
				at = w.Visit(flow.Visit[string]{Step: step(at, func(c *flow.Context) (flow.Ending, error) {
					return flow.AskAgent(c, flow.Prompt{Text: "write, since " + w.StartedAt()}, flow.Labels{Names: []string{"done"}, Reply: outcome.Reply})
				}), Next: func() (string, bool) { return "judge", true }})
				continue
			}
			at = w.Visit(flow.Visit[string]{Step: step(at, func(c *flow.Context) (flow.Ending, error) {
				return flow.AskPerson(c, "good?", 0, "", flow.Labels{Names: []string{"yes", "no"}})
			}), Next: func() (string, bool) {
				if labels["judge"] == "no" {
					return "write", true
				}
				return "", true
			}})
		}
		return labels, w.Verdict()
	}
	return d
}

func TestPlanOfAGraph(t *testing.T) {
	for _, tt := range []struct {
		outputs string
		status  string
		keys    []string
	}{
		{`{}`, "undecided", []string{"write@1", "judge@2#1"}},
		{`{"judge@2#1": "yes"}`, "completed", []string{"write@1", "judge@2#1"}},
		{`{"judge@2#1": "no", "judge@4#1": "yes"}`, "completed", []string{"write@1", "judge@2#1", "write@3", "judge@4#1"}},
	} {
		p := plan(t, graph(), tt.outputs)
		var keys []string
		for _, s := range p.Steps {
			for _, a := range s.Actions {
				keys = append(keys, a.Key)
			}
		}
		slices.Sort(keys)
		slices.Sort(tt.keys)
		if p.Verdict.Status != tt.status || !slices.Equal(keys, tt.keys) || len(p.Steps) != 2 {
			t.Errorf("%s: %+v %q", tt.outputs, p.Verdict, keys)
		}
	}
}
