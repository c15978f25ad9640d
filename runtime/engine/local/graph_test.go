package local_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
)

// counting is a state graph of one script that runs until it has run n times.
func counting(n int64) *flow.Definition {
	table := &graph.Graph[string, countingRun]{
		Nodes: []graph.Node[string, countingRun]{{
			Name: "a", Kind: "bash", Labels: []string{"done"},
			Run: func(r *countingRun, c *flow.Context) (graph.NodeResult, error) {
				return r.RunScript(c, flow.Bash{Script: "a"})
			},
			OnEnd: func(r *countingRun, _ graph.NodeResult) { r.State.N++ },
		}},
		Edges: []graph.Edge[string, countingRun]{
			{From: graph.Start, To: "a"},
			{From: "a", To: "a", When: func(r *countingRun) bool { return r.State.N < n }},
			{From: "a", To: graph.End},
		},
	}
	return &flow.Definition{Name: "count", Fingerprint: "f1", Nodes: table.NodeInfos(), Graph: table.Info(), Flow: func(c *flow.Context) (any, error) {
		r := &countingRun{}
		out, err := r.Follow(c, table, r)
		return out.State, err
	}}
}

// A countingRun is one run of counting.
type countingRun struct {
	graph.Walk[string, struct {
		N int64 `json:"n"`
	}, map[string]string, countingRun]
}

// What the caller says of a graph is kept with its run, and the state is in its
// folder; limits are those of the process.
func TestGraphIsKeptWithItsRun(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, graphfiles.New()) })
	def := counting(5)
	opt := w.options()
	opt.Settings = json.RawMessage(`{"mine":1}`)
	opt.Graph = &flow.GraphOptions{Folder: "chores", Limits: &flow.GraphLimits{Iterations: 2}}
	r := must(t, flow.LimitReached)(e.Run(context.Background(), def, nil, opt))
	read := func() (s struct {
		Status    string
		Iteration int
		Variables map[string]int
		Next      string
	}) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(w.work, ".graph-loop", "chores", "state.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := read(); s.Status != "LIMIT_REACHED" || s.Iteration != 2 || s.Variables["n"] != 2 || s.Next != "a" {
		t.Errorf("%+v", s)
	}
	e = w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, graphfiles.New()) })
	must(t, flow.LimitReached)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	more := &flow.GraphOptions{Folder: "other", Limits: &flow.GraphLimits{Iterations: 4}}
	must(t, flow.LimitReached)(e.Resume(context.Background(), def, r.ID, local.Options{Graph: more}))
	if s := read(); s.Iteration != 4 {
		t.Errorf("%+v", s)
	}
	// Another build takes it over.
	def = counting(5)
	def.Fingerprint = "f2"
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, local.Options{Force: true, Graph: &flow.GraphOptions{Limits: &flow.GraphLimits{}}}))
	if s := read(); s.Status != "completed" || s.Iteration != 5 || s.Next != "END" {
		t.Errorf("%+v", s)
	}
	for key, n := range w.performer.done {
		if n != 1 {
			t.Errorf("%s was performed %d times", key, n)
		}
	}
	var settings map[string]json.RawMessage
	if err := json.Unmarshal(w.run(t, r.ID).Settings, &settings); err != nil || string(settings["mine"]) != "1" || settings["graph"] == nil {
		t.Errorf("%s %v", w.run(t, r.ID).Settings, err)
	}
}
