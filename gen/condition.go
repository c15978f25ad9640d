package gen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// A condition becomes one Go expression as long as nothing in it needs a statement,
// for then Go's own lazy operators do. What can fail must be read in statements
// before the expression; and when that is so for the right side of && or ||, a
// branch must keep it from being read when the left side decides: an early return,
// in nested branches for an && inside an || and the reverse. Only where a branch
// would be needed inside a branch's own condition, a variable is assigned instead.
//
// Comparisons say by their operator what is compared. Texts are compared as the
// workflow's author sees them, so a number equals '3' only when it is printed
// as 3; where the literal is written that way the Go code compares numbers, and
// where no value of the type is printed so the result is known.

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
	// known is the result if no value can change it, else nil, and why is the reason.
	known *bool
	why   string
}

// always is the code of a condition with a known result.
func always(result bool, why string) boolean {
	return boolean{code: jen.Lit(result), level: unaryLevel, known: &result, why: why}
}

// within returns the code as an operand of an operator of the given level.
func (b boolean) within(level precedence) *jen.Statement {
	if b.level < level {
		return jen.Parens(b.code)
	}
	return b.code
}

// A decision returns the result of a condition, once it is known whether the function
// returns an error, too.
type decision struct {
	code   *jen.Statement
	result jen.Code
}

// predicate writes the body of a function that returns the condition.
func (f *function) predicate(e expr.Expr) {
	f.conclude(e, false)
	f.sure = f.evaluates == "" && !f.fails
	for _, d := range f.decisions {
		if f.sure {
			d.code.Return(d.result)
		} else {
			d.code.Return(d.result, jen.Nil())
		}
	}
}

// decision is the statement that returns the result of a condition.
func (f *function) decision(result jen.Code) *jen.Statement {
	code := &jen.Statement{}
	f.decisions = append(f.decisions, decision{code, result})
	return code
}

// conclude returns the condition, or its opposite.
func (f *function) conclude(e expr.Expr, opposite bool) {
	switch x := e.(type) {
	case *expr.Not:
		if f.g.stated(x) {
			f.conclude(x.X, !opposite)
			return
		}
	case *expr.Logic:
		parts := f.g.split(x)
		decides := x.Op == expr.Or
		for _, part := range parts[:len(parts)-1] {
			if f.returnIf(part, decides, decides != opposite) {
				return
			}
		}
		if len(parts) > 1 {
			f.conclude(parts[len(parts)-1], opposite)
			return
		}
	}
	f.returnCondition(e, opposite)
}

// returnIf returns the result if a condition holds, or if it does not. It reports whether
// that is always so.
func (f *function) returnIf(e expr.Expr, holds, result bool) bool {
	switch x := e.(type) {
	case *expr.Not:
		if f.g.branches(x) {
			return f.returnIf(x.X, !holds, result)
		}
	case *expr.Logic:
		if !f.g.branches(x) {
			break
		}
		parts := f.g.split(x)
		if holds != (x.Op == expr.Or) {
			f.returnIfAll(parts, holds, result)
			return false
		}
		for _, part := range parts {
			if f.returnIf(part, holds, result) {
				return true
			}
		}
		return false
	}
	test := f.holding(e, holds)
	if test.known == nil {
		f.g.addBlock(f.block, e.Span(), jen.If(test.code).Block(f.decision(jen.Lit(result))))
		return false
	}
	if *test.known {
		f.constantly(e, result, test.why)
	}
	return *test.known
}

// returnIfAll returns the result if all conditions hold, or if none does, in nested branches.
func (f *function) returnIfAll(parts []expr.Expr, hold, result bool) {
	if len(parts) == 1 {
		f.returnIf(parts[0], hold, result)
		return
	}
	test := f.holding(parts[0], hold)
	switch {
	case test.known == nil:
		inner := f.inside(func() { f.returnIfAll(parts[1:], hold, result) })
		f.g.addBlock(f.block, parts[0].Span(), jen.If(test.code).Block(inner...))
	case *test.known:
		f.returnIfAll(parts[1:], hold, result)
	}
}

// holding is the code of a condition, or of its opposite.
func (f *function) holding(e expr.Expr, holds bool) boolean {
	if holds {
		return f.condition(e)
	}
	return f.negate(e)
}

// constantly returns a result that no value can change.
func (f *function) constantly(e expr.Expr, result bool, why string) {
	f.g.mark(f.block, e.Span(), f.g.commented(f.decision(jen.Lit(result)), why))
}

// returnCondition emits the return of the condition and, if it can fail, of its error.
func (f *function) returnCondition(e expr.Expr, opposite bool) {
	if isDynamic(e) {
		f.whole, _ = wholeOf(e).(*expr.Relation)
		v := f.truth(f.coveredTruth(e, f.conditionValue(e)))
		if opposite {
			v = f.not(v)
		}
		if f.unchecked {
			f.g.mark(f.block, e.Span(), jen.Return(f.evaluator().Dot("Decide").Call(v.code, f.g.whereText(f.g.where(e)))))
			f.unchecked = false
		} else {
			f.g.add(f.block, e.Span(), f.decision(v.code))
		}
		return
	}
	b := f.holding(e, !opposite)
	switch {
	case f.unchecked:
		f.g.mark(f.block, e.Span(), jen.Return(f.evaluator().Dot("Decide").Call(b.code, f.g.whereText(""))))
		f.unchecked = false
	case b.known != nil:
		f.constantly(e, *b.known, b.why)
	default:
		f.g.add(f.block, e.Span(), f.decision(b.code))
	}
}

// wholeOf is the value that decides a condition.
func wholeOf(e expr.Expr) expr.Expr {
	if h, ok := e.(*expr.Holds); ok {
		return shownBy(h)
	}
	return e
}

// flatten lists the operands of a chain of one connective.
func flatten(e expr.Expr, op expr.LogicOp) []expr.Expr {
	if l, ok := e.(*expr.Logic); ok && l.Op == op {
		return append(flatten(l.X, op), flatten(l.Y, op)...)
	}
	return []expr.Expr{e}
}

// split returns the operands of a condition, joined again into as few conditions as can
// be: a new one begins with each operand that needs statements, and behind one that needs
// branches.
func (g *generator) split(e *expr.Logic) []expr.Expr {
	var parts []expr.Expr
	for _, y := range flatten(e, e.Op) {
		last := len(parts) - 1
		if last < 0 || g.stated(y) || g.branches(parts[last]) {
			parts = append(parts, y)
			continue
		}
		x := parts[last]
		parts[last] = &expr.Logic{At: x.Span().To(y.Span()), Op: e.Op, X: x, Y: y}
	}
	return parts
}

// stated reports whether a condition needs statements before its expression: because it
// can fail, or because it has a variable.
func (g *generator) stated(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Not:
		return g.stated(e.X)
	case *expr.Logic:
		return g.stated(e.X) || g.stated(e.Y)
	case *expr.Compare:
		if e.Op.IsValue() || e.Op.IsNumeric() {
			break
		}
		x, lit := compared(e)
		if x == nil {
			break
		}
		if g.previous(x, lit) != nil {
			return false
		}
		if m := g.optional(x); m != nil && (lit.Text != "" || types.IsText(m.typ)) {
			return true
		}
	}
	return g.fallible(e)
}

// branches reports whether a condition needs statements that must not always run.
func (g *generator) branches(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Not:
		return g.branches(e.X)
	case *expr.Logic:
		return g.stated(e.Y) || g.branches(e.X)
	}
	return false
}

// compared returns what a comparison compares with a literal, or nil.
func compared(e *expr.Compare) (expr.Expr, *expr.Literal) {
	x, y := e.X, e.Y
	if _, literal := x.(*expr.Literal); literal {
		x, y = y, x
	}
	lit, ok := y.(*expr.Literal)
	if _, literal := x.(*expr.Literal); literal || !ok {
		return nil, nil
	}
	return x, lit
}

// optional is the member that a field may be without, if the output itself is there.
func (g *generator) optional(e expr.Expr) *member {
	field, ok := e.(*expr.Field)
	if !ok || gone(field.Presence) {
		return nil
	}
	m := g.member(field)
	if m == nil || !m.opt {
		return nil
	}
	return m
}

// previous is the member that a field of the previous iteration is, if an expression can
// compare it with a literal.
func (g *generator) previous(e expr.Expr, lit *expr.Literal) *member {
	field, ok := e.(*expr.Field)
	if !ok || !field.Previous {
		return nil
	}
	if m := g.memberOf(field); m != nil && !m.opt && (lit.Text == "" || printable(m.typ, lit.Text)) {
		return m
	}
	return nil
}

// condition emits what must run first and returns the code of a condition.
func (f *function) condition(e expr.Expr) boolean {
	b := f.uncovered(e)
	if f.g.opt.Cover && isTerm(e) && !isDynamic(e) {
		return f.g.covered(e, b)
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
		return boolean{code: o.code, level: unaryLevel}
	}
	return boolean{code: text(o).Op("==").Lit("true"), level: compareLevel}
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
	return boolean{code: jen.Op("!").Add(f.condition(e).within(unaryLevel)), level: unaryLevel}
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
	decides := e.Op == expr.Or
	x := f.condition(e.X)
	if x.known != nil && *x.known == decides {
		return x
	}
	if !f.g.stated(e.Y) {
		y := f.condition(e.Y)
		switch {
		case x.known != nil:
			return y
		case y.known != nil && *y.known != decides, y.known != nil && !f.g.stated(e.X):
			if *y.known == decides {
				return y
			}
			return x
		}
		return boolean{code: x.within(level).Op(op).Add(y.within(level)), level: level}
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
	return boolean{code: jen.Id(holds), level: unaryLevel}
}

// compare returns the code of a comparison with the operands of e.
func (f *function) compare(op expr.CompareOp, e *expr.Compare) boolean {
	if x, lit := compared(e); x != nil && !op.IsNumeric() {
		if never := f.g.never(x, lit); never != "" && !f.g.opt.Cover {
			if f.g.fallible(x) {
				f.discards = true // only its error is of interest
				f.operand(x)
				f.discards = false
			}
			return always(op == expr.TextNotEqual, never)
		}
		if m := f.g.previous(x, lit); m != nil {
			return f.comparePrevious(op, f.g.byID[x.(*expr.Field).Node], m, lit)
		}
	}
	x, y := f.operand(e.X), f.operand(e.Y)
	if op.IsNumeric() {
		return boolean{code: f.compareNumbers(op, e, x, y), level: compareLevel}
	}
	if x.lit != nil && y.lit == nil {
		x, y = y, x
	}
	if y.lit != nil && x.lit == nil {
		return f.compareLiteral(op, x, y.lit)
	}
	return boolean{code: text(x).Op(op.String()).Add(text(y)), level: compareLevel}
}

// never says why no value of an operand is printed as a literal, "" if one may be.
func (g *generator) never(x expr.Expr, lit *expr.Literal) string {
	var t types.Type
	var absent bool
	switch x := x.(type) {
	case *expr.Field:
		if m := g.memberOf(x); m != nil {
			t, absent = m.typ, m.opt || x.Previous
		}
	case *expr.Input:
		if g.graph == nil && !g.inputs[x.Name].raw() {
			t = g.inputs[x.Name].Type
			if o, ok := t.(*types.Optional); ok {
				t, absent = o.Elem, true
			}
		}
	}
	if t == nil || absent && lit.Text == "" || printable(t, lit.Text) {
		return ""
	}
	return fmt.Sprintf(unprinted[t], lit.Text)
}

// unprinted says that no value of a type is printed in some way.
var unprinted = map[types.Type]string{
	types.Bool:  "a boolean is \"true\" or \"false\", never %q",
	types.Int:   "no whole number is printed as %q",
	types.Float: "no number is printed as %q",
}

// printable reports whether a value of a type might be printed as this text.
func printable(t types.Type, text string) bool {
	switch t {
	case types.Bool:
		return text == "true" || text == "false"
	case types.Int, types.Float:
		v, err := strconv.ParseFloat(text, 64)
		large := err == nil && math.Abs(v) >= exactInt // printed as the nearest number of JavaScript
		return large || canonicalInt(text) || t == types.Float && (canonicalFloat(text) || err == nil && strings.Contains(text, "e"))
	}
	return true
}

// comparePrevious compares a field of a node of the previous iteration with a constant. The
// text of one that has not completed is empty.
func (f *function) comparePrevious(op expr.CompareOp, n *node, m *member, lit *expr.Literal) boolean {
	state := func(op string) *jen.Statement {
		return f.lastTask(n).Dot("Status").Call().Op(op).Qual(flowPath, "Completed")
	}
	is := "=="
	if (op == expr.TextEqual) == (lit.Text == "") {
		is = "!="
	}
	if lit.Text == "" && !types.IsText(m.typ) {
		return boolean{code: state(is), level: compareLevel}
	}
	present := f.compareLiteral(op, operand{code: m.of(f.lastTask(n)), typ: m.typ}, lit)
	if is == "==" {
		return boolean{code: state(is).Op("&&").Add(present.within(andLevel)), level: andLevel}
	}
	return boolean{code: state(is).Op("||").Add(present.within(orLevel)), level: orLevel}
}

// compareLiteral compares with a constant, as a value of its type where the
// constant is written as the value would be printed.
func (f *function) compareLiteral(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	if x.opt {
		return f.compareOptional(op, x, lit)
	}
	return f.comparePresent(op, x, x.code, lit)
}

// comparePresent is compareLiteral for a value that is there.
func (f *function) comparePresent(op expr.CompareOp, x operand, code *jen.Statement, lit *expr.Literal) boolean {
	is := func(y *jen.Statement) boolean {
		return boolean{code: jen.Add(code).Op(op.String()).Add(y), level: compareLevel}
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
		case t == types.Bool && printable(t, lit.Text):
			if (lit.Text == "true") == (op == expr.TextEqual) {
				return boolean{code: jen.Add(code), level: unaryLevel}
			}
			return boolean{code: jen.Op("!").Add(code), level: unaryLevel}
		}
	}
	x.code, x.opt = code, false
	return boolean{code: text(x).Op(op.String()).Add(f.g.quote(lit.Text)), level: compareLevel}
}

// compareOptional is compareLiteral for a pointer. The text of a missing value is empty.
func (f *function) compareOptional(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	if basic, ok := x.typ.(types.Basic); ok && !types.IsText(basic) && !types.IsNumber(basic) && basic != types.Bool {
		return boolean{code: text(x).Op(op.String()).Add(f.g.quote(lit.Text)), level: compareLevel}
	}
	present, missing := "&&", "!="
	if (op == expr.TextEqual) == (lit.Text == "") {
		present, missing = "||", "=="
	}
	if lit.Text == "" && !types.IsText(x.typ) {
		return boolean{code: jen.Add(x.code).Op(missing).Nil(), level: compareLevel}
	}
	if x.chain != "" {
		x.code = f.held(x)
	}
	level := andLevel
	if present == "||" {
		level = orLevel
	}
	y := f.comparePresent(op, x, jen.Op("*").Add(x.code), lit)
	return boolean{code: jen.Add(x.code).Op(missing).Nil().Op(present).Add(y.within(level)), level: level}
}

// held is the variable of a value that is read twice.
func (f *function) held(o operand) *jen.Statement {
	if v := f.known(o.chain); v != "" {
		return jen.Id(v)
	}
	name := f.local(o.name)
	f.block.remember(o.chain, name)
	f.g.mark(f.block, o.at, jen.Id(name).Op(":=").Add(o.code))
	return jen.Id(name)
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
	if err != nil || math.IsNaN(v) || v != 0 && (math.Abs(v) < 1e-6 || math.Abs(v) >= 1e21) {
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
	name, number := o.name+"Number", text(o)
	if o.lit == nil && o.opt && types.IsNumber(o.typ) {
		name, number = o.name, o.code
	}
	return f.try("number "+o.ref, name, call(valuePath, "RequireNumber", number, jen.Lit(o.ref)), e.Span())
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
