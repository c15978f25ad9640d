package gen

import (
	"math"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// A condition becomes one Go expression as long as nothing in it needs a statement, for then
// Go's own lazy operators do. What can fail must be read in statements before the expression;
// when that is so for the right side of && or ||, a variable holds the left side, and a branch
// keeps the right side from being read when the left one decides:
//
//	both := kind.MustOutput().Text == "bug"
//	if both {
//		fieldText, err := …
//		both = fieldText == "high"
//	}
//	return both, nil
//
// Comparisons say by their operator what is compared. Texts are compared as the
// workflow's author sees them, so a number equals '3' only when it is printed
// as 3; where the literal is written that way the Go code compares numbers, and
// where no value of the type is printed so the result is known.

// writePredicate writes the body of a function that returns the condition.
func (f conditionWriter) writePredicate(e expr.Expr) {
	where := ""
	var code *jen.Statement
	if isDynamic(e) {
		where = f.g.placeOfExpr(e)
		code = f.asValueWriter().truthValue(f.asValueWriter().coveredTruth(e, f.asValueWriter().conditionValue(e))).code
	} else {
		code = f.conditionCode(e).code
	}
	f.sure = f.evaluates == "" && !f.fails
	switch {
	case f.unchecked:
		f.g.addMarked(f.block, e.Span(), jen.Return(f.useEvaluator().Dot("Decide").Call(code, f.g.whereText(where))))
		f.unchecked = false
	case f.sure:
		f.g.addWithPlace(f.block, e.Span(), jen.Return(code))
	default:
		f.g.addWithPlace(f.block, e.Span(), jen.Return(code, jen.Nil()))
	}
}

// conditionCode emits what must run first and returns the code of a condition.
func (f conditionWriter) conditionCode(e expr.Expr) boolean {
	b := f.uncountedCondition(e)
	if f.g.opt.Cover && isTerm(e) && !isDynamic(e) {
		return f.g.countTerm(e, b)
	}
	return b
}

// uncountedCondition is condition without the counters of coverage.
func (f conditionWriter) uncountedCondition(e expr.Expr) boolean {
	if isDynamic(e) {
		return f.asValueWriter().truthAt(f.asValueWriter().coveredTruth(e, f.asValueWriter().conditionValue(e)), f.g.placeOfExpr(e))
	}
	switch e := e.(type) {
	case *expr.Compare:
		if e.Op.IsValue() {
			return f.compareValues(e)
		}
		return f.compareOperands(e.Op, e)
	case *expr.Not:
		return f.negatedCode(e.X)
	case *expr.Logic:
		return f.logicCode(e)
	}
	o := f.asOperandWriter().operandCode(e)
	if o.typ == types.Bool && !o.opt && o.lit == nil {
		return boolean{code: o.code, level: unaryLevel}
	}
	return boolean{code: textOf(o).Op("==").Lit("true"), level: compareLevel}
}

// negatedCode returns the opposite of a condition.
func (f conditionWriter) negatedCode(e expr.Expr) boolean {
	switch e := e.(type) {
	case *expr.Compare:
		switch {
		case f.g.opt.Cover: // the term itself is counted
		case !e.Op.IsValue():
			return f.compareOperands(opposite[e.Op], e)
		case e.Op == expr.ValueEqual:
			return f.compareValues(&expr.Compare{At: e.At, Op: expr.ValueNotEqual, X: e.X, Y: e.Y})
		case e.Op == expr.ValueNotEqual:
			return f.compareValues(&expr.Compare{At: e.At, Op: expr.ValueEqual, X: e.X, Y: e.Y})
		}
	case *expr.Not:
		return f.conditionCode(e.X)
	}
	return boolean{code: jen.Op("!").Add(f.conditionCode(e).asOperandOf(unaryLevel)), level: unaryLevel}
}

// opposite holds because numbers are never NaN.
var opposite = [...]expr.CompareOp{
	expr.TextEqual: expr.TextNotEqual, expr.TextNotEqual: expr.TextEqual,
	expr.NumberLess: expr.NumberGreaterEqual, expr.NumberGreaterEqual: expr.NumberLess,
	expr.NumberGreater: expr.NumberLessEqual, expr.NumberLessEqual: expr.NumberGreater,
}

func (f conditionWriter) logicCode(e *expr.Logic) boolean {
	op, level := goConnective(e.Op)
	x := f.conditionCode(e.X)
	if !f.g.needsStatements(e.Y) {
		y := f.conditionCode(e.Y)
		return boolean{code: x.asOperandOf(level).Op(op).Add(y.asOperandOf(level)), level: level}
	}
	holds := x.held
	if of, ok := e.X.(*expr.Logic); !ok || of.Op != e.Op || holds == "" {
		name := "both"
		if e.Op == expr.Or {
			name = "either"
		}
		holds = f.newLocal(name, "holds")
		f.g.addWithPlace(f.block, e.X.Span(), jen.Id(holds).Op(":=").Add(x.code))
	}
	undecided := jen.Id(holds)
	if e.Op == expr.Or {
		undecided = jen.Op("!").Id(holds)
	}
	f.block.addCode(jen.If(undecided).Block(f.innerBlock(func() {
		y := f.conditionCode(e.Y).code
		f.g.addWithPlace(f.block, e.Y.Span(), jen.Id(holds).Op("=").Add(y))
	})...))
	return boolean{code: jen.Id(holds), level: unaryLevel, held: holds}
}

// compareOperands returns the code of a comparison with the operands of e.
func (f conditionWriter) compareOperands(op expr.CompareOp, e *expr.Compare) boolean {
	if x, lit := comparedWithLiteral(e); x != nil && !op.IsNumeric() {
		if m := f.g.previousMember(x, lit); m != nil {
			return f.comparePrevious(op, f.g.byID[x.(*expr.Field).Node], m, lit)
		}
	}
	x, y := f.asOperandWriter().operandCode(e.X), f.asOperandWriter().operandCode(e.Y)
	if op.IsNumeric() {
		return boolean{code: f.compareNumbers(op, e, x, y), level: compareLevel}
	}
	if x.lit != nil && y.lit == nil {
		x, y = y, x
	}
	if y.lit != nil && x.lit == nil {
		return f.compareLiteral(op, x, y.lit)
	}
	return boolean{code: textOf(x).Op(op.String()).Add(textOf(y)), level: compareLevel}
}

// comparePrevious compares a field of a node of the previous iteration with a constant. A node
// that has not completed has an empty text.
func (f conditionWriter) comparePrevious(op expr.CompareOp, n *node, m *member, lit *expr.Literal) boolean {
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
	present := f.compareLiteral(op, operand{code: m.selectFrom(f.lastTask(n)), typ: m.typ}, lit)
	if is == "==" {
		return boolean{code: state(is).Op("&&").Add(present.asOperandOf(andLevel)), level: andLevel}
	}
	return boolean{code: state(is).Op("||").Add(present.asOperandOf(orLevel)), level: orLevel}
}

// compareLiteral compares with a constant, as a value of its type where the
// constant is written as the value would be printed.
func (f conditionWriter) compareLiteral(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	if x.opt {
		return f.compareOptional(op, x, lit)
	}
	return f.comparePresent(op, x, x.code, lit)
}

// comparePresent is compareLiteral for a value that exists.
func (f conditionWriter) comparePresent(op expr.CompareOp, x operand, code *jen.Statement, lit *expr.Literal) boolean {
	is := func(y *jen.Statement) boolean {
		return boolean{code: jen.Add(code).Op(op.String()).Add(y), level: compareLevel}
	}
	switch t := x.typ.(type) {
	case *types.Enum:
		return is(f.g.enumValue(t, lit.Text))
	case types.Basic:
		switch {
		case types.IsText(t):
			return is(f.g.quoteString(lit.Text))
		case t == types.Int && canonicalInt(lit.Text), t == types.Float && canonicalFloat(lit.Text):
			return is(jen.Op(lit.Text))
		case t == types.Bool && canPrintAs(t, lit.Text):
			if (lit.Text == "true") == (op == expr.TextEqual) {
				return boolean{code: jen.Add(code), level: unaryLevel}
			}
			return boolean{code: jen.Op("!").Add(code), level: unaryLevel}
		}
	}
	x.code, x.opt = code, false
	return boolean{code: textOf(x).Op(op.String()).Add(f.g.quoteString(lit.Text)), level: compareLevel}
}

// compareOptional is compareLiteral for a pointer. The text of a missing value is empty.
func (f conditionWriter) compareOptional(op expr.CompareOp, x operand, lit *expr.Literal) boolean {
	if basic, ok := x.typ.(types.Basic); ok && !types.IsText(basic) && !types.IsNumber(basic) && basic != types.Bool {
		return boolean{code: textOf(x).Op(op.String()).Add(f.g.quoteString(lit.Text)), level: compareLevel}
	}
	present, missing := "&&", "!="
	if (op == expr.TextEqual) == (lit.Text == "") {
		present, missing = "||", "=="
	}
	if lit.Text == "" && !types.IsText(x.typ) {
		return boolean{code: jen.Add(x.code).Op(missing).Nil(), level: compareLevel}
	}
	if x.chain != "" {
		x.code = f.holdInVariable(x)
	}
	level := andLevel
	if present == "||" {
		level = orLevel
	}
	y := f.comparePresent(op, x, jen.Op("*").Add(x.code), lit)
	return boolean{code: jen.Add(x.code).Op(missing).Nil().Op(present).Add(y.asOperandOf(level)), level: level}
}

// holdInVariable is the variable of a value that is read twice.
func (f conditionWriter) holdInVariable(o operand) *jen.Statement {
	if v := f.knownVariable(o.chain); v != "" {
		return jen.Id(v)
	}
	name := f.newLocal(o.name)
	f.block.rememberRead(o.chain, name)
	f.g.addMarked(f.block, o.at, jen.Id(name).Op(":=").Add(o.code))
	return jen.Id(name)
}

// compareNumbers compares by size. Whole numbers are compared with a whole
// constant as they are, and otherwise as the numbers of JavaScript.
func (f conditionWriter) compareNumbers(op expr.CompareOp, e *expr.Compare, x, y operand) *jen.Statement {
	return jen.Add(f.numericCode(x, y, e.X)).Op(op.String()).Add(f.numericCode(y, x, e.Y))
}

func (f conditionWriter) numericCode(o, other operand, e expr.Expr) *jen.Statement {
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
	name, number := o.name+"Number", textOf(o)
	if o.lit == nil && o.opt && types.IsNumber(o.typ) {
		name, number = o.name, o.code
	}
	return f.tryCall("number "+o.ref, name, callFunc(valuePath, "RequireNumber", number, jen.Lit(o.ref)), e.Span())
}

// compareValues is the code of a comparison of values by their types. If Go can compare
// both types, it is a Go comparison in the order of the workflow: a constant is Y, also if
// the workflow has it on the left. It checks first whether an optional value is missing:
// a missing value differs from every other one, and is neither less nor greater.
func (f conditionWriter) compareValues(e *expr.Compare) boolean {
	x, y := f.asOperandWriter().operandCode(e.X), f.asOperandWriter().operandCode(e.Y)
	equality := e.Op == expr.ValueEqual || e.Op == expr.ValueNotEqual
	switch {
	case isNull(y) && equality:
		return f.compareNull(e.Op, x)
	case isNull(x) || isNull(y) || !comparableInGo(x.typ, y.typ) || x.opt && y.opt || (x.absent || y.absent) && (x.opt || y.opt || !equality):
		return f.compareAny(e.Op, x, y)
	}
	if y.lit != nil && y.typ == types.Bool && !x.opt {
		if (y.lit.Text == "true") == (e.Op == expr.ValueEqual) {
			return boolean{code: x.code, level: unaryLevel}
		}
		return boolean{code: jen.Op("!").Add(x.code), level: unaryLevel}
	}
	a, b := scalarCode(x, y), scalarCode(y, x)
	op := e.Op
	if y.lit != nil && e.Y.Span().Compare(e.X.Span()) < 0 {
		a, b, op = b, a, op.Mirrored()
	}
	code := boolean{code: jen.Add(a).Op(op.String()).Add(b), level: compareLevel}
	missing := x.code
	switch {
	case x.opt:
	case y.opt:
		missing = y.code
	default:
		return code
	}
	if e.Op == expr.ValueNotEqual {
		return boolean{code: jen.Add(missing).Op("==").Nil().Op("||").Add(code.code), level: orLevel}
	}
	return boolean{code: jen.Add(missing).Op("!=").Nil().Op("&&").Add(code.code), level: andLevel}
}

// compareNull is the code of a comparison with null.
func (f conditionWriter) compareNull(op expr.CompareOp, x operand) boolean {
	switch {
	case x.label:
		return boolean{code: jen.Add(x.code).Op(op.String()).Lit(""), level: compareLevel}
	case x.opt, x.plain:
		return boolean{code: jen.Add(x.code).Op(op.String()).Nil(), level: compareLevel}
	case (op == expr.ValueEqual) == isNull(x):
		return boolean{code: jen.True(), level: unaryLevel}
	}
	return boolean{code: jen.False(), level: unaryLevel}
}

// compareAny is the code of a comparison of values whose types Go cannot compare.
func (f conditionWriter) compareAny(op expr.CompareOp, x, y operand) boolean {
	return compareAnyCode(op, f.anyCode(x), f.anyCode(y))
}

// compareAnyCode is the code of a comparison of values of any type.
func compareAnyCode(op expr.CompareOp, x, y *jen.Statement) boolean {
	call := func(name string, a, b *jen.Statement) *jen.Statement { return jen.Qual(valuePath, name).Call(a, b) }
	var code *jen.Statement
	switch op {
	case expr.ValueEqual:
		code = call("Equal", x, y)
	case expr.ValueNotEqual:
		code = jen.Op("!").Add(call("Equal", x, y))
	case expr.ValueLess:
		code = call("Less", x, y)
	case expr.ValueLessEqual:
		code = call("AtMost", x, y)
	case expr.ValueGreater:
		code = call("Less", y, x)
	default:
		code = call("AtMost", y, x)
	}
	return boolean{code: code, level: unaryLevel}
}

// anyCode is the code of a value as one of any type.
func (f conditionWriter) anyCode(o operand) *jen.Statement {
	switch {
	case isNull(o):
		return jen.Nil()
	case o.lit != nil && isScalar(o.lit.Typ):
		return scalarCode(o, operand{typ: types.Any})
	case o.lit != nil:
		return jen.Qual("encoding/json", "RawMessage").Call(f.g.quoteString(o.lit.Text))
	case o.label && o.absent:
		return jen.Qual(valuePath, "OrNull").Call(o.code)
	}
	return o.code
}

func isNull(o operand) bool { return o.lit != nil && o.lit.Typ == types.Null }

// comparableInGo reports whether Go compares two values of these types.
func comparableInGo(a, b types.Type) bool {
	return types.IsText(a) && types.IsText(b) || types.IsNumber(a) && types.IsNumber(b) || a == types.Bool && b == types.Bool
}

// scalarCode is the code of a value in the type of a comparison with another value.
func scalarCode(o, other operand) *jen.Statement {
	switch {
	case o.lit != nil && types.IsText(o.typ):
		if name := other.consts[o.lit.Text]; name != "" {
			return jen.Id(name)
		}
		return jen.Lit(o.lit.Text)
	case o.lit != nil:
		return jen.Op(o.lit.Text)
	}
	code := jen.Add(o.code)
	if o.opt {
		code = jen.Op("*").Add(code)
	}
	switch {
	case o.label && other.lit == nil:
		return jen.String().Call(code)
	case o.typ == types.Int && (other.typ == types.Float && (other.lit == nil || !canonicalInt(other.lit.Text))):
		return jen.Float64().Call(code)
	}
	return code
}
