package flow

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"
)

// RunInfo describes a run to flow code and performers. It does not change while a process
// works on the run.
type RunInfo struct {
	// ID is the run's id: the one that the caller chose, or the workflow's name, a hyphen
	// and six random letters or digits.
	ID string `json:"id"`
	// Workflow is the workflow's name.
	Workflow string `json:"workflow"`
	// Fingerprint identifies the workflow's code; see Definition.
	Fingerprint string `json:"fingerprint"`
	// Inputs are the inputs as a JSON object.
	Inputs json.RawMessage `json:"inputs"`
	// ArtifactsDir is the absolute path of the run's folder for artifacts: files that
	// belong to the run's result.
	ArtifactsDir string `json:"artifacts_dir"`
	// LogDir is the absolute path of the run's folder for logs.
	LogDir string `json:"log_dir"`
	// SharedDir is the absolute path of the folder that all runs of a project share (see
	// state.Folder.Shared), or "". It is never stored.
	SharedDir string `json:"-"`
	// WorkDir is the absolute path of the run's working directory.
	WorkDir string `json:"work_dir"`
	// BaseBranch is the branch that changes are based on; "" is unknown.
	BaseBranch string `json:"base_branch,omitempty"`
	// DocsDir is the project's documentation folder.
	DocsDir string `json:"docs_dir"`
	// DeliverTo are the targets for the result of a workflow that names none: the chat
	// from which the run was started, or the project's targets.
	DeliverTo []string `json:"deliver_to,omitempty"`
	// Graph are the caller's options for a state graph, or nil.
	Graph *GraphOptions `json:"graph,omitempty"`
}

// ArtifactList returns the path of the JSON file that lists the run's typed artifacts. A
// typed artifact is the output of a node that declares an artifact type (see
// NodeInfo.ArtifactType): the engine also writes such an output to a file in the folder
// nodes of ArtifactsDir. The list is kept only if Definition.Uses.ArtifactList is true.
func (r *RunInfo) ArtifactList() string {
	return filepath.Join(r.ArtifactsDir, "nodes", "artifacts.json")
}

// StdoutPath returns the path of the file for the standard output of the step with a key.
func (r *RunInfo) StdoutPath(key string) string {
	// No name of a step has a dot, so no two keys get one name.
	name := strings.NewReplacer("/", ".", "#", ".", "[", ".", "]", "").Replace(key)
	return filepath.Join(r.ArtifactsDir, name+".stdout")
}

// A Record is the state of one step as the journal keeps it. The zero times
// are unknown.
type Record struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Status Status `json:"status"`
	// Reason depends on Status. For Skipped it is one of these words: "trigger_rule",
	// "when_condition", "earlier_failure", "run_cancelled", "run_limit", "not_reached" (the
	// run ended before the step), "given" (an input replaced the output) or "timeout" (see
	// Node.SkipOnTimeout). For Cancelled it is "run_cancelled", "run_limit", "not_reached" or
	// "". For Completed it is not "" only if the step cancelled the run: then it is the
	// workflow's own text that says why.
	//
	// For an action that its process left running and that a person then decided to start
	// again, Reason is "interrupted#N", whatever the Status: N is the number of the
	// question that the person answered. New words may appear.
	Reason  string   `json:"reason,omitempty"`
	Text    string   `json:"text,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
	Meta    Meta     `json:"meta,omitzero"`
	// Attempt counts the attempts of an action from 1.
	Attempt int `json:"attempt,omitempty"`
	// Deadline is the end of a sleep, the expiry of a question or, for a running action, the
	// start of its next attempt.
	Deadline time.Time `json:"deadline,omitzero"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Question is the question of a waiting step.
	Question *Question `json:"question,omitempty"`
	// Prompt is the complete prompt with which the step last started. For a script, it's the
	// script and the values of its variables, shortened, with secrets masked.
	Prompt string `json:"prompt,omitempty"`
}

// Result returns the end of the step.
func (r Record) Result() Result {
	return Result{Status: r.Status, Text: r.Text, Failure: r.Failure, Meta: r.Meta}
}

// An Event is an entry of a run's log, for people and programs.
type Event struct {
	// Time is the time of the event.
	Time time.Time `json:"time"`
	// Type is the type, such as "step_started", "step_completed" or "output". New types
	// may appear.
	Type string `json:"type"`
	// Key is the step of the event, or "".
	Key string `json:"node,omitempty"`
	// Message is for people.
	Message string `json:"message,omitempty"`
}

// A Batch is a set of journal entries that are committed together, all or nothing.
type Batch struct {
	// Steps are the new states of steps, in order; a later state of a key replaces an
	// earlier one.
	Steps []Record
	// Events are appended.
	Events []Event
	// Spending is the cost of attempts at prompts that have ended.
	Spending []Spending
	// Messages are queued for people. The store ignores a message whose key it knows.
	Messages []Message
	// Run, if not nil, is the new state of the run, with which the process stops working on
	// it.
	Run *RunState
}

// Empty reports whether there is nothing to commit.
func (b *Batch) Empty() bool {
	return len(b.Steps) == 0 && len(b.Events) == 0 && len(b.Spending) == 0 && len(b.Messages) == 0 && b.Run == nil
}

// A Message is a notice to people that waits in the store until a process has sent it. The
// engine adds it to the batch that it is about, so that no crash loses it.
type Message struct {
	// Key identifies the message in its store.
	Key string
	// Workflow is the name of the run's workflow.
	Workflow string
	// Event is the kind of event, such as "waits" or "failed", and Target the channel that
	// the message goes to.
	Event, Target string
	// Body is the content as JSON.
	Body json.RawMessage
	// Created is the time of the event, and Due the time from which the message may be sent.
	Created, Due time.Time
}

// A RunState is the state of a run when a process stops working on it. The run has ended,
// or it has only paused: see Status.
type RunState struct {
	// Status is Paused, Completed, Failed, Cancelled or LimitReached.
	Status Status `json:"status"`
	// Reason explains the status if necessary.
	Reason string `json:"reason,omitempty"`
	// Error is the failure's text.
	Error string `json:"error,omitempty"`
	// Outputs are the workflow's outputs as JSON: an object, if the code was generated.
	Outputs json.RawMessage `json:"outputs,omitempty"`
	// Summary is the output for people.
	Summary string `json:"summary,omitempty"`
	// Outcome is the verdict of the workflow's author, whatever the status: "succeeded",
	// "failed", or "" if the workflow has none or the run did not come to it. See the
	// function Outcome.
	Outcome string `json:"outcome,omitempty"`
}

// GraphOptions are a caller's options for the run of a state graph.
type GraphOptions struct {
	// Folder is the name of the folder that keeps the state (see package graphfiles), one
	// name without slashes; "" makes one of the workflow's name.
	Folder string `json:"task,omitempty"`
	// Limits replace those of the workflow. A resumed run may have others.
	Limits *GraphLimits `json:"limits,omitempty"`
	// Promise is the word with which an agent ends the run, by replying
	// <promise>WORD</promise>; "" means that agents cannot end the run. (Loops of other
	// workflows end by such a word, too; see package runtime/signal.)
	Promise string `json:"promise,omitempty"`
	// From is the JSON of the GraphState from which this run continues another run. Its
	// Next is a node, or "START" to begin at the start.
	From json.RawMessage `json:"from,omitempty"`
	// Memory selects the agents that have a memory.
	Memory MemoryRule `json:"memory,omitempty"`
	// FromDir is the folder from which From was read (see graphfiles.Continue), or "". The
	// run takes over the agents' memory in it; a run with the same Folder also continues its
	// files.
	FromDir string `json:"from_dir,omitempty"`
	// Force lets the run take over the folder of another workflow.
	Force bool `json:"force,omitempty"`
}

// A MemoryRule selects the agents that have a memory: up to five lines of each of their
// answers, those with words such as "learned", "note", "decision" or "because", become part
// of their later prompts (see package graphfiles). The zero rule selects only the agent with
// the name `self`.
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
