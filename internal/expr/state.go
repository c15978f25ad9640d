package expr

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

// Expressions of state graphs: their variables, their progress, and the last labels
// of their nodes.

// A State reads a variable of the graph's state. As text a variable is the text
// itself, a number in its shortest form, true or false; a list of such values is
// theirs, joined by ", ", and everything else compact JSON. One without a value is
// the empty text.
type State struct {
	At   source.Span
	Name string
	// Typ is the variable's type, a types.Optional when it may have no value yet.
	Typ types.Type
}

// A LastLabel is the label that a node last ended with: an Enum of its labels,
// Optional unless the node has ended whenever the expression is evaluated. It is
// compared with a Literal of type Text or Null, with a State, or with another.
type LastLabel struct {
	At source.Span
	// Node is the node's id.
	Node string
	Typ  types.Type
}

// A Said is the text that a node gave: an agent's reply, a script's output, a
// user's words. It occurs only in the node's handlers; its type is Text.
type Said struct {
	At source.Span
}

// A Measure is something that a run of a graph knows of itself.
type Measure int

// The measures.
const (
	// Iteration is the number of nodes that have ended; its type is Int.
	Iteration Measure = iota
	// CurrentNode is the id of the node that runs or has just ended.
	CurrentNode
	// StartedAt is when the run began, as RFC 3339.
	StartedAt
	// NodesExecuted are the ids of the nodes that have ended, in order; its type is
	// a list of Text.
	NodesExecuted
	// CostUSD is the cost of agents so far; its type is Float.
	CostUSD
)

var measureNames = [...]string{"iteration", "current_node", "started_at", "nodes_executed", "estimated_cost"}

func (m Measure) String() string { return measureNames[m] }

// A Progress reads a measure.
type Progress struct {
	At      source.Span
	Measure Measure
}

// Type implements Expr.
func (e *State) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *LastLabel) Type() types.Type { return e.Typ }

// Type implements Expr.
func (e *Said) Type() types.Type { return types.Text }

// Type implements Expr.
func (e *Progress) Type() types.Type {
	switch e.Measure {
	case Iteration:
		return types.Int
	case NodesExecuted:
		return &types.List{Elem: types.Text}
	case CostUSD:
		return types.Float
	}
	return types.Text
}

// Span implements Expr.
func (e *State) Span() source.Span { return e.At }

// Span implements Expr.
func (e *LastLabel) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Said) Span() source.Span { return e.At }

// Span implements Expr.
func (e *Progress) Span() source.Span { return e.At }

func (*State) visitOperands(func(*Expr))     {}
func (*LastLabel) visitOperands(func(*Expr)) {}
func (*Said) visitOperands(func(*Expr))      {}
func (*Progress) visitOperands(func(*Expr))  {}
