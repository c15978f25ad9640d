package graphloop

import (
	"strconv"
	"strings"

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
			e = l.condition(c.term)
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

func (l *lowerer) fail(x *diag.Diagnostic) {
	l.c.ok = false
	l.Bag.Add(x)
}

// condition lowers a term that must be true or false; nil when it is neither.
func (l *lowerer) condition(t *term) expr.Expr {
	return l.truth(t, l.operand(t), true)
}

// truth is the expression that says whether a bool operand has a value. A variable
// without a value is neither true nor false.
func (l *lowerer) truth(t *term, o operand, want bool) expr.Expr {
	switch {
	case o.isBad():
		return nil
	case o.isNull, o.form != boolForm && o.form != anyForm:
		l.fail(l.noCondition(t, o))
		return nil
	case o.isLiteral:
		lit := o.expr.(*expr.Literal)
		return boolean(lit.At, (lit.Text == "true") == want)
	case o.optional || o.form == anyForm && !o.isCondition:
		return &expr.Compare{At: t.at, Op: expr.ValueEqual, X: o.expr, Y: boolean(t.at, want)}
	case want:
		return o.expr
	}
	return &expr.Not{At: t.at, X: o.expr}
}

func boolean(at source.Span, value bool) *expr.Literal {
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

// operand lowers a term; a bad operand was reported.
func (l *lowerer) operand(t *term) operand {
	switch t.kind {
	case textTerm:
		return operand{expr: &expr.Literal{At: t.at, Text: t.text, Typ: types.Text}, form: textForm, isLiteral: true}
	case numberTerm:
		return operand{expr: numberLiteral(t), form: numberForm, isLiteral: true}
	case boolTerm:
		return operand{expr: boolean(t.at, t.text == "true"), form: boolForm, isLiteral: true}
	case nullTerm:
		return operand{expr: &expr.Literal{At: t.at, Text: "null", Typ: types.Null}, form: anyForm, isLiteral: true, isNull: true}
	case nameTerm:
		return l.named(t)
	case stateTerm:
		return l.state(t)
	case outputTerm:
		e := l.lastLabel(t.node, t.at, l.c.isEdge && t.node == l.c.from)
		return operand{expr: e, form: textForm, label: t.node, optional: true}
	case notTerm:
		return l.negation(t)
	case andTerm, orTerm:
		return l.connective(t)
	case compareTerm:
		return l.compare(t)
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

// isWholeText reports whether a number is written without a fraction and small
// enough to be exact.
func isWholeText(s string) bool {
	return !strings.Contains(s, ".") && len(strings.TrimPrefix(s, "-")) <= 15
}

// named is the condition that the node which the edge leaves has ended with an
// output.
func (l *lowerer) named(t *term) operand {
	return operand{form: boolForm, isCondition: true, expr: &expr.Compare{
		At: t.at, Op: expr.ValueEqual,
		X: l.lastLabel(t.node, t.at, true),
		Y: &expr.Literal{At: t.at, Text: t.text, Typ: types.Text},
	}}
}

func (l *lowerer) state(t *term) operand {
	if t.measure.known {
		return operand{
			expr: &expr.Progress{At: t.at, Measure: t.measure.of}, form: t.measure.form(),
			current: t.measure.of == expr.CurrentNode,
		}
	}
	s, field := t.variable.typ.root(), t.variable.field
	o := operand{expr: &expr.State{At: t.at, Name: field.Name, Typ: field.Type}, form: s.form, from: s.from}
	_, o.optional = field.Type.(*types.Optional)
	if o.form == unknownForm {
		o.form = anyForm
	}
	return o
}

func (l *lowerer) negation(t *term) operand {
	x := l.condition(t.args[0])
	if x == nil {
		return badOperand
	}
	return operand{expr: &expr.Not{At: t.at, X: x}, form: boolForm, isCondition: true}
}

func (l *lowerer) connective(t *term) operand {
	x, y := l.condition(t.args[0]), l.condition(t.args[1])
	if x == nil || y == nil {
		return badOperand
	}
	op := expr.And
	if t.kind == orTerm {
		op = expr.Or
	}
	return operand{expr: &expr.Logic{At: t.at, Op: op, X: x, Y: y}, form: boolForm, isCondition: true}
}
