package graphfiles_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
)

func perform(t *testing.T, dir string, s flow.GraphState) flow.Result {
	t.Helper()
	return (&graphfiles.Performer{}).Perform(context.Background(), &engine.Call{
		Run: &flow.RunInfo{WorkDir: dir}, Action: flow.Action{Key: "review@8/state", Payload: s}, Attempt: 1,
	})
}

func TestStateFile(t *testing.T) {
	dir := t.TempDir()
	start := time.Date(2026, 1, 17, 10, 0, 0, 0, time.UTC)
	r := perform(t, dir, flow.GraphState{
		Workflow: "Full Feature_1!", Version: "1.0", Node: "run_tests", Next: "review", Iteration: 8, Started: start, At: start.Add(15*time.Minute + 30*time.Second),
		Status: flow.StateRunning, Executed: []string{"research", "run_tests"}, Outputs: json.RawMessage(`{"research":"all_done","run_tests":"pass"}`),
		Variables: json.RawMessage(`{"z":["<a>"],"a":87}`), Limits: flow.Limits{Iterations: 20, Time: time.Hour, CostUSD: 10},
		Usage: flow.GraphUsage{Elapsed: 15*time.Minute + 30*time.Second, CostUSD: 0.42}, Ended: []flow.EndedNode{{Node: "run_tests", Iteration: 8, Label: "pass"}},
	})
	path := filepath.Join(dir, ".graph-loop", "full-feature-1", "state.json")
	if r.Status != flow.Completed || r.Text != path {
		t.Fatalf("%+v", r)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "workflow": "Full Feature_1!",
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
    "z": [
      "<a>"
    ],
    "a": 87
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
  "last_output": "pass"
}
`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}

func TestStateFileIsReplacedAtOnce(t *testing.T) {
	dir := t.TempDir()
	yes := true
	for _, s := range []flow.GraphState{
		{Workflow: "w", Task: "mine", Next: "a", Checkpoint: true},
		{Workflow: "w", Task: "mine", Status: flow.StateCompleted, Reason: "completed", Success: &yes},
	} {
		if r := perform(t, dir, s); r.Status != flow.Completed {
			t.Fatalf("%+v", r.Failure)
		}
	}
	folder := filepath.Join(dir, ".graph-loop", "mine")
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
	var d map[string]any
	content, _ := os.ReadFile(filepath.Join(folder, "state.json"))
	if err := json.Unmarshal(content, &d); err != nil || d["current_node"] != "END" || d["success"] != true || d["exit_reason"] != "completed" {
		t.Errorf("%v %s", err, content)
	}
	// A folder that cannot be made fails the action.
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := perform(t, filepath.Join(dir, "file"), flow.GraphState{Workflow: "w"}); r.Status != flow.Failed || r.Failure.Reason != "state" {
		t.Errorf("%+v", r)
	}
}
