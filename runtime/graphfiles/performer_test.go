package graphfiles_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// feature is the workflow of the tests.
func feature() *flow.Definition {
	return &flow.Definition{
		Name: "feature", Source: "Full Feature_1!.yaml", Description: "Build it.",
		Nodes: []flow.NodeInfo{
			{Key: "research", Kind: "parallel", Labels: []string{"all_done"}, Branches: []string{"a", "b"}},
			{Key: "a", Kind: "prompt", Agent: "gemini", Labels: []string{"done"}},
			{Key: "b", Kind: "prompt", Agent: "self", Labels: []string{"done"}},
			{Key: "run_tests", Kind: "bash", Labels: []string{"pass", "fail"}},
			{Key: "review", Kind: "prompt", Agent: "self", Labels: []string{"P0", "clean"}},
		},
		Graph: &flow.GraphInfo{
			Version: "1.0", Text: "workflow: feature\n",
			State: []flow.VariableInfo{
				{Name: "coverage", Type: "float"}, {Name: "tries", Type: "int"}, {Name: "ready", Type: "bool"}, {Name: "notes", Type: "list text"},
				{Name: "feedback", Type: "text", Optional: true}, {Name: "extra", Type: "json"},
			},
		},
	}
}

// A desk is a folder that runs work in.
type desk struct {
	t   *testing.T
	dir string
	def *flow.Definition
	run flow.RunInfo
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, dir: t.TempDir(), def: feature()}
	d.run = flow.RunInfo{ID: "feature-1", Workflow: "feature", WorkDir: d.dir}
	return d
}

func (d *desk) save(s graphstate.State) flow.Result {
	d.t.Helper()
	s.Workflow, s.Version = "feature", "1.0"
	return graphfiles.New().Perform(context.Background(), &engine.Attempt{
		Info: &d.run, Workflow: d.def, Action: flow.Action{Key: "review@8/state", Payload: s}, Number: 1,
	})
}

// saved is save of a state that can be kept; it returns what is written down.
func (d *desk) saved(s graphstate.State) string {
	d.t.Helper()
	r := d.save(s)
	if r.Status != flow.Completed {
		d.t.Fatalf("%+v", r.Failure)
	}
	return r.Text
}

func (d *desk) path(name string) string {
	return filepath.Join(d.dir, ".graph-loop", graphfiles.TaskName(&d.run, d.def), filepath.FromSlash(name))
}

func (d *desk) read(name string) string {
	text, _ := os.ReadFile(d.path(name))
	return string(text)
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

var begun = time.Date(2026, 1, 17, 10, 0, 0, 0, time.UTC)

// midway is a state in the middle of a run.
func midway() graphstate.State {
	return graphstate.State{
		Node: "run_tests", Next: "review", Iteration: 8, Started: begun, At: begun.Add(15*time.Minute + 30*time.Second),
		Status: kernel.StateRunning, Executed: []string{"research", "run_tests"}, Labels: json.RawMessage(`{"research":"all_done","run_tests":"pass"}`),
		Variables: json.RawMessage(`{"notes":["<a>"],"coverage":87}`), Limits: flow.GraphLimits{Iterations: 20, Time: time.Hour, CostUSD: 10},
		Usage: graphstate.Usage{Elapsed: 15*time.Minute + 30*time.Second, CostUSD: 0.42}, Ended: []graphstate.Ended{{Node: "run_tests", Iteration: 8, Label: "pass"}},
	}
}

func TestStateFile(t *testing.T) {
	d := newDesk(t)
	d.saved(midway())
	want := `{
  "workflow": "feature",
  "version": "1.0",
  "task_name": "full-feature-1",
  "current_node": "review",
  "next": "review",
  "iteration": 8,
  "started_at": "2026-01-17T10:00:00Z",
  "last_updated": "2026-01-17T10:15:30Z",
  "status": "running",
  "exit_reason": null,
  "success": null,
  "nodes_executed": [
    "research",
    "run_tests"
  ],
  "outputs": {
    "research": "all_done",
    "run_tests": "pass"
  },
  "variables": {
    "notes": [
      "<a>"
    ],
    "coverage": 87
  },
  "limits": {
    "max_iterations": 20,
    "max_time_minutes": 60,
    "max_cost_dollars": 10
  },
  "usage": {
    "iterations_used": 8,
    "time_elapsed_minutes": 15.5,
    "estimated_cost_dollars": 0.42
  },
  "warnings": [],
  "last_output": "pass",
  "run_id": "feature-1",
  "workflow_sha256": "` + sum("workflow: feature\n") + `"
}
`
	if got := d.read("state.json"); got != want {
		t.Errorf("%s", got)
	}
	if got := d.read("workflow.yaml"); got != "workflow: feature\n" {
		t.Errorf("%q", got)
	}
	if d.path("") != filepath.Join(d.dir, ".graph-loop", "full-feature-1") {
		t.Errorf("%s", d.path(""))
	}
}

func TestStateFileIsReplacedAtOnce(t *testing.T) {
	d := newDesk(t)
	d.run.Graph = &flow.GraphOptions{Folder: "mine", Memory: flow.MemoryNone}
	yes := true
	d.saved(graphstate.State{Next: "a", Checkpoint: true})
	d.saved(graphstate.State{Status: kernel.StateCompleted, Reason: "completed", Success: &yes})
	entries, err := os.ReadDir(d.path(""))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{"state.json", "workflow.yaml"}) {
		t.Errorf("%v %v", names, err)
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(d.read("state.json")), &s); err != nil || s["current_node"] != "END" || s["success"] != true || s["exit_reason"] != "completed" {
		t.Errorf("%v %v", err, s)
	}
	// A folder that cannot be made fails the action.
	d.write("file", "")
	d.run.WorkDir = d.path("file")
	if r := d.save(graphstate.State{}); r.Status != flow.Failed || r.Failure.Reason != "state" {
		t.Errorf("%+v", r)
	}
}

func TestHistory(t *testing.T) {
	d := newDesk(t)
	s := midway()
	s.Iteration, s.Checkpoint = 3, true
	s.Ended = []graphstate.Ended{{Node: "research", Iteration: 1, Label: "all_done"}, {Node: "a", Iteration: 2, Label: "done"}, {Node: "b", Iteration: 3, Label: "done"}}
	d.saved(s)
	s.Ended = nil
	d.saved(s) // a halt leaves no snapshot
	for file, want := range map[string]string{"001": "research all_done", "002": "a done", "003": "b done", "004": " "} {
		var snap struct {
			Iteration  int    `json:"_snapshot_iteration"`
			At         string `json:"_snapshot_at"`
			Node       string `json:"_node_completed"`
			Output     string `json:"_output"`
			Checkpoint bool   `json:"_checkpoint"`
			State      struct {
				Iteration int
				Node      string `json:"current_node"`
			}
		}
		_ = json.Unmarshal([]byte(d.read("history/iteration-"+file+".json")), &snap)
		if got := snap.Node + " " + snap.Output; got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
		if want != " " && (snap.State.Iteration != 3 || snap.State.Node != "review" || !snap.Checkpoint || snap.At != "2026-01-17T10:15:30Z") {
			t.Errorf("%s: %+v", file, snap)
		}
	}
}
