package ir

import (
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A Graph is a state graph. One node runs at a time; it ends with a label, one of
// the outputs that it declares; its handlers for that label change the state;
// then the first outgoing edge whose guard holds says which node is next. Cycles
// are allowed. The branches of a Parallel run side by side, and their handlers
// are applied together when all of them have ended, in the order of branches.
type Graph struct {
	// Nodes are all nodes in definition order, branches too.
	Nodes []*Node
	// Start are the edges that say which node is first.
	Start []*Edge
	State *State
	// Limits end the run; its work can be gone on with.
	Limits Limits
	// Interrupts ask a person before or after nodes, in order.
	Interrupts []*Interrupt
	// Goals decide whether a finished run is a success: one of them has to hold.
	// None means that reaching an end is enough.
	Goals []*Goal
	// Version is the version that the file gives itself.
	Version string
	// EdgesSpan is the key of the edges.
	EdgesSpan source.Span
	// Broken says that some edges are missing because their target is unclear,
	// which has been reported: nothing is known about reachability. A broken node
	// is marked by Node.Broken, a broken condition by expr.Bad; each silences only
	// its own followers.
	Broken bool `fingerprint:"omit"`
}

// All implements Body.
func (b *Graph) All() []*Node { return b.Nodes }

// An Edge leads from one node of a Graph to another.
type Edge struct {
	// From is nil for the edges that start the graph; To is nil for those that
	// end it.
	From, To *Node
	// Guard is nil for an edge that is always taken.
	Guard expr.Expr
	// GuardText is the guard as written, for messages.
	GuardText string `fingerprint:"omit"`
	// Span is the whole edge; GuardSpan its condition, or the zero Span.
	Span, GuardSpan source.Span
}

// A State is the typed memory of a Graph.
type State struct {
	Fields []*StateField
}

// Field returns the variable of a name, or nil.
func (s *State) Field(name string) *StateField {
	if s == nil {
		return nil
	}
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// LabelNames returns the names of the node's labels.
func (n *Node) LabelNames() (names []string) {
	for _, l := range n.Labels {
		names = append(names, l.Name)
	}
	return names
}

// Guards returns the conditions of edges.
func Guards(edges []*Edge) (list []expr.Expr) {
	for _, e := range edges {
		list = append(list, e.Guard)
	}
	return list
}

// A StateField is one variable of a State.
type StateField struct {
	Name string
	// Type is a types.Optional for a variable that has no value until a handler
	// gives it one.
	Type types.Type
	// Initial is the value that it starts with, an Input for one that the caller
	// gives; nil for an Optional that begins without a value. One that begins with
	// a value is an Optional when a handler may take it away.
	Initial expr.Expr
	// Declared says that the file declares it; otherwise only a handler mentions
	// it.
	Declared bool
	Span     source.Span
}

// A Label is one of the outputs that a node of a Graph may have.
type Label struct {
	Name string
	Span source.Span
	// Failure says that the label represents a failure: the one of an exit code
	// other than 0, of a time limit.
	Failure bool
}

// Label returns the node's label of a name, or nil.
func (n *Node) Label(name string) *Label {
	for _, l := range n.Labels {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// PassLabel returns the label of a node that does nothing itself, and of a parallel whose
// branches have ended; "" for a node without labels.
func (n *Node) PassLabel() string {
	for _, l := range n.Labels {
		if !l.Failure {
			return l.Name
		}
	}
	if len(n.Labels) > 0 {
		return n.Labels[0].Name
	}
	return ""
}

// FailureLabel returns the label of a script that fails, and of a parallel that continues
// after a branch failed, or "".
func (n *Node) FailureLabel() string {
	for _, l := range n.Labels {
		if l.Failure && l.Name != "timeout" && l.Name != "no" {
			return l.Name
		}
	}
	return ""
}

// A Handler changes the state when a node has ended with a label.
type Handler struct {
	// Label is the label's name; LabelSpan is where the handler names it.
	Label     string
	LabelSpan source.Span
	// Assigns are performed in order.
	Assigns []*Assign
}

// An Assign gives a variable a value, or appends it to the variable's list.
type Assign struct {
	Field  *StateField
	Append bool
	// Value is an expr.Literal, or an expr.Said for the text that the node gave.
	// The run converts that text to the variable's type; if it cannot, the variable
	// keeps its value and the run warns.
	Value expr.Expr
	// Span is the variable's name in the handler; ValueSpan its value.
	Span, ValueSpan source.Span
}

// Limits end a run of a Graph. The run checks them when a node has ended, then
// stops, keeps its state, and can be resumed with other limits. Zero is not a
// limit.
type Limits struct {
	// Iterations is how many nodes may end, branches and parallels too.
	Iterations int
	// Time is the maximum duration of the run, with the time that users take.
	Time time.Duration
	// CostUSD is the maximum cost of its agents.
	CostUSD float64
	// Parallel is how many branches run at once.
	Parallel int
	// IterationsSpan and the others are where the limits are set.
	IterationsSpan, CostSpan, ParallelSpan source.Span
}

// An Interrupt asks a person whether to continue. Those before a node are asked
// when an edge to it was taken, those after one when its handlers have run.
type Interrupt struct {
	Node  *Node
	After bool
	// When is the condition, or nil.
	When expr.Expr
	// WhenText is the condition as written, for messages.
	WhenText string `fingerprint:"omit"`
	Message  *template.Template
	// Required says that it cannot be skipped: a person has to answer yes or no. An
	// unattended run stops there; at an optional one it continues.
	Required bool
	// Skip is the edge taken when the node is skipped: an edge of Node, or nil if
	// every edge needs the node's output.
	Skip *Edge
	Span source.Span
}

// A Goal is one way for a run to be a success.
type Goal struct {
	// Cond holds when the goal is met.
	Cond expr.Expr
	// Text is the goal as written, for messages.
	Text string `fingerprint:"omit"`
	Span source.Span
}

// A Decision ends with its first label when its condition holds, else with its
// second.
type Decision struct {
	Cond     expr.Expr
	CondText string `fingerprint:"omit"`
}

// A Parallel runs its branches side by side and ends, when all have, with its
// only label.
type Parallel struct {
	Branches []*Node
	// Join is the node at which the branches meet: of those that wait for any of
	// them the one that waits for most. It is nil when none does.
	Join *Node
	// BranchesSpan is the key of the branches, BranchSpans the places that name
	// them.
	BranchesSpan source.Span
	BranchSpans  []source.Span
}

// A Join is where the branches of a Parallel meet. When it has an agent, that
// ends with a label as a prompt does; otherwise it has one label.
type Join struct {
	Waits []*Node
	// Prompt is the prompt of its agent, or nil.
	Prompt *Prompt
	// WaitsSpan is the key of the nodes that it waits for, WaitSpans the places
	// that name them.
	WaitsSpan source.Span
	WaitSpans []source.Span
}

// A Human asks a person, who answers with one of the labels.
type Human struct {
	Message *template.Template
	// Default is the label if nobody answers within the node's Timeout. If it is
	// "", the label is `timeout` if there is one; otherwise the run stops there and
	// can be resumed.
	Default string
}

// A Checkpoint makes sure that everything is on disk, and keeps a copy of the
// state that is marked as one.
type Checkpoint struct{}

func (*Decision) Kind() string   { return "decision" }
func (*Parallel) Kind() string   { return "parallel" }
func (*Join) Kind() string       { return "join" }
func (*Human) Kind() string      { return "human" }
func (*Checkpoint) Kind() string { return "checkpoint" }
