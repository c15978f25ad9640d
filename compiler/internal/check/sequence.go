package check

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// checkSequence reports loops of steps whose condition does not depend on the
// results of their iterations: nothing else that an expression can read changes
// while a step runs.
func checkSequence(body *ir.Sequence, bag *diag.Bag) {
	for _, n := range body.Nodes {
		again, ok := n.Action.(*ir.Again)
		if !ok {
			continue
		}
		if _, constant := expr.Constant(again.Cond); constant {
			continue // the front end knows how it was written
		}
		if !changes(again.Cond, again.Previous) {
			bag.Add(finding.UnchangingLoop(again.Cond.Span(), n.ID, again.Until))
		}
	}
}

// changes reports whether an expression reads a result of the iteration. A faulty
// expression may.
func changes(e expr.Expr, previous *expr.Declared) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Local:
			found = found || x.Of == previous
		case *expr.Bad:
			found = true
		}
		return !found
	})
	return found
}
