package graphloop

import (
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// An operand is a term with its meaning.
type operand struct {
	expr expr.Expr
	form form
	// from is where the form is known from, if elsewhere.
	from source.Span
	// label is the node whose last output it is.
	label *nodeDecl
	// isLiteral, isNull and isCondition classify the expression.
	isLiteral, isNull, isCondition bool
	// optional says that it may have no value.
	optional bool
	// current says that it is the name of the node that runs.
	current bool
}

var badOperand = operand{form: anyForm}

func (o operand) isBad() bool { return o.expr == nil }

// lowerConditions turns all conditions into expressions. One in which something
// was reported becomes expr.Bad as a whole.
func (d *decoder) lowerConditions() {
	for _, c := range d.conditions {
		var e expr.Expr
		if c.parsed {
			l := &lowerer{decoder: d, c: c}
			e = l.lowerCondition(c.term)
		}
		if !c.ok || e == nil {
			e = &expr.Bad{At: c.text.Whole()}
		}
		c.set(e)
	}
}

type lowerer struct {
	*decoder
	c *condition
}

func (l *lowerer) reportFault(x *diag.Diagnostic) {
	l.c.ok = false
	l.Bag.Add(x)
}

// lowerCondition lowers a term that must be true or false; nil when it is neither.
func (l *lowerer) lowerCondition(t *term) expr.Expr {
	return l.truthExpr(t, l.lowerOperand(t), true)
}

// truthExpr is the expression that says whether a bool operand has a value. A variable
// without a value is neither true nor false.
func (l *lowerer) truthExpr(t *term, o operand, want bool) expr.Expr {
	switch {
	case o.isBad():
		return nil
	case o.isNull, o.form != boolForm && o.form != anyForm:
		l.reportFault(l.noCondition(t, o))
		return nil
	case o.isLiteral:
		lit := o.expr.(*expr.Literal)
		return boolLiteral(lit.At, (lit.Text == "true") == want)
	case o.optional || o.form == anyForm && !o.isCondition:
		return &expr.Compare{At: t.at, Op: expr.ValueEqual, X: o.expr, Y: boolLiteral(t.at, want)}
	case want:
		return o.expr
	}
	return &expr.Not{At: t.at, X: o.expr}
}

func boolLiteral(at source.Span, value bool) *expr.Literal {
	return &expr.Literal{At: at, Text: strconv.FormatBool(value), Typ: types.Bool}
}

func (l *lowerer) noCondition(t *term, o operand) *diag.Diagnostic {
	written := t.at.Text()
	x := finding.GuardType(t.at, "`"+written+"` is "+o.describe()+", neither true nor false", o.from, "it is "+o.describe()+" here")
	switch {
	case t.kind == textTerm && l.c.isEdge && l.c.from != nil && l.c.from.node.Label(t.text) != nil:
		return x.WithHelp("write `" + t.text + "` without quotes")
	case o.isLiteral:
		return x
	}
	return x.WithHelp("compare it, as in `" + written + " == …`")
}

func (o operand) describe() string {
	if o.isNull {
		return "null"
	}
	return o.form.String()
}

// lowerOperand lowers a term; a bad operand was reported.
func (l *lowerer) lowerOperand(t *term) operand {
	switch t.kind {
	case textTerm:
		return operand{expr: &expr.Literal{At: t.at, Text: t.text, Typ: types.Text}, form: textForm, isLiteral: true}
	case numberTerm:
		return operand{expr: numberLiteral(t), form: numberForm, isLiteral: true}
	case boolTerm:
		return operand{expr: boolLiteral(t.at, t.text == "true"), form: boolForm, isLiteral: true}
	case nullTerm:
		return operand{expr: &expr.Literal{At: t.at, Text: "null", Typ: types.Null}, form: anyForm, isLiteral: true, isNull: true}
	case nameTerm:
		return l.lowerLabel(t)
	case stateTerm:
		return l.lowerState(t)
	case outputTerm:
		e := l.lastLabel(t.node, t.at, l.c.isEdge && t.node == l.c.from)
		return operand{expr: e, form: textForm, label: t.node, optional: true}
	case notTerm:
		return l.lowerNegation(t)
	case andTerm, orTerm:
		return l.lowerConnective(t)
	case compareTerm:
		return l.lowerComparison(t)
	}
	return badOperand
}

func numberLiteral(t *term) *expr.Literal {
	lit := &expr.Literal{At: t.at, Text: t.text, Typ: types.Float}
	if isWholeText(t.text) {
		lit.Typ = types.Int
	}
	return lit
}

// lowerLabel is the condition that the last label of t.node is t.text: of the node that the edge leaves.
func (l *lowerer) lowerLabel(t *term) operand {
	return operand{form: boolForm, isCondition: true, expr: &expr.Compare{
		At: t.at, Op: expr.ValueEqual,
		X: l.lastLabel(t.node, t.at, true),
		Y: &expr.Literal{At: t.at, Text: t.text, Typ: types.Text},
	}}
}

func (l *lowerer) lowerState(t *term) operand {
	if t.measure.known {
		return operand{
			expr: &expr.Progress{At: t.at, Measure: t.measure.of}, form: t.measure.valueForm(),
			current: t.measure.of == expr.CurrentNode,
		}
	}
	s, field := t.variable.typ.findRoot(), t.variable.field
	o := operand{expr: &expr.State{At: t.at, Name: field.Name, Typ: field.Type}, form: s.form, from: s.from}
	_, o.optional = field.Type.(*types.Optional)
	if o.form == unknownForm {
		o.form = anyForm
	}
	return o
}

func (l *lowerer) lowerNegation(t *term) operand {
	x := l.lowerCondition(t.args[0])
	if x == nil {
		return badOperand
	}
	return operand{expr: &expr.Not{At: t.at, X: x}, form: boolForm, isCondition: true}
}

func (l *lowerer) lowerConnective(t *term) operand {
	x, y := l.lowerCondition(t.args[0]), l.lowerCondition(t.args[1])
	if x == nil || y == nil {
		return badOperand
	}
	op := expr.And
	if t.kind == orTerm {
		op = expr.Or
	}
	return operand{expr: &expr.Logic{At: t.at, Op: op, X: x, Y: y}, form: boolForm, isCondition: true}
}

// lowerComparison lowers a comparison. A constant is on the right afterwards; comparisons
// of constants and of conditions become something simpler.
func (l *lowerer) lowerComparison(t *term) operand {
	x, y := l.lowerOperand(t.args[0]), l.lowerOperand(t.args[1])
	if x.isBad() || y.isBad() {
		return badOperand
	}
	left, right, op := t.args[0], t.args[1], t.op
	if x.isLiteral && !y.isLiteral {
		x, y, left, right, op = y, x, right, left, op.Mirrored()
	}
	if !l.checkComparable(t, left, right, x, y) {
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
	both := &expr.Logic{At: t.at, Op: expr.And, X: l.truthExpr(left, x, true), Y: l.truthExpr(right, y, true)}
	neither := &expr.Logic{At: t.at, Op: expr.And, X: l.truthExpr(left, x, false), Y: l.truthExpr(right, y, false)}
	var same expr.Expr = &expr.Logic{At: t.at, Op: expr.Or, X: both, Y: neither}
	if y.isLiteral {
		same = l.truthExpr(left, x, y.expr.(*expr.Literal).Text == "true")
	}
	if op == expr.ValueNotEqual {
		return &expr.Not{At: t.at, X: same}
	}
	return same
}

// checkComparable reports whether two operands can be compared, and why not.
func (l *lowerer) checkComparable(t, left, right *term, x, y operand) bool {
	ordered := t.op != expr.ValueEqual && t.op != expr.ValueNotEqual
	site, why := x.from, "it is "+x.describe()+" here"
	if !site.IsValid() {
		site, why = y.from, "it is "+y.describe()+" here"
	}
	switch {
	case ordered && (y.isNull || x.isNull):
		l.reportFault(finding.GuardType(t.at, "`"+t.op.String()+"` orders values, but null has no order", site, why).
			WithHelp("use `== null` or `!= null` to test whether the value exists"))
		return false
	case y.isNull || x.isNull:
		return true
	case isCompound(x.form) || isCompound(y.form):
		l.reportFault(finding.GuardType(t.at, "lists and objects can be compared only with null", site, why))
		return false
	case ordered && (x.form == boolForm || y.form == boolForm):
		l.reportFault(finding.GuardType(t.at, "`"+t.op.String()+"` orders numbers and strings, not booleans", site, why))
		return false
	case x.form != y.form && x.form != anyForm && y.form != anyForm:
		l.reportFault(l.mixedTypesFinding(t, left, right, x, y).WithRelated(site, why))
		return false
	}
	return l.knownName(right, x, y) && l.knownName(left, y, x)
}

func isCompound(f form) bool { return f == listForm || f == mapForm }

// mixedTypesFinding reports operands of different types.
func (l *lowerer) mixedTypesFinding(t, left, right *term, x, y operand) *diag.Diagnostic {
	d := finding.GuardType(t.at, "`"+left.at.Text()+"` is "+x.describe()+", but `"+right.at.Text()+"` is "+y.describe(), t.at, "")
	d.Related = nil
	if lit, ok := y.expr.(*expr.Literal); ok && y.form == textForm {
		_, err := strconv.ParseFloat(lit.Text, 64)
		if x.form == numberForm && err == nil || x.form == boolForm && (lit.Text == "true" || lit.Text == "false") {
			return finding.Meant(d, lit.At, lit.Text, lit.Text)
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
		l.reportFault(finding.UnknownOutput(t.at, "`"+id+"` has no output `"+lit.Text+"`", lit.Text, with.label.outputNames()))
		return false
	case with.current && l.byID[lit.Text] == nil:
		l.reportFault(finding.UnknownNodeInCondition(t.at, t.at, lit.Text, l.nodeIDs()))
		return false
	}
	return true
}
