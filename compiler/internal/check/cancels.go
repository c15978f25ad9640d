package check

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// cancels reports nodes whose trigger rule needs a node that ends the run. A
// cancel node that completes lets nothing start after it, and one that was
// skipped satisfies no rule that asks for success.
func (a *analysis) cancels(bag *diag.Bag) {
	for _, n := range a.nodes {
		for _, need := range n.Needs {
			_, ends := need.Node.Action.(*ir.Cancel)
			if ends && !need.Order && demandsAll(n) {
				bag.Add(finding.AfterCancel(need.Span, n.ID, need.Node.ID, n.Trigger.String()))
			}
		}
	}
}

// demandsAll reports whether a node runs only if all its dependencies complete.
func demandsAll(n *ir.Node) bool {
	switch n.Trigger {
	case ir.AllSuccess:
		return true
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		return countDeclared(n) == 1
	}
	return false
}
