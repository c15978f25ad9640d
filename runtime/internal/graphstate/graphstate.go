// Package graphstate has the saved state of a state graph's run, for the kernel, the performers and
// the engines: the payload by which a walk saves its position, and the interface of the performer
// that keeps it in a folder for each task, for people and other programs to read.
package graphstate

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A State is the payload of the action that saves the position of a walk. Another run
// can continue from it.
type State struct {
	Workflow string `json:"workflow"`
	Version  string `json:"version"`
	// Folder is the name of the folder that keeps the state (see package graphfiles); ""
	// derives it from the workflow's name. It is flow.GraphOptions.Folder.
	Folder string `json:"task,omitempty"`
	// Node is the node that ended last, "" at the start. Next is the following one, "START"
	// before the first one, "" at the end.
	Node string `json:"node"`
	Next string `json:"next"`
	// Iteration is the number of nodes that have ended.
	Iteration int `json:"iteration"`
	// Started is the start of the run, and At the time of this state.
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`
	// Status is one of five words of the file format of graph-loop, the program that the
	// dialect comes from: "running" for a run that continues (Running), "completed"
	// (Completed), "failed" (Failed), "stopped" for a run that halted because a
	// person answered so, or did not answer in time (Paused), and "LIMIT_REACHED"
	// (LimitReached). Reason explains it if necessary: the cause of the run's end, or
	// the limit that halted it.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Error is the message of a failure or of a halt.
	Error string `json:"error,omitempty"`
	// Success of a completed run means that one of its completion conditions holds, or that
	// it has none.
	Success *bool `json:"success,omitempty"`
	// Executed are the nodes that have ended, in order.
	Executed []string `json:"executed"`
	// Labels are the nodes' last labels and Variables the variables, JSON objects with
	// their keys in order.
	Labels    json.RawMessage  `json:"outputs"`
	Variables json.RawMessage  `json:"variables"`
	Limits    flow.GraphLimits `json:"limits"`
	// Usage is the used part of the limits.
	Usage    Usage    `json:"usage"`
	Warnings []string `json:"warnings,omitempty"`
	// Ended are the nodes that have ended since the last state, in order: one, those of a
	// parallel with its branches, or none for a halt.
	Ended []Ended `json:"ended,omitempty"`
	// Checkpoint means that the state is kept as a checkpoint and must be on disk.
	Checkpoint bool `json:"checkpoint,omitempty"`
	// Memory is the agents' memory so far, for later prompts. Only a state from which
	// another run continues has it; the performer that saves a state returns the memory
	// as its text.
	Memory string `json:"memory,omitempty"`
}

// Usage is the used part of a run's limits. In JSON, Elapsed is in nanoseconds.
type Usage struct {
	Elapsed time.Duration `json:"elapsed"`
	CostUSD float64       `json:"cost_usd"`
}

// Ended is a node that has ended.
type Ended struct {
	Node string `json:"node"`
	// Iteration is the number of nodes that had ended then, with this one.
	Iteration int    `json:"iteration"`
	Label     string `json:"label"`
	Text      string `json:"text,omitempty"`
	// Agent means that the text is an agent's.
	Agent bool `json:"agent,omitempty"`
}

// Kind implements flow.Payload.
func (State) Kind() string { return "graph_state" }

// Repeatable lets a later process repeat an interrupted save without asking; see
// flow.Payload.
func (State) Repeatable() {}
