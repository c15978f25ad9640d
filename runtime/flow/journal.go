package flow

import (
	"encoding/json"
	"time"
)

// RunInfo is what is known of a run when it begins or goes on; it never
// changes while flow code can see it.
type RunInfo struct {
	// ID is the run's id: the workflow's name, a hyphen and six random letters
	// or digits.
	ID string `json:"id"`
	// Workflow is the workflow's name.
	Workflow string `json:"workflow"`
	// Fingerprint identifies the workflow's code; see Definition.
	Fingerprint string `json:"fingerprint"`
	// Inputs are the inputs as a JSON object.
	Inputs json.RawMessage `json:"inputs"`
	// ArtifactsDir is the absolute path of the run's folder for artifacts.
	ArtifactsDir string `json:"artifacts_dir"`
	// LogDir is the absolute path of the run's folder for logs.
	LogDir string `json:"log_dir"`
	// WorkDir is the absolute path of the folder the run works in.
	WorkDir string `json:"work_dir"`
	// BaseBranch is the branch that changes are made against; "" is unknown.
	BaseBranch string `json:"base_branch,omitempty"`
	// DocsDir is the project's documentation folder.
	DocsDir string `json:"docs_dir"`
	// DeliverTo are the targets for the workflow's result when the workflow names
	// none: of the session that the run was started from, or the project's own.
	DeliverTo []string `json:"deliver_to,omitempty"`
	// Graph is what the caller says of the run of a state graph, or nil.
	Graph *GraphOptions `json:"graph,omitempty"`
	// Planned says that nothing is performed; see Unknown. It is never stored.
	Planned bool `json:"-"`
}

// A Record is the state of one step as the journal keeps it. The zero times
// are unknown.
type Record struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Status Status `json:"status"`
	// Reason says why a step was skipped or cancelled. Of a completed step that
	// cancelled the run it is the reason for that; of a running action, the last
	// question about an interruption after which it was begun again.
	Reason  string   `json:"reason,omitempty"`
	Text    string   `json:"text,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
	Meta    Meta     `json:"meta,omitzero"`
	// Attempt counts the attempts of an action from 1.
	Attempt int `json:"attempt,omitempty"`
	// Deadline is when a sleep ends, a question expires or, of a running action,
	// its next attempt begins.
	Deadline time.Time `json:"deadline,omitzero"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Question is what a waiting step asks.
	Question *Question `json:"question,omitempty"`
	// Prompt is what an agent was asked when the step last began, with all values
	// in it.
	Prompt string `json:"prompt,omitempty"`
}

// Result returns how the step ended.
func (r Record) Result() Result {
	return Result{Status: r.Status, Text: r.Text, Failure: r.Failure, Meta: r.Meta}
}

// An Event is something that happened, for people and programs that watch.
type Event struct {
	// Time is when it happened.
	Time time.Time `json:"time"`
	// Type names what happened: "step_started", "step_completed", "output", …
	Type string `json:"type"`
	// Key is the step it happened in, or "".
	Key string `json:"node,omitempty"`
	// Message is for people.
	Message string `json:"message,omitempty"`
}

// A Batch is what is committed to the journal together, all or nothing.
type Batch struct {
	// Steps are the new states of steps, in the order in which they came
	// about; a later state of the same key replaces an earlier one.
	Steps []Record
	// Events are appended.
	Events []Event
	// Run, if set, is the new state of the run.
	Run *RunEnd
}

// Empty reports whether there is nothing to commit.
func (b *Batch) Empty() bool { return len(b.Steps) == 0 && len(b.Events) == 0 && b.Run == nil }

// RunEnd is how a process of a run ended.
type RunEnd struct {
	// Status is Paused, Completed, Failed, Cancelled or LimitReached.
	Status Status `json:"status"`
	// Reason says why, where the status alone does not.
	Reason string `json:"reason,omitempty"`
	// Error is the failure's text.
	Error string `json:"error,omitempty"`
	// Outputs are the workflow's outputs as a JSON object.
	Outputs json.RawMessage `json:"outputs,omitempty"`
	// Summary is the output to show to a person.
	Summary string `json:"summary,omitempty"`
}

// GraphOptions are what a caller says of a run of a state graph.
type GraphOptions struct {
	// Task is the name of the folder that its state is kept in; "" makes one of
	// the workflow's name.
	Task string `json:"task,omitempty"`
	// Limits replace those of the workflow. A run that is resumed may have others.
	Limits *Limits `json:"limits,omitempty"`
	// Promise is the text by which an agent ends the run, said between <promise>
	// and </promise>; "" is none.
	Promise string `json:"promise,omitempty"`
	// From is the GraphState of another run from which this one goes on. Its Next
	// may be Start.
	From json.RawMessage `json:"from,omitempty"`
	// Memory says whose words are written down, and who is shown what is.
	Memory MemoryRule `json:"memory,omitempty"`
	// FromDir is the folder that From was read from, or "".
	FromDir string `json:"from_dir,omitempty"`
	// Force has the run take over a folder that another workflow has left.
	Force bool `json:"force,omitempty"`
}

// A MemoryRule selects the agents that have a memory: lines of their answers are kept
// and become part of their later prompts. The zero rule selects the agent `self`.
type MemoryRule string

const (
	// MemoryAll gives every agent a memory.
	MemoryAll MemoryRule = "all"
	// MemoryNone gives no agent a memory.
	MemoryNone MemoryRule = "none"
)

// Remembers reports whether an agent has a memory. A nil *GraphOptions has the zero
// rule.
func (o *GraphOptions) Remembers(agent string) bool {
	rule := MemoryRule("")
	if o != nil {
		rule = o.Memory
	}
	return rule == MemoryAll || rule == "" && agent == "self"
}
