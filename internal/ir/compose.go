package ir

import (
	"encoding/json"
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
)

// Workflows that use others: as separate runs, or with their nodes in place.

// A Call runs another workflow as a separate run. The output is the result of that run;
// with Fan it is the JSON array of the results.
type Call struct {
	Callee *Program
	// Args are the values of the callee's inputs, each once.
	Args []Argument
	// Worktree gives each run a git worktree.
	Worktree bool
	// Fan makes a run of each item of a list; nil means one run.
	Fan *Fan
	// Structured says that the result of a run is JSON, and not plain text.
	Structured bool
	// MayBeEmpty says that the output can be empty text although it is
	// Structured, because the node with the result can be skipped.
	MayBeEmpty bool
}

// SharesCheckout reports whether runs for several items would change one checkout at the
// same time.
func (c *Call) SharesCheckout() bool {
	return c.Fan != nil && c.Fan.Max != 1 && !c.Worktree && c.Callee.Workflow.Exclusive
}

// NeverFails reports whether the node completes however its runs end: it makes a run of each item
// of a constant list, and a failed run is an object in the output.
func (c *Call) NeverFails() bool {
	if c.Fan == nil || c.Fan.AllSuccess || c.Structured || c.SharesCheckout() {
		return false
	}
	var list []json.RawMessage
	items, constant := c.Fan.Items.(*expr.Literal)
	return constant && json.Unmarshal([]byte(items.Text), &list) == nil && list != nil
}

// Callees returns the programs that runs of this one can begin, and those that these can
// begin, each once and after its first caller.
func (p *Program) Callees() []*Program {
	var list []*Program
	var add func(body Body)
	add = func(body Body) {
		Walk(body, func(n *Node) {
			if call, ok := n.Action.(*Call); ok && !slices.Contains(list, call.Callee) {
				list = append(list, call.Callee)
				add(call.Callee.Workflow.Body)
			}
		})
	}
	add(p.Workflow.Body)
	return list
}

// An Argument is the value of an input of a Call.
type Argument struct {
	// Name is the name of the input.
	Name  string
	Value expr.Expr
	Span  source.Span
}

// A Fan is a list whose items are worked on side by side.
type Fan struct {
	// Items is the list. A value that is not a list fails the node.
	Items expr.Expr
	// Item is the variable of the item, for arguments and nodes.
	Item *expr.Declared
	// Max is the most items at the same time; 0 means no limit. MaxSpan is where the file
	// sets it.
	Max     int
	MaxSpan source.Span
	// AllSuccess fails the node if an item failed, once all have ended. Otherwise the
	// place of such an item in the output is an object that says so.
	AllSuccess bool
	Span       source.Span
}

// An Include completes at once, if it runs: then the nodes of its block run, those with
// Within.
type Include struct {
	// Workflow is the name of the workflow that the nodes are from.
	Workflow string
}

// A Block runs nodes for each item of a list. The output is a JSON array with one output
// per item: that of the first node of Last with a non-blank output.
type Block struct {
	// Workflow is the name of the workflow that the nodes are from.
	Workflow string
	Fan      *Fan
	Body     *DAG
	// Last are the nodes with the output of an item, in order.
	Last []*Node
}

// Crowding returns a call in the block whose runs for several items would change one
// checkout at the same time, or nil.
func (b *Block) Crowding() *Call {
	var found *Call
	Walk(b.Body, func(n *Node) {
		if call, ok := n.Action.(*Call); ok && !call.Worktree && call.Callee.Workflow.Exclusive {
			found = call
		}
	})
	if b.Fan.Max == 1 {
		return nil
	}
	return found
}

func (*Call) Kind() string    { return "workflow" }
func (*Include) Kind() string { return "include" }
func (*Block) Kind() string   { return "include" }
