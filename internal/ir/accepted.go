package ir

import "github.com/wfc-lang/wfc/internal/expr"

// AlwaysAccepted returns the reviewed step of a sequence whose acceptance is the whole
// condition, if the condition holds whenever a step behind it comes to it; else nil. A
// rejection cancels the run, and a value that an input gives counts as accepted, so only a
// condition of the reviewed step could make the condition false.
func (b *Sequence) AlwaysAccepted(cond expr.Expr) *Node {
	id := acceptance(cond)
	for _, n := range b.Nodes {
		if n.ID == id && n.Review != nil && n.When == nil && !n.SkipTimeout {
			return n
		}
	}
	return nil
}

// acceptance returns the id of the step whose acceptance is the whole condition, or "".
func acceptance(e expr.Expr) string {
	for {
		switch x := e.(type) {
		case *expr.Approved:
			return x.Node
		case *expr.Attr: // a review sets this field of an object
			if step, ok := x.X.(*expr.StepValue); ok && x.Name == "approved" {
				return step.Node
			}
			return ""
		case *expr.Holds:
			e = x.X
		case *expr.Str:
			e = x.X
		default:
			return ""
		}
	}
}
