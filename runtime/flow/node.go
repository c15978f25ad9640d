package flow

import "time"

// A NodeState is the state that all contexts of one node share, or those of a part that
// NodeContext.Part made. Packages steps and graph update it.
type NodeState struct {
	// Key is the key of the node.
	Key string
	// Session is the session of the agent that spoke last.
	Session string
	// Unknown has the placeholders of an output that is not known, in plans; otherwise it
	// is nil.
	Unknown Unknown
	// Spent is the cost of the node's parts. The cost of an action under the node's own
	// key is in the node's record already.
	Spent Meta
	// Last is the key of the last action or question.
	Last string
	// Memory is appended to the prompts of agents that have a memory; see MemoryRule.
	Memory string
	// Repeated means that the code repeats a visit of a state graph which an earlier process
	// finished. The record under the node's key may be that of a later visit, so nothing is
	// journalled under this key.
	Repeated bool
	// cancels is the reason for which the node's code cancelled the run.
	cancels string
	// maybe means that the node may be skipped; see plan.go.
	maybe bool
}

// Take adds the results of a part to the node: its cost, its agent's session, its
// unknown output, and that it cancelled the run.
func (n *NodeState) Take(part *NodeState) {
	n.Spent = n.Spent.Plus(part.Spent)
	n.Session = part.Session
	if part.cancels != "" {
		n.cancels = part.cancels
	}
	if part.Unknown != nil {
		n.Unknown = part.Unknown
	}
}

// nodeSettings are the settings of a node that its actions inherit.
type nodeSettings struct {
	timeout time.Duration
	retry   Retry
	fresh   bool
	// readOnly and artifactRefs are those of Action.
	readOnly, artifactRefs bool
}

// flowState is what the tasks of one flow share.
type flowState struct {
	tasks []Dependency
	// deliveries are settled when outputs of tasks are delivered, or cannot be.
	deliveries []*Future
	cancelled  bool
	reason     string
	// plan is what a plan of the run does not know; flows inside one another share it.
	plan *planState
	// inside is the key of the part of a node in which the flow runs, or ""; see nested.go.
	inside string
	// fresh means that the flow's nodes run again in each process of the run.
	fresh bool
	// spent is the cost of the flow's actions.
	spent Meta
	// sequence means that the tasks are steps, one after the other; broken, that one of
	// them failed, so that none follows; stopped, that one did not start because the
	// run was cancelled.
	sequence, broken, stopped bool
	// last are the steps that run at the end of every run.
	last []Dependency
	// halts means that a failure breaks the flow although its tasks are not steps.
	halts bool
}

// doubt is what is uncertain about a node.
type doubt struct {
	key  string
	plan *planState
	// unknown is set if the output is not known.
	unknown Unknown
	// maybe means that the node may be skipped.
	maybe bool
}

// A Dependency is a task of any type.
type Dependency interface {
	// Key is the key of the node: its id in the workflow.
	Key() string
	// State is the task's state: Pending until it is settled.
	State() Status
	// Text is the text of the task's output; see Task.Text.
	Text() (string, error)
	// Placeholder is the placeholder of an output that is not known; see
	// Task.Placeholder.
	Placeholder(path ...string) (text string, ok bool)

	finalText() string
	failure() error
	future() *Future
	session() string
	doubts() *doubt
	// failedUpstream reports whether the task did not complete because of a failure: its
	// own, or that of a node before it.
	failedUpstream() bool
}

// After lists dependencies; it makes generated code readable.
func After(tasks ...Dependency) []Dependency { return tasks }
