package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// noReference deals with a comparison that does not start with a reference.
func (p *whenParser) noReference(t whenToken) expr.Expr {
	switch t.kind {
	case whenEnd, whenAnd, whenOr, whenClose:
		p.missingComparison(t)
		return &expr.Bad{At: p.span(t)}
	case whenOpenQuote:
		p.openQuote(t)
	case whenString, whenNumber, whenWord:
		if _, _, ok := connectiveOf(t); ok {
			p.missingComparison(t)
			return &expr.Bad{At: p.span(t)}
		}
		p.literalFirst(t)
	case whenCompare, whenStrange:
		if _, _, ok := connectiveOf(t); ok {
			p.missingComparison(t)
			return &expr.Bad{At: p.span(t)}
		}
		p.bag.Add(finding.ConditionIncomplete(p.span(t), "missing value before `"+t.text+"`"))
	default:
		p.bag.Add(finding.ConditionSyntax(p.span(t), "`"+t.text+"` cannot start a comparison").
			WithHelp("start with a reference such as `$check.output`"))
	}
	p.skip()
	return p.bad(t)
}

func (p *whenParser) missingComparison(t whenToken) {
	at := p.span(t)
	problem := "missing comparison before `" + t.text + "`"
	if t.kind == whenEnd {
		at = p.text.Span(max(p.before()-2, 0), p.before())
		problem = "missing comparison at the end"
	}
	p.bag.Add(finding.ConditionIncomplete(at, problem))
}

// flipped are the operators with their sides exchanged.
var flipped = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// literalFirst reports a comparison that starts with a literal or a word.
func (p *whenParser) literalFirst(t whenToken) {
	op, right := p.peekAt(1), p.peekAt(2)
	switch {
	case op.kind == whenCompare && right.kind == whenRef:
		p.next()
		p.next()
		p.next()
		p.reference(right)
		turned := right.text + " " + flipped[op.text] + " " + t.text
		p.bag.Add(finding.ConditionOperand(p.span(t), "the reference must be on the left").
			WithFix("write `"+turned+"`", p.text.Span(t.start, right.end), turned, true))
	case t.kind == whenWord && strings.Contains(t.text, "."):
		d := finding.ConditionOperand(p.span(t), "`"+t.text+"` is not a reference")
		if id, rest, _ := strings.Cut(t.text, "."); referable(id) && rest != "" {
			d.WithFix("write `$"+t.text+"`", p.text.Span(t.start, t.start), "$", false)
		}
		p.bag.Add(d.WithHelp("write a reference such as `$check.output`"))
	case op.kind == whenCompare || op.kind == whenStrange && meantOps[op.text] != "":
		p.bag.Add(finding.ConditionOperand(p.span(t), "`"+t.text+"` is not a reference").
			WithHelp("write a node's output on the left, such as `$check.output`"))
	default:
		p.bag.Add(finding.ConditionIncomplete(p.span(t), "`"+t.text+"` is not a comparison").
			WithHelp("compare a node's output, as in `$check.output == 'ok'`, or remove `when`"))
	}
}
