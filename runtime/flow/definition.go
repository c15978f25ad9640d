package flow

import (
	"encoding/json"
	"time"
)

// A Definition is a compiled workflow: what generated packages export as
// Workflow. It is data but for Flow.
type Definition struct {
	Name        string
	Description string
	// Source is the workflow file's name, without its folder.
	Source string
	// Fingerprint is the SHA-256, in hexadecimal, of the workflow's canonical
	// form with all embedded files and constants; comments, positions and the
	// compiler's version have no part in it.
	Fingerprint string
	Inputs      []InputInfo
	// Nodes are the nodes in definition order.
	Nodes []NodeInfo
	// Agents are the names of the agents that prompts are given to.
	Agents []string
	// Uses says which run variables the workflow reads.
	UsesBaseBranch bool
	// Exclusive says that at most one run at a time may work on a checkout.
	Exclusive bool
	// Worktree says whether runs work in a git worktree of their own.
	Worktree WorktreeRule
	// Tags and Options are shown by info.
	Tags    []string
	Options []Option
	// Schedule is the cron expression that says when the workflow is to run, or
	// "". It was checked when the workflow was compiled.
	Schedule string
	// Concurrency is how many actions of a run are performed at once when nobody
	// says otherwise; 0 leaves that to the engine.
	Concurrency int
	// DeliverTo are the targets that the workflow's result is delivered to.
	DeliverTo []string
	// Graph is what a state graph has besides, or nil for other workflows.
	Graph *GraphInfo
	// Flow is the workflow's code. It returns the outputs, which encode to a
	// JSON object, and the verdict.
	Flow func(c *Context) (any, error)
}

// A WorktreeRule says whether every run of a workflow works in a separate git worktree.
// The zero rule leaves the choice to whoever starts a run.
type WorktreeRule int

const (
	// WorktreeAlways: every run has its own worktree.
	WorktreeAlways WorktreeRule = iota + 1
	// WorktreeNever: runs work in the folder where they are started.
	WorktreeNever
)

// An InputInfo describes one input.
type InputInfo struct {
	// Name is the input's name: the key in the JSON object of inputs and the
	// command line flag.
	Name string
	// Type is text, word, line, path, int, float or bool.
	Type string
	Doc  string
	// Default is the JSON value taken when none is given; nil makes the input
	// required.
	Default json.RawMessage
	// Rest says that the command line's free arguments, joined by blanks, are
	// its value.
	Rest bool
	// Position is the place of the input among the command line's free arguments,
	// from 1 on; 0 means that it has none.
	Position int
	// Replaces is the step of which a value given for the input, which is JSON,
	// takes the place, or "".
	Replaces string
}

// A NodeInfo describes one node for status, graph and info.
type NodeInfo struct {
	Key  string
	Kind string
	// After are the keys of the dependencies; Order those that only order.
	After, Order []string
	// Rule is the trigger rule's name, or "" for all_success.
	Rule string
	// When is the condition as written, or "".
	When string
	// Line is the line of the workflow file where the node is defined.
	Line int
	// Agent is the agent of a prompt.
	Agent string
	// DeliverTo are the targets that the node's output is delivered to.
	DeliverTo []string
	// Artifact is the type under which the node's output is kept as an
	// artifact once it completed, or "".
	Artifact string
	// Reviewed says that a person looks at the output before the run goes on.
	Reviewed bool
	// Loop is what a loop goes through, or its condition, for people.
	Loop string
	// Inside are the nodes inside this one: what a loop repeats, under the loop's own
	// key, and what runs side by side, whose parts stand under this key and theirs.
	Inside []NodeInfo
	// Labels are the outputs that a node of a state graph may have, in order.
	Labels []string
	// Branches are the keys of the nodes that a parallel runs side by side, Waits
	// those that a join waits for.
	Branches, Waits []string
}

// A GraphInfo describes a state graph.
type GraphInfo struct {
	// Version is the version that the workflow says it has.
	Version string
	// Edges are the edges in the order in which they are tried, those of START
	// first.
	Edges []EdgeInfo
	// Limits are the workflow's own; a run may have others.
	Limits Limits
	// State are the variables, in order.
	State []VariableInfo
	// Text is the workflow's file as it was compiled. A copy of it stands beside
	// the saved state.
	Text string
}

// A VariableInfo describes a variable of a state graph.
type VariableInfo struct {
	Name string
	// Type is text, int, float, bool, json for any value, or list with the type
	// of the elements behind it: `list text`.
	Type string
	// Optional says that there may be no value.
	Optional bool
}

// An EdgeInfo describes an edge of a state graph.
type EdgeInfo struct {
	// From is "" for the start, To is "" for the end.
	From, To string
	// Guard is the condition as written, or "".
	Guard string
}

// Limits end the run of a state graph, which can be resumed with others. Zero is no
// limit.
type Limits struct {
	// Iterations is how many nodes may end.
	Iterations int `json:"max_iterations,omitempty"`
	// Time is how long the run may take, the time that people take included.
	Time time.Duration `json:"max_time,omitempty"`
	// CostUSD is what agents may cost.
	CostUSD float64 `json:"max_cost_dollars,omitempty"`
	// Parallel is how many branches run at once.
	Parallel int `json:"max_parallel_branches,omitempty"`
}
