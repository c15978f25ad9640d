package graphfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

// A document is the content of state.json, its keys in order.
type document struct {
	Workflow    string          `json:"workflow"`
	Version     string          `json:"version"`
	TaskName    string          `json:"task_name"`
	CurrentNode string          `json:"current_node"`
	Next        string          `json:"next"`
	Iteration   int             `json:"iteration"`
	StartedAt   string          `json:"started_at"`
	LastUpdated string          `json:"last_updated"`
	Status      string          `json:"status"`
	ExitReason  *string         `json:"exit_reason"`
	Success     *bool           `json:"success"`
	Executed    []string        `json:"nodes_executed"`
	Outputs     json.RawMessage `json:"outputs"`
	Variables   json.RawMessage `json:"variables"`
	Limits      limits          `json:"limits"`
	Usage       usage           `json:"usage"`
	Warnings    []string        `json:"warnings"`
	LastOutput  string          `json:"last_output"`
	// RunID is the run whose state it is, and Hash the SHA-256 of its workflow.yaml.
	RunID string `json:"run_id,omitempty"`
	Hash  string `json:"workflow_sha256,omitempty"`
	// Promise is the text by which an agent ends the run, if there is one.
	Promise string `json:"completion_promise,omitempty"`
}

// limits are those that there are.
type limits struct {
	Iterations int     `json:"max_iterations,omitempty"`
	Minutes    float64 `json:"max_time_minutes,omitempty"`
	CostUSD    float64 `json:"max_cost_dollars,omitempty"`
	Parallel   int     `json:"max_parallel_branches,omitempty"`
}

type usage struct {
	Iterations int     `json:"iterations_used"`
	Minutes    float64 `json:"time_elapsed_minutes"`
	CostUSD    float64 `json:"estimated_cost_dollars"`
}

// end is the name of the end of a graph in place of a node.
const end = "END"

func documentOf(run *flow.RunInfo, def *flow.Definition, s *graphstate.State) document {
	d := document{
		Workflow: s.Workflow, Version: s.Version, TaskName: taskName(run, def), RunID: run.ID, Hash: sourceHash([]byte(textOf(def))), CurrentNode: s.Next, Next: s.Next,
		Iteration: s.Iteration, StartedAt: formatTime(s.Started), LastUpdated: formatTime(s.At), Status: s.Status, Success: s.Success,
		Executed: s.Executed, Outputs: s.Labels, Variables: s.Variables, Warnings: s.Warnings,
		Limits: limits{s.Limits.Iterations, s.Limits.Time.Minutes(), s.Limits.CostUSD, s.Limits.Parallel},
		Usage:  usage{s.Iteration, s.Usage.Elapsed.Minutes(), s.Usage.CostUSD},
	}
	if d.CurrentNode == "" {
		d.CurrentNode, d.Next = end, end
	}
	if s.Reason != "" {
		d.ExitReason = &s.Reason
	}
	if d.Executed == nil {
		d.Executed = []string{}
	}
	if d.Warnings == nil {
		d.Warnings = []string{}
	}
	if len(s.Labels) > 0 {
		var labels map[string]string
		if json.Unmarshal(s.Labels, &labels) == nil {
			d.LastOutput = labels[s.Node]
		}
	}
	if run.Graph != nil {
		d.Promise = run.Graph.Promise
	}
	return d
}

// sourceHash identifies the source of a workflow; "" is the hash of none.
func sourceHash(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// formatTime is a time as the file has it.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
