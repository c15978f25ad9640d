package graphloop

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
)

// compare lowers a comparison. A constant is on the right afterwards; comparisons
// of constants and of conditions become something simpler.
func (l *lowerer) compare(t *term) operand {
	x, y := l.operand(t.args[0]), l.operand(t.args[1])
	if x.isBad() || y.isBad() {
		return badOperand
	}
	left, right, op := t.args[0], t.args[1], t.op
	if x.isLiteral && !y.isLiteral {
		x, y, left, right, op = y, x, right, left, op.Mirrored()
	}
	if !l.comparable(t, left, right, x, y) {
		return badOperand
	}
	o := operand{form: boolForm, isCondition: true}
	switch {
	case x.isLiteral:
		o.expr = expr.Fold(&expr.Compare{At: t.at, Op: op, X: x.expr, Y: y.expr})
		o.isLiteral, o.isCondition = true, false
	case y.isNull || !x.isCondition && !y.isCondition:
		o.expr = &expr.Compare{At: t.at, Op: op, X: x.expr, Y: y.expr}
	default:
		o.expr = l.sameTruth(t, left, right, x, y, op)
	}
	if o.expr == nil {
		return badOperand
	}
	return o
}

// sameTruth compares conditions: both hold, or neither does.
func (l *lowerer) sameTruth(t, left, right *term, x, y operand, op expr.CompareOp) expr.Expr {
	both := &expr.Logic{At: t.at, Op: expr.And, X: l.truth(left, x, true), Y: l.truth(right, y, true)}
	neither := &expr.Logic{At: t.at, Op: expr.And, X: l.truth(left, x, false), Y: l.truth(right, y, false)}
	var same expr.Expr = &expr.Logic{At: t.at, Op: expr.Or, X: both, Y: neither}
	if y.isLiteral {
		same = l.truth(left, x, y.expr.(*expr.Literal).Text == "true")
	}
	if op == expr.ValueNotEqual {
		return &expr.Not{At: t.at, X: same}
	}
	return same
}

// comparable reports whether two operands can be compared, and why not.
func (l *lowerer) comparable(t, left, right *term, x, y operand) bool {
	ordered := t.op != expr.ValueEqual && t.op != expr.ValueNotEqual
	site, why := x.from, "it is "+x.describe()+" here"
	if !site.IsValid() {
		site, why = y.from, "it is "+y.describe()+" here"
	}
	switch {
	case ordered && (y.isNull || x.isNull):
		l.fail(finding.GuardType(t.at, "`"+t.op.String()+"` orders values, but null has no order", site, why).
			WithHelp("use `== null` or `!= null` to test whether the value exists"))
		return false
	case y.isNull || x.isNull:
		return true
	case isCompound(x.form) || isCompound(y.form):
		l.fail(finding.GuardType(t.at, "lists and objects can be compared only with null", site, why))
		return false
	case ordered && (x.form == boolForm || y.form == boolForm):
		l.fail(finding.GuardType(t.at, "`"+t.op.String()+"` orders numbers and strings, not booleans", site, why))
		return false
	case x.form != y.form && x.form != anyForm && y.form != anyForm:
		l.fail(l.mixed(t, left, right, x, y).WithRelated(site, why))
		return false
	}
	return l.knownName(right, x, y) && l.knownName(left, y, x)
}

func isCompound(f form) bool { return f == listForm || f == mapForm }

// mixed reports operands of different types.
func (l *lowerer) mixed(t, left, right *term, x, y operand) *diag.Diagnostic {
	d := finding.GuardType(t.at, "`"+left.at.Text()+"` is "+x.describe()+", but `"+right.at.Text()+"` is "+y.describe(), t.at, "")
	d.Related = nil
	if lit, ok := y.expr.(*expr.Literal); ok && y.form == textForm {
		_, err := strconv.ParseFloat(lit.Text, 64)
		if x.form == numberForm && err == nil || x.form == boolForm && (lit.Text == "true" || lit.Text == "false") {
			return d.WithHelp("did you mean `"+lit.Text+"`?").WithFix("remove the quotes", lit.At, lit.Text, false)
		}
	}
	return d
}

// knownName reports whether a constant that is compared with the output of a
// node, or with the node that runs, is the name of one.
func (l *lowerer) knownName(t *term, with, o operand) bool {
	lit, ok := o.expr.(*expr.Literal)
	if !ok || o.form != textForm {
		return true
	}
	switch {
	case with.label != nil && with.label.labelsKnown && with.label.node.Label(lit.Text) == nil:
		id := with.label.node.ID
		l.fail(finding.UnknownOutput(t.at, "`"+id+"` has no output `"+lit.Text+"`", lit.Text, with.label.labels()))
		return false
	case with.current && l.byID[lit.Text] == nil:
		l.fail(finding.UnknownNodeInCondition(t.at, lit.Text, finding.Nearest(lit.Text, l.ids()), nil))
		return false
	}
	return true
}

// looksLikeExpression reports whether a text was perhaps meant to be worked out.
func looksLikeExpression(s string) bool {
	return strings.HasPrefix(s, "state.") || strings.HasPrefix(s, "outputs.") || strings.ContainsAny(s, "+*")
}
