package gen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/types"
)

// Operators on values whose Go types are known are those of Go, as long as they do
// the same there: arithmetic does not, for whole numbers of Python have no end.

var arithMethods = [...]string{
	expr.Add: "Add", expr.Sub: "Sub", expr.Mul: "Mul", expr.Div: "Div", expr.FloorDiv: "FloorDiv", expr.Mod: "Mod", expr.Pow: "Pow",
}

func (f valueWriter) arithValue(e *expr.Arith) computed {
	x, y := f.strictValue(e.X), f.strictValue(e.Y)
	if e.Op == expr.Add && x.form == stringForm && y.form == stringForm {
		return concatTexts(x, y)
	}
	return f.methodValue(arithMethods[e.Op], x, y)
}

// concatTexts is two texts in a row.
func concatTexts(x, y computed) computed {
	return computed{code: x.asOperandOf(compareLevel).Op("+").Add(y.asOperandOf(compareLevel)), form: stringForm, fails: x.fails || y.fails, level: compareLevel}
}

// concatValue joins the texts of values.
func (f valueWriter) concatValue(e *expr.Concat) computed {
	parts := make([]computed, len(e.Parts))
	plain := true
	for i, p := range e.Parts {
		parts[i] = f.strictValue(p)
		plain = plain && parts[i].form != anyForm
	}
	if !plain {
		return f.methodValue("Concat", parts...)
	}
	out := f.stringValue(parts[0])
	for _, p := range parts[1:] {
		out = concatTexts(out, f.stringValue(p))
	}
	return out
}

var relationMethods = [...]string{
	expr.Equal: "Eq", expr.NotEqual: "Ne", expr.Less: "Lt", expr.LessEqual: "Le", expr.Greater: "Gt", expr.GreaterEqual: "Ge", expr.In: "In", expr.NotIn: "NotIn",
}

// relationValue is a chain of comparisons. The operands in the middle of a long one are
// computed once, and only when they are compared, unless they are as good computed twice.
func (f valueWriter) relationValue(e *expr.Relation) computed {
	x, list, plain := f.strictValue(e.X), make([]computed, len(e.Links)), true
	for i, link := range e.Links {
		y := f.strictValue(link.Y)
		plain = plain && (i == len(list)-1 || y.literal || y.form != anyForm && (!y.fails || y.field != nil))
		list[i] = y
	}
	out := computed{form: boolForm, level: unaryLevel}
	var chain []jen.Code
	for i, y := range list {
		last := i == len(list)-1
		if !plain && !last && !y.literal {
			name := f.newLocal("middle")
			chain = append(chain, jen.Id(name).Op(":=").Add(y.code))
			fails := y.fails
			y = plainValue(y.form, jen.Id(name))
			y.fails = fails
		}
		c := f.compareLink(e.Links[i].Op, x, y)
		switch {
		case i == 0 && plain:
			out = c
		case plain:
			out = f.connectConditions("&&", andLevel, out, c)
		case last:
			chain = append(chain, jen.Return(c.code))
		default:
			chain = append(chain, jen.If(f.notValue(c).code).Block(jen.Return(jen.False())))
		}
		out.fails = out.fails || c.fails
		x = y
	}
	if !plain {
		out.code = jen.Func().Params().Bool().Block(chain...).Call()
	}
	return out
}

// compareLink is one comparison.
func (f valueWriter) compareLink(op expr.RelationOp, x, y computed) computed {
	equality := op == expr.Equal || op == expr.NotEqual
	if op != expr.In && op != expr.NotIn && x.form == y.form && x.form != anyForm && (x.form != boolForm || equality) {
		return computed{code: x.asOperand().Op(op.String()).Add(y.asOperand()), form: boolForm, fails: x.fails || y.fails, level: compareLevel}
	}
	c := f.methodValue(relationMethods[op], x, y)
	c.form = boolForm
	return c
}

// notValue is the opposite of a value's truth.
func (f valueWriter) notValue(v computed) computed {
	out := computed{form: boolForm, fails: v.fails, level: compareLevel}
	switch v.form {
	case stringForm:
		out.code = v.asOperand().Op("==").Lit("")
	case intForm:
		out.code = v.asOperand().Op("==").Lit(0)
	default:
		t := f.truthValue(v)
		out.code, out.fails, out.level = jen.Op("!").Add(t.asOperand()), t.fails, unaryLevel
	}
	return out
}

// connectConditions joins two conditions by an operator of Go.
func (f valueWriter) connectConditions(op string, level precedence, x, y computed) computed {
	return computed{code: x.asOperandOf(level).Op(op).Add(y.asOperandOf(level)), form: boolForm, fails: x.fails || y.fails, level: level}
}

// eitherValue is one of two values.
func (f valueWriter) eitherValue(e *expr.Either) computed {
	return f.eitherOf(e.Op, f.computeValue(e.X), f.computeValue(e.Y))
}

func (f valueWriter) eitherOf(kind expr.LogicOp, x, y computed) computed {
	op, level, method := "&&", andLevel, "And"
	if kind == expr.Or {
		op, level, method = "||", orLevel, "Or"
	}
	if x.form == boolForm && y.form == boolForm {
		return f.connectConditions(op, level, x, y)
	}
	return computed{code: f.useEvaluator().Dot(method).Call(x.pyValue(), thunkFor(y)), fails: true, level: unaryLevel}
}

// decideTruth is the truth of an expression where nothing but that is asked: there the
// words and, or, not are operators of Go.
func (f valueWriter) decideTruth(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Either:
		op, level := goConnective(e.Op)
		return f.connectConditions(op, level, f.decideTruth(e.X), f.decideTruth(e.Y))
	case *expr.Negation:
		return f.notValue(f.decideTruth(e.X))
	}
	return f.truthValue(f.coveredTruth(e, f.strictValue(e)))
}

// chooseValue is one of two values by a condition.
func (f valueWriter) chooseValue(e *expr.Choose) computed {
	cond, then := f.decideTruth(e.If), f.computeValue(e.Then)
	otherwise := jen.Nil()
	if e.Else != nil {
		y := f.computeValue(e.Else)
		if y.form == then.form && y.form != anyForm && isReady(e.Then) && isReady(e.Else) {
			pick := jen.Qual(pyPath, "Pick")
			if y.form == intForm && then.literal && y.literal {
				pick.Types(jen.Int64()) // constants alone would be an int
			}
			return computed{code: pick.Call(cond.code, then.code, y.code), form: y.form, fails: cond.fails, level: unaryLevel}
		}
		otherwise = thunkFor(y)
	}
	return computed{code: f.useEvaluator().Dot("Choose").Call(cond.code, thunkFor(then), otherwise), fails: true, level: unaryLevel}
}

// shownValue is the value of which a text is made. The text of a choice without an else is empty
// if its condition does not hold.
func (f valueWriter) shownValue(e expr.Expr) computed {
	e = stringOf(e)
	if c, ok := e.(*expr.Choose); ok && c.Else == nil && isReady(c.Then) {
		cond, then := f.decideTruth(c.If), f.computeValue(c.Then)
		if then.form == stringForm && !cond.fails {
			return plainValue(stringForm, jen.Qual(pyPath, "Pick").Call(cond.code, then.code, jen.Lit("")))
		}
	}
	return f.strictValue(e)
}

// arguments are the arguments of a call.
type arguments struct {
	pos []jen.Code
	kw  []jen.Code
	// spread and spreadKw are the values of arguments with stars, or nil.
	spread, spreadKw *jen.Statement
	// env is the filters and tests that are applied by name, or nil.
	env *jen.Statement
}

func (f valueWriter) callArguments(list []expr.Arg) arguments {
	var a arguments
	for _, arg := range list {
		value := f.computeValue(arg.Value).pyValue()
		switch {
		case arg.Stars == 1:
			a.spread = appendSpread(a.spread, f.useEvaluator().Dot("Spread").Call(value))
		case arg.Stars == 2:
			a.spreadKw = appendSpread(a.spreadKw, f.useEvaluator().Dot("SpreadKw").Call(value))
		case arg.Name != "":
			a.kw = append(a.kw, jen.Values(jen.Id("Name").Op(":").Lit(arg.Name), jen.Id("Value").Op(":").Add(value)))
		default:
			a.pos = append(a.pos, value)
		}
	}
	return a
}

func appendSpread(before, more *jen.Statement) *jen.Statement {
	if before == nil {
		return more
	}
	return jen.Append(before, more.Op("..."))
}

// onlyPositional reports whether there are only arguments without names.
func (a *arguments) onlyPositional() bool {
	return len(a.kw) == 0 && a.spread == nil && a.spreadKw == nil && a.env == nil
}

// argsCode is the arguments as a py.Args.
func (a *arguments) argsCode() *jen.Statement {
	d := fields{}
	set := func(name, of string, list []jen.Code, spread *jen.Statement) {
		code := jen.Index().Qual(pyPath, of).Values(list...)
		switch {
		case spread != nil && len(list) == 0:
			d.setField(name, spread)
		case spread != nil:
			d.setField(name, jen.Append(code, jen.Add(spread).Op("...")))
		case len(list) > 0:
			d.setField(name, code)
		}
	}
	set("Pos", "Value", a.pos, a.spread)
	set("Kw", "Kw", a.kw, a.spreadKw)
	d.setField("Env", a.env)
	return jen.Qual(pyPath, "Args").Add(d.asRow())
}

// applyMethod calls a method of the evaluator with what comes first and the arguments.
func (f valueWriter) applyMethod(method string, first []jen.Code, a arguments) computed {
	if a.onlyPositional() {
		first = slices.Concat(first, a.pos)
	} else {
		method, first = method+"With", slices.Concat(first, []jen.Code{a.argsCode()})
	}
	return computed{code: f.useEvaluator().Dot(method).Call(first...), fails: true, level: unaryLevel}
}

// callValue calls a function or a method.
func (f valueWriter) callValue(e *expr.Call) computed {
	switch fn := e.Fn.(type) {
	case *expr.Global:
		return f.applyMethod("Global", []jen.Code{f.globalMethod(fn.Name)}, f.callArguments(e.Args))
	case *expr.Attr:
		if !fn.Lenient {
			x := f.computeValue(fn.X).pyValue()
			return f.applyMethod("Method", []jen.Code{x, jen.Lit(fn.Name)}, f.callArguments(e.Args))
		}
	}
	fn := f.computeValue(e.Fn).pyValue()
	return f.applyMethod("Call", []jen.Code{fn}, f.callArguments(e.Args))
}

// filterValue applies a filter.
func (f valueWriter) filterValue(e *expr.Filter) computed {
	if v, ok := f.countItems(e); ok {
		return v
	}
	if v, ok := f.mappedField(e); ok {
		return v
	}
	x := f.computeValue(e.X)
	if e.Name == "default" || e.Name == "d" {
		if isSurelyDefined(e.X) && x.form != anyForm && len(e.Args) < 2 {
			return x
		}
	}
	if e.Name == "string" && x.form == stringForm && len(e.Args) == 0 {
		return x
	}
	a := f.callArguments(e.Args)
	sig, _ := pynames.Filters.Find(e.Name)
	a.env = f.filterEnvironment(sig, e.Args)
	return f.applyMethod("Filter", []jen.Code{pyMethod("Filters", sig), x.pyValue()}, a)
}

// countItems is the number of items of a list of a step's typed output.
func (f valueWriter) countItems(e *expr.Filter) (computed, bool) {
	if e.Name != "length" && e.Name != "count" || len(e.Args) > 0 {
		return computed{}, false
	}
	if _, list := e.X.Type().(*types.List); !list {
		return computed{}, false
	}
	s := f.selectField(e.X)
	if s == nil || s.opt {
		return computed{}, false
	}
	return lengthOf(s.code), true
}

// mappedField is the values of a field of the items of a typed list.
func (f valueWriter) mappedField(e *expr.Filter) (computed, bool) {
	if e.Name != "map" || len(e.Args) != 1 || e.Args[0].Name != "attribute" || e.Args[0].Stars != 0 {
		return computed{}, false
	}
	attribute, ok := e.Args[0].Value.(*expr.Literal)
	if _, list := e.X.Type().(*types.List); !ok || !list || strings.ContainsAny(attribute.Text, ".0123456789") {
		return computed{}, false // digits and dots may make it a path
	}
	s := f.selectField(e.X)
	if s == nil || s.opt {
		return computed{}, false
	}
	object, ok := s.typ.(*types.List).Elem.(*types.Struct)
	if !ok || f.g.types.structs[object] == nil {
		return computed{}, false
	}
	d := f.g.types.structs[object]
	field := d.fieldNamed(attribute.Text)
	if field == nil || !field.field.Required {
		return computed{}, false
	}
	v, ok := goValue(field.field.Type, jen.Id("item").Dot(field.name))
	if !ok || field.field.Type == types.Float {
		return computed{}, false // the text of a float may be that of a whole number
	}
	value := jen.Func().Params(jen.Id("item").Id(d.name)).Qual(pyPath, "Value").Add(oneLine(jen.Return(v.pyValue())))
	return plainValue(anyForm, jen.Qual(pyPath, "Map").Call(s.code, value)), true
}

// testValue applies a test.
func (f valueWriter) testValue(e *expr.Test) computed {
	v := f.positiveTest(e)
	if !e.Not {
		return v
	}
	return f.notValue(v)
}

func (f valueWriter) positiveTest(e *expr.Test) computed {
	if len(e.Args) == 0 {
		switch e.Name {
		case "defined", "undefined":
			if v, ok := f.definedTest(e.X, e.Name == "defined"); ok {
				return v
			}
		case "none":
			if in, ok := e.X.(*expr.Input); ok {
				if o, ok := in.Typ.(*types.Optional); ok && !hasNil(o.Elem) {
					f.uses.inputs = true
					return computed{code: f.g.inputs[in.Name].readCode().Op("==").Nil(), form: boolForm, level: compareLevel}
				}
			}
		}
	}
	x := f.computeValue(e.X)
	a := f.callArguments(e.Args)
	sig, _ := pynames.Tests.Find(e.Name)
	a.env = f.filterEnvironment(sig, e.Args)
	out := f.applyMethod("Test", []jen.Code{pyMethod("Tests", sig), x.pyValue()}, a)
	out.form = boolForm
	return out
}

// definedTest decides at once, or by a field's pointer, whether a value is defined.
func (f valueWriter) definedTest(x expr.Expr, want bool) (computed, bool) {
	if isSurelyDefined(x) {
		return plainValue(boolForm, jen.Lit(want)), true
	}
	if _, attr := x.(*expr.Attr); !attr {
		return computed{}, false
	}
	of := rootOf(x)
	before := f.varReads[of]
	s := f.scalarSelection(x)
	switch {
	case s == nil:
		return computed{}, false
	case !s.opt:
		if f.varReads[of] > before {
			f.varReads[of] = before // the answer reads nothing
		}
		return plainValue(boolForm, jen.Lit(want)), true
	}
	op := "!="
	if !want {
		op = "=="
	}
	return computed{code: s.code.Op(op).Nil(), form: boolForm, level: compareLevel}, true
}

// filterEnvironment is the filters and tests that a filter applies by name: those that
// are named, or all of them when a name is only known at run time. It is nil when
// there are none.
func (f valueWriter) filterEnvironment(sig pynames.Signature, args []expr.Arg) *jen.Statement {
	var filters, tests []string
	everything := ""
	for sig.NameKind != "" {
		kind := sig.NameKind
		name, at, known := nameArgument(args, sig.NameArgument)
		if at < 0 {
			break
		}
		if !known {
			everything = kind
			break
		}
		if kind == "test" {
			tests = append(tests, name)
			break
		}
		filters = append(filters, name)
		sig, _ = pynames.Filters.Find(name)
		// What follows the name are the arguments of what it names.
		args = slices.Delete(slices.Clone(args), at, at+1)
	}
	d := fields{}
	set := func(kind string, all bool, list []string, table pynames.Table) {
		switch {
		case all:
			d.setField(kind+"s", jen.Qual(pyPath, kind+"s").Dot("All").Call())
		case len(list) > 0:
			d.setField(kind+"s", functionTable(kind, list, table))
		}
	}
	set("Filter", everything == "filter", filters, pynames.Filters)
	set("Test", everything != "", tests, pynames.Tests)
	if len(d.code) == 0 {
		return nil
	}
	return jen.Op("&").Qual(pyPath, "Env").Add(d.asRow())
}

// nameArgument returns the name that a positional argument gives, and which of the
// arguments it is: -1 when there is none. known is false when it is computed.
func nameArgument(args []expr.Arg, position int) (name string, at int, known bool) {
	for i, a := range args {
		switch {
		case a.Stars == 1:
			return "", i, false
		case a.Name != "" || a.Stars != 0:
		case position > 0:
			position--
		default:
			lit, ok := a.Value.(*expr.Literal)
			if !ok || !types.IsText(literalType(lit)) {
				return "", i, false
			}
			return lit.Text, i, true
		}
	}
	return "", -1, false
}

// functionTable is a table of filters or tests by their names.
func functionTable(kind string, list []string, table pynames.Table) *jen.Statement {
	var rows []jen.Code
	for _, name := range list {
		if sig, ok := table.Find(name); ok {
			rows = append(rows, jen.Lit(name).Op(":").Add(pyMethod(kind+"s", sig)))
		}
	}
	return jen.Map(jen.String()).Qual(pyPath, kind).Values(rows...)
}

// goFunctions are the methods of gotext.Args by the names of the functions that
// templates call.
var goFunctions = map[string]string{
	"print": "Print", "println": "Println", "html": "HTML", "js": "JS", "urlquery": "URLQuery",
}

// goCall is the call of a function of Go's templates.
func (f valueWriter) goCall(e *expr.GoCall) computed {
	list, native := make([]jen.Code, len(e.Args)), true
	for i, a := range e.Args {
		var is bool
		list[i], is = f.goArgument(a)
		native = native && is
	}
	switch e.Func {
	case "len":
		return lengthOf(list[0])
	case "slice":
		return computed{code: f.useEvaluator().Dot("Checked").Call(jen.Qual(gotextPath, "Slice").Call(list...)), form: stringForm, fails: true, level: unaryLevel}
	}
	switch {
	case e.Func == "printf" && native:
		return plainValue(stringForm, jen.Qual("fmt", "Sprintf").Call(list...))
	case e.Func == "printf":
		return plainValue(stringForm, jen.Qual(gotextPath, "Args").Values(list[1:]...).Dot("Printf").Call(list[0]))
	}
	return plainValue(stringForm, jen.Qual(gotextPath, "Args").Values(list...).Dot(goFunctions[e.Func]).Call())
}

// goArgument is an argument as a value of Go's own: a text is a string wherever
// one is asked for. native says that its Go type is none of package py.
func (f valueWriter) goArgument(e expr.Expr) (code *jen.Statement, native bool) {
	if lit, ok := e.(*expr.Literal); ok {
		if lit.Typ == types.Int {
			return jen.Int64().Call(jen.Op(lit.Text)), true
		}
		return goLiteral(lit), true
	}
	v := f.computeValue(e)
	if v.form == anyForm && types.IsText(e.Type()) {
		return f.textAt(v, f.g.placeOfExpr(e)), true
	}
	return v.code, v.form != anyForm
}

// coveredTruth lets the truth of a term count its results. A term whose evaluation fails
// has none.
func (f valueWriter) coveredTruth(e expr.Expr, v computed) computed {
	i, ok := f.g.termNumber(e)
	if !ok {
		return v
	}
	v = f.truthValue(v)
	if v.fails {
		f.g.coversValues = true
		v.code = jen.Id("coveredIn").Call(jen.Op("&").Add(f.useEvaluator()), jen.Lit(i), v.code)
	} else {
		v.code = jen.Id("covered").Call(jen.Lit(i), v.code)
	}
	v.level, v.field, v.literal, v.constant = unaryLevel, nil, false, nil
	return v
}

// operandValue is the value of an operand of a condition. It lets the terms in it count
// their results.
func (f valueWriter) operandValue(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Either:
		return f.eitherOf(e.Op, f.operandValue(e.X), f.operandValue(e.Y))
	case *expr.Negation:
		if isTerm(e.X) {
			return f.notValue(f.coveredTruth(e.X, f.strictValue(e.X)))
		}
		return f.notValue(f.operandValue(e.X))
	}
	v := f.computeValue(e)
	i, ok := f.g.termNumber(e)
	switch {
	case !ok:
		return v
	case v.form == boolForm:
		return f.coveredTruth(e, v)
	}
	f.g.coversValues = true
	return computed{code: jen.Id("coveredValue").Call(jen.Op("&").Add(f.useEvaluator()), jen.Lit(i), v.pyValue()), fails: true, level: unaryLevel}
}

// conditionValue is the value of a condition.
func (f valueWriter) conditionValue(e expr.Expr) computed {
	if f.g.opt.Cover && !isTerm(e) {
		return f.operandValue(e)
	}
	return f.strictValue(e)
}
