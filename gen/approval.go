package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// rejectionVariable is the code of the variable that a rejection gives a value
// to, nil for others.
func rejectionVariable(v expr.Variable) *jen.Statement {
	if v == expr.RejectionReason {
		return jen.Id("reason")
	}
	return nil
}

// approval writes a function that says what to ask, with a function for what
// happens after a rejection.
func (f *function) approval(n *node, a *ir.Approval) {
	d := fields{}
	d.set("Message", f.hold("message", f.template(a.Gate.Message)))
	f.check()
	if n.Timeout > 0 {
		d.set("Timeout", duration(n.Timeout))
	}
	if a.CaptureResponse {
		d.set("Capture", jen.True())
	}
	if a.Rework != nil {
		d.alone("Rework", f.rework(n, a.Rework))
		d.set("MaxRejections", jen.Lit(a.MaxRejections))
	}
	call := jen.Qual(stepsPath, "Approval").Add(lines(f.g.open(n.IDSpan), d.code)).Dot("Run").Call(jen.Id("c"))
	f.g.mark(f.block, n.IDSpan, jen.Return(call))
}

// rework writes the function of what follows a rejection and returns what calls
// it.
func (f *function) rework(n *node, a *ir.Prompt) *jen.Statement {
	part := f.part(n.rework, fmt.Sprintf("asks the agent after node `%s` was rejected.", n.ID), flowResult(), flowResult().Values()).afterRejection()
	at := place(a.Text, n.IDSpan)
	d := part.turn(a, nil, part.continued(a), n.IdleTimeout)
	f.g.mark(part.block, at, jen.Return(part.action(at, "Prompt", d)))
	return f.calls(part)
}
