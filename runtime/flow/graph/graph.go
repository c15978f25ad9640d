package graph

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Graph is the definition of a state graph. N is the type of its nodes, whose zero
// value is the end; S is the type of its state, and L that of its nodes' labels. S and L
// are structs that encode to JSON objects.
type Graph[N ~string, S, L any] struct {
	// Info has the version, the edges and the limits.
	Info *flow.GraphInfo
	// Nodes describe the nodes: kinds, labels, branches.
	Nodes []flow.NodeInfo
	// State points to the variables, which have their initial values, and Labels to the
	// last label of each node. A run that continues from a saved state sets both.
	State  *S
	Labels *L
	// Completion are the completion conditions. A run that ends succeeds if one of them
	// holds, or if there are none.
	Completion []func() bool
}

// Outputs are the outputs of a state graph's run.
type Outputs[S, L any] struct {
	// Success means that a completion condition holds, or that there are none.
	Success bool `json:"success"`
	// Node is the node that ended last, Label its label, Text its text.
	Node  string `json:"node"`
	Label string `json:"label"`
	Text  string `json:"text"`
	// Iterations is the number of nodes that have ended.
	Iterations int64 `json:"iterations"`
	// Labels are the last labels of the nodes, State the variables.
	Labels L `json:"labels"`
	State  S `json:"state"`
}

// Summary returns the text of the last node, for people.
func (o Outputs[S, L]) Summary() string { return o.Text }

// An Edge leads to the node To; the zero value of To is the end. The walk takes the edge
// only if the condition When holds. A nil When always holds.
type Edge[N ~string] struct {
	To   N
	When func() bool
}

// A Work describes a node and its work.
type Work[N ~string] struct {
	Node N
	// Timeout limits each action of the node, or the wait for a person; zero means no
	// limit.
	Timeout time.Duration
	// OnTimeout is the label of a node that takes too long, or whose question nobody
	// answers in time. If it is "", the node fails, except that a run that waits for a
	// person pauses.
	OnTimeout string
	// Retry is the retry policy of the node's actions.
	Retry flow.Retry
	// Run does the node's work.
	Run func(c *flow.Context) (NodeResult, error)
	// OnEnd is called when the node has ended with o, unless o has no label; it must not be
	// nil. It keeps the label, and applies the node's handlers: the assignments to the
	// state that the workflow makes when the node ends, depending on the label.
	OnEnd func(o NodeResult)
}

// A Visit describes one visit of a node: its work, branches, interrupts and edges.
type Visit[N ~string] struct {
	Work[N]
	// Branches run side by side before the node ends. If one fails, the others finish;
	// then the node ends with the label OnFailure or, if that is "", fails too.
	Branches  []Work[N]
	OnFailure string
	// Before and After are the interrupts before and after the node.
	Before, After []Interrupt[N]
	// Edges lead to the next node: the walk takes the first edge whose condition holds.
	Edges []Edge[N]
}

// An Interrupt is a question to a person, before or after a node, whether to continue.
// (flow.Interrupted and settings.Interrupts, by contrast, are about steps whose process
// died.)
type Interrupt[N ~string] struct {
	// When decides whether the interrupt asks; nil means that it always asks.
	When func() bool
	// Message is the question, unless Compose is set: then Compose returns it.
	Message string
	Compose func() string
	// Required means that the node cannot be skipped, and that a run with nobody to ask
	// pauses until somebody answers. Without it such a run continues.
	Required bool
	// Skips lets the person skip the node; the walk then continues at SkipTo.
	Skips  bool
	SkipTo N
}

// A NodeResult is the end of a node: one of its labels, and its text.
type NodeResult struct {
	// Label is one of the node's labels.
	Label string
	// Text is an agent's reply, the output of a script or a person's answer; for other
	// nodes it is the label.
	Text string
	// Agent means that the text is an agent's.
	Agent bool
	// Promised means that the agent ended the run, by the word that
	// flow.GraphOptions.Promise names. The label is "" if the reply does not name one.
	Promised bool
}

// Pass returns a function for Work.Run that does nothing and ends with the given label. It is
// for nodes without work, such as a parallel, whose branches do the work, and a checkpoint,
// whose state Walk.Visit saves.
func Pass[T ~string](label T) func(*flow.Context) (NodeResult, error) {
	o := NodeResult{Label: string(label), Text: string(label)}
	return func(*flow.Context) (NodeResult, error) { return o, nil }
}

// Keep returns a function for Work.OnEnd that stores the node's label in *label.
func Keep[T ~string](label *T) func(NodeResult) {
	return func(o NodeResult) { *label = T(o.Label) }
}

// Is returns a condition, such as for Edge.When: whether *label is one of the given labels.
func Is[T ~string](label *T, labels ...T) func() bool {
	return func() bool { return slices.Contains(labels, *label) }
}
