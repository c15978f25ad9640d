package gen

import (
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// A condition becomes one Go expression as long as nothing in it can fail, for
// then Go's own lazy operators do. What can fail must be read in statements
// before the expression; and when that is so for the right side of && or ||, a
// branch must keep it from being read when the left side decides. In the
// predicate itself the branch is an early return, and deeper inside (an || in
// an &&) it assigns a variable.
//
// Comparisons say by their operator what is compared. Texts are compared as the
// workflow's author sees them, so a number equals '3' only when it is printed
// as 3; where the literal is written that way the Go code compares numbers.

// precedence of an expression, to set parentheses.
type precedence int

const (
	orLevel precedence = iota
	andLevel
	compareLevel
	unaryLevel
)

// A boolean is the code of a condition.
type boolean struct {
	code  *jen.Statement
	level precedence
}

// within returns the code as an operand of an operator of the given level.
func (b boolean) within(level precedence) *jen.Statement {
	if b.level < level {
		return jen.Parens(b.code)
	}
	return b.code
}

// predicate writes the body of a function that returns the condition.
func (f *function) predicate(e expr.Expr) {
	logic, ok := e.(*expr.Logic)
	var parts []expr.Expr
	if ok {
		parts = f.g.split(flatten(logic, logic.Op), logic.Op)
	}
	if len(parts) < 2 {
		f.returnCondition(e)
		return
	}
	test, decided := f.condition, jen.True()
	if logic.Op == expr.And {
		test, decided = f.negate, jen.False()
	}
	for _, part := range parts[:len(parts)-1] {
		code := test(part).code
		f.g.mark(f.block, e.Span(), jen.If(code).Add(f.g.body(e.Span(), jen.Return(decided, jen.Nil()))))
	}
	f.predicate(parts[len(parts)-1])
}

// returnCondition emits the return of the condition and, if it can fail, of its error.
func (f *function) returnCondition(e expr.Expr) {
	var code *jen.Statement
	at := ""
	if isDynamic(e) {
		code, at = f.truth(f.coveredTruth(e, f.conditionValue(e))).code, f.g.where(e)
	} else {
		code = f.condition(e).code
	}
	switch f.sure = f.evaluates == "" && len(f.block.code) == 0; {
	case f.unchecked:
		f.g.mark(f.block, e.Span(), jen.Return(f.evaluator().Dot("Decide").Add(args(code, f.g.whereText(at)))))
		f.unchecked = false
	case f.sure:
		f.g.add(f.block, e.Span(), jen.Return(code))
	default:
		f.g.add(f.block, e.Span(), jen.Return(code, jen.Nil()))
	}
}

// flatten lists the operands of a chain of one connective.
func flatten(e expr.Expr, op expr.LogicOp) []expr.Expr {
	if l, ok := e.(*expr.Logic); ok && l.Op == op {
		return append(flatten(l.X, op), flatten(l.Y, op)...)
	}
	return []expr.Expr{e}
}

// split joins the operands of a chain again, into as few conditions as can
// be: a new one begins with each operand that can fail.
func (g *generator) split(chain []expr.Expr, op expr.LogicOp) []expr.Expr {
	var parts []expr.Expr
	for i, e := range chain {
		if i == 0 || g.fallible(e) {
			parts = append(parts, e)
			continue
		}
		last := len(parts) - 1
		parts[last] = &expr.Logic{At: parts[last].Span().To(e.Span()), Op: op, X: parts[last], Y: e}
	}
	return parts
}

// condition emits what must run first and returns the code of a condition.
func (f *function) condition(e expr.Expr) boolean {
	b := f.uncovered(e)
	if f.g.opt.Cover && isTerm(e) && !isDynamic(e) {
		return boolean{f.g.covered(e, b.code), unaryLevel}
	}
	return b
}

// uncovered is condition without the counters of coverage.
func (f *function) uncovered(e expr.Expr) boolean {
	if isDynamic(e) {
		return f.truthAt(f.coveredTruth(e, f.conditionValue(e)), f.g.where(e))
	}
	switch e := e.(type) {
	case *expr.Compare:
		if e.Op.IsValue() {
			return f.compareValues(e)
		}
		return f.compare(e.Op, e)
	case *expr.Not:
		return f.negate(e.X)
	case *expr.Logic:
		return f.logic(e)
	}
	o := f.operand(e)
	if o.typ == types.Bool && !o.opt && o.lit == nil {
		return boolean{o.code, unaryLevel}
	}
	return boolean{text(o).Op("==").Lit("true"), compareLevel}
}

// negate returns the opposite of a condition.
func (f *function) negate(e expr.Expr) boolean {
	switch e := e.(type) {
	case *expr.Compare:
		switch {
		case f.g.opt.Cover: // the term itself is counted
		case !e.Op.IsValue():
			return f.compare(opposite[e.Op], e)
		case e.Op == expr.ValueEqual:
			return f.compareValues(&expr.Compare{At: e.At, Op: expr.ValueNotEqual, X: e.X, Y: e.Y})
		case e.Op == expr.ValueNotEqual:
			return f.compareValues(&expr.Compare{At: e.At, Op: expr.ValueEqual, X: e.X, Y: e.Y})
		}
	case *expr.Not:
		return f.condition(e.X)
	}
	return boolean{jen.Op("!").Add(f.condition(e).within(unaryLevel)), unaryLevel}
}

// opposite holds because what is compared as a number is one: there is no NaN.
var opposite = [...]expr.CompareOp{
	expr.TextEqual: expr.TextNotEqual, expr.TextNotEqual: expr.TextEqual,
	expr.NumberLess: expr.NumberGreaterEqual, expr.NumberGreaterEqual: expr.NumberLess,
	expr.NumberGreater: expr.NumberLessEqual, expr.NumberLessEqual: expr.NumberGreater,
}

// connective is Go's operator for a connective, and how tightly it binds.
func connective(op expr.LogicOp) (string, precedence) {
	if op == expr.Or {
		return "||", orLevel
	}
	return "&&", andLevel
}

func (f *function) logic(e *expr.Logic) boolean {
	op, level := connective(e.Op)
	x := f.condition(e.X)
	if !f.g.fallible(e.Y) {
		return boolean{x.within(level).Op(op).Op(softMark).Add(f.condition(e.Y).within(level)), level}
	}
	name := "both"
	if e.Op == expr.Or {
		name = "either"
	}
	holds := f.local(name, "holds")
	f.g.add(f.block, e.X.Span(), jen.Id(holds).Op(":=").Add(x.code))
	undecided := jen.Id(holds)
	if e.Op == expr.Or {
		undecided = jen.Op("!").Id(holds)
	}
	f.block.add(jen.If(undecided).Block(f.inside(func() {
		y := f.condition(e.Y).code
		f.g.add(f.block, e.Y.Span(), jen.Id(holds).Op("=").Add(y))
	})...))
	return boolean{jen.Id(holds), unaryLevel}
}

// compare returns the code of a comparison with the operands of e.
func (f *function) compare(op expr.CompareOp, e *expr.Compare) boolean {
	x, y := f.operand(e.X), f.operand(e.Y)
	if op.IsNumeric() {
		return boolean{f.compareNumbers(op, e, x, y), compareLevel}
	}
	if x.lit != nil && y.lit == nil {
		x, y = y, x
	}
	if y.lit != nil && x.lit == nil {
		return f.compareLiteral(op, x, y.lit)
	}
	return boolean{text(x).Op(op.String()).Add(text(y)), compareLevel}
}

// compareLiteral compares with a constant, as a value of its type where the
// constant is written as the value would be printed.
func (f *function) compareLiteral(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	is := func(y *jen.Statement) boolean {
		return boolean{jen.Add(x.code).Op(op.String()).Add(y), compareLevel}
	}
	if x.opt {
		return f.compareOptional(op, x, lit)
	}
	switch t := x.typ.(type) {
	case *types.Enum:
		return is(f.g.enumValue(t, lit.Text))
	case types.Basic:
		switch {
		case types.IsText(t):
			return is(f.g.quote(lit.Text))
		case t == types.Int && canonicalInt(lit.Text), t == types.Float && canonicalFloat(lit.Text):
			return is(jen.Op(lit.Text))
		case t == types.Bool && (lit.Text == "true" || lit.Text == "false"):
			if (lit.Text == "true") == (op == expr.TextEqual) {
				return boolean{x.code, unaryLevel}
			}
			return boolean{jen.Op("!").Add(x.code), unaryLevel}
		}
	}
	return boolean{text(x).Op(op.String()).Add(f.g.quote(lit.Text)), compareLevel}
}

// compareOptional is compareLiteral for a pointer. The text of a missing value is empty.
func (f *function) compareOptional(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	var want *jen.Statement
	switch t := x.typ.(type) {
	case *types.Enum:
		want = f.g.enumValue(t, lit.Text)
	case types.Basic:
		switch {
		case types.IsText(t):
			want = f.g.quote(lit.Text)
		case t == types.Int && canonicalInt(lit.Text), t == types.Float && canonicalFloat(lit.Text), t == types.Bool && (lit.Text == "true" || lit.Text == "false"):
			want = jen.Op(lit.Text)
		}
	}
	if want == nil || lit.Text == "" {
		return boolean{text(x).Op(op.String()).Add(f.g.quote(lit.Text)), compareLevel}
	}
	value := jen.Op("*").Add(x.code)
	equal := op == expr.TextEqual
	switch {
	case x.typ != types.Bool:
		value.Op(op.String()).Add(want)
	case equal != (lit.Text == "true"):
		value = jen.Op("!").Add(value)
	}
	if equal {
		return boolean{jen.Add(x.code).Op("!=").Nil().Op("&&").Op(softMark).Add(value), andLevel}
	}
	return boolean{jen.Add(x.code).Op("==").Nil().Op("||").Op(softMark).Add(value), orLevel}
}

// enumValue is the constant of a value of an enum, or its string.
func (g *generator) enumValue(t *types.Enum, text string) *jen.Statement {
	if name := g.types.enum(t, "", "").consts[text]; name != "" {
		return jen.Id(name)
	}
	return g.quote(text)
}

// exactInt is the largest whole number below which JavaScript has all.
const exactInt = 1 << 53

// canonicalInt reports whether a whole number that is printed is this text.
func canonicalInt(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s && -exactInt <= n && n <= exactInt
}

// canonicalFloat reports whether a number that is printed is this text.
func canonicalFloat(s string) bool {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v != 0 && (math.Abs(v) < 1e-6 || math.Abs(v) >= 1e21) {
		return false
	}
	return strconv.FormatFloat(v, 'f', -1, 64) == s && s != "-0"
}

// compareNumbers compares by size. Whole numbers are compared with a whole
// constant as they are, and otherwise as the numbers of JavaScript.
func (f *function) compareNumbers(op expr.CompareOp, e *expr.Compare, x, y operand) *jen.Statement {
	a, b := f.numeric(x, y, e.X), f.numeric(y, x, e.Y)
	return jen.Add(a).Op(op.String()).Add(b)
}

func (f *function) numeric(o, other operand, e expr.Expr) *jen.Statement {
	if o.lit != nil {
		if v, ok := constantNumber(o.lit.Text); ok {
			return jen.Op(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	switch {
	case o.lit == nil && !o.opt && o.typ == types.Float:
		return o.code
	case o.lit == nil && !o.opt && o.typ == types.Int:
		if other.lit != nil {
			if v, ok := constantNumber(other.lit.Text); ok && v == math.Trunc(v) && math.Abs(v) < exactInt {
				return o.code
			}
		}
		return jen.Float64().Call(o.code)
	}
	return f.try("number "+o.ref, o.name+"Number", call(valuePath, "ParseNumber", text(o), jen.Lit(o.ref)), e.Span())
}

// constantNumber is a literal's number. Texts that JavaScript and Go read
// differently are left to the run.
func constantNumber(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
