package archon

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// refuseComparisons reports comparisons in a condition that only the newer rules refuse:
// those of the whole reply of an agent, and those of a field that is an object or a list.
// If only the run knows whether a field is one, the run fails the node.
func (r *resolver) refuseComparisons(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		c, ok := e.(*expr.Compare)
		if !ok {
			return true
		}
		switch x := c.X.(type) {
		case *expr.Output:
			lit, fixed := c.Y.(*expr.Literal)
			if x.Previous && fixed && lit.Text == "" {
				return false // it asks for the first iteration
			}
			if r.isWholeReply(x) {
				r.bag.Add(finding.WholeComparison(x.At, x.Node, r.all[x.Node].Action.Kind() != (*ir.Loop)(nil).Kind()))
				c.X = &expr.Bad{At: x.At} // the checks have nothing to add
			}
		case *expr.Field:
			if kind, fields := expr.Composite(x.Typ); kind != "" && !c.Op.IsNumeric() {
				d := finding.ObjectComparison(x.At, x.Path[0], kind, nil)
				if len(fields) > 0 {
					d.WithHelp("declare the value to compare as a top-level field of `" + x.Node + "`: conditions do not reach into `" + x.Path[0] + "`")
				}
				d.Severity = diag.Error
				r.bag.Add(d)
				c.X = &expr.Bad{At: x.At}
			}
			x.Scalar = x.Typ == types.Any && !c.Op.IsNumeric() // a number is parsed
		}
		return false
	})
}

// isWholeReply reports whether an output is the free text of an agent.
func (r *resolver) isWholeReply(out *expr.Output) bool {
	producer := r.all[out.Node]
	if producer.Schema != "" || producer.Output == types.Invalid || r.formed[producer] {
		return false
	}
	kind := producer.Action.Kind()
	return kind == (*ir.Prompt)(nil).Kind() || kind == (*ir.Loop)(nil).Kind()
}
