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

func (f *function) arith(e *expr.Arith) computed {
	x, y := f.strict(e.X), f.strict(e.Y)
	if e.Op == expr.Add && x.form == stringForm && y.form == stringForm {
		return joined(x, y)
	}
	return f.method(arithMethods[e.Op], x, y)
}

// joined is two texts in a row.
func joined(x, y computed) computed {
	return computed{code: x.within(compareLevel).Op("+").Add(y.within(compareLevel)), form: stringForm, fails: x.fails || y.fails, level: compareLevel}
}

// concat joins the texts of values.
func (f *function) concat(e *expr.Concat) computed {
	parts := make([]computed, len(e.Parts))
	plain := true
	for i, p := range e.Parts {
		parts[i] = f.strict(p)
		plain = plain && parts[i].form != anyForm
	}
	if !plain {
		return f.method("Concat", parts...)
	}
	out := f.str(parts[0])
	for _, p := range parts[1:] {
		out = joined(out, f.str(p))
	}
	return out
}

var relationMethods = [...]string{
	expr.Equal: "Eq", expr.NotEqual: "Ne", expr.Less: "Lt", expr.LessEqual: "Le", expr.Greater: "Gt", expr.GreaterEqual: "Ge", expr.In: "In", expr.NotIn: "NotIn",
}

// relation is a chain of comparisons. The operands in the middle of a long one are
// computed once, and only when they are compared, unless they are as good computed twice.
func (f *function) relation(e *expr.Relation) computed {
	x, list, plain := f.strict(e.X), make([]computed, len(e.Links)), true
	for i, link := range e.Links {
		y := f.strict(link.Y)
		plain = plain && (i == len(list)-1 || y.literal || y.form != anyForm && (!y.fails || y.field != nil))
		list[i] = y
	}
	out := computed{form: boolForm, level: unaryLevel}
	var chain []jen.Code
	for i, y := range list {
		last := i == len(list)-1
		if !plain && !last && !y.literal {
			name := f.local("middle")
			chain = append(chain, jen.Id(name).Op(":=").Add(y.code))
			fails := y.fails
			y = plainly(y.form, jen.Id(name))
			y.fails = fails
		}
		if e == f.whole && i == 0 && !last && y.length != nil {
			name := f.local("n", "length")
			f.g.mark(f.block, e.Span(), jen.Id(name).Op(":=").Add(y.length))
			y = lengthIn(jen.Id(name))
		}
		c := f.link(e.Links[i].Op, x, y)
		switch {
		case i == 0 && plain:
			out = c
		case plain:
			out = f.connect("&&", andLevel, out, c)
		case last:
			chain = append(chain, jen.Return(c.code))
		default:
			chain = append(chain, jen.If(f.not(c).code).Block(jen.Return(jen.False())))
		}
		out.fails = out.fails || c.fails
		x = y
	}
	if !plain {
		out.code = jen.Func().Params().Bool().Block(chain...).Call()
	}
	return out
}

// link is one comparison.
func (f *function) link(op expr.RelationOp, x, y computed) computed {
	equality := op == expr.Equal || op == expr.NotEqual
	if op != expr.In && op != expr.NotIn && x.form == y.form && x.form != anyForm && (x.form != boolForm || equality) {
		if (x.length != nil || x.literal) && (y.length != nil || y.literal) {
			x, y = x.short(), y.short()
		}
		return computed{code: x.operand().Op(op.String()).Add(y.operand()), form: boolForm, fails: x.fails || y.fails, level: compareLevel}
	}
	c := f.method(relationMethods[op], x, y)
	c.form = boolForm
	return c
}

// not is the opposite of a value's truth.
func (f *function) not(v computed) computed {
	out := computed{form: boolForm, fails: v.fails, level: compareLevel}
	switch v.form {
	case stringForm:
		out.code = v.operand().Op("==").Lit("")
	case intForm:
		out.code = v.operand().Op("==").Lit(0)
	default:
		t := f.truth(v)
		out.code, out.fails, out.level = jen.Op("!").Add(t.operand()), t.fails, unaryLevel
	}
	return out
}

// connect joins two conditions by an operator of Go.
func (f *function) connect(op string, level precedence, x, y computed) computed {
	return computed{code: x.within(level).Op(op).Op(softMark).Add(y.within(level)), form: boolForm, fails: x.fails || y.fails, level: level}
}

// either is one of two values.
func (f *function) either(e *expr.Either) computed {
	return f.eitherOf(e.Op, f.compute(e.X), f.compute(e.Y))
}

func (f *function) eitherOf(kind expr.LogicOp, x, y computed) computed {
	op, level, method := "&&", andLevel, "And"
	if kind == expr.Or {
		op, level, method = "||", orLevel, "Or"
	}
	if x.form == boolForm && y.form == boolForm {
		return f.connect(op, level, x, y)
	}
	return computed{code: f.evaluator().Dot(method).Add(args(x.value(), thunk(y))), fails: true, level: unaryLevel}
}

// decide is the truth of an expression where nothing but that is asked: there the
// words and, or, not are operators of Go.
func (f *function) decide(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Either:
		op, level := connective(e.Op)
		return f.connect(op, level, f.decide(e.X), f.decide(e.Y))
	case *expr.Negation:
		return f.not(f.decide(e.X))
	}
	return f.truth(f.coveredTruth(e, f.strict(e)))
}

// choose is one of two values by a condition.
func (f *function) choose(e *expr.Choose) computed {
	cond, then := f.decide(e.If), f.compute(e.Then)
	otherwise := jen.Nil()
	if e.Else != nil {
		y := f.compute(e.Else)
		if y.form == then.form && y.form != anyForm && ready(e.Then) && ready(e.Else) {
			out := computed{form: y.form, fails: cond.fails, level: unaryLevel}
			pick := jen.Qual(pyPath, "Pick")
			if then.number != "" && y.number != "" {
				out.text = jen.Qual(pyPath, "Pick").Call(cond.code.Clone(), jen.Lit(then.number), jen.Lit(y.number))
				pick.Types(jen.Int64()) // constants alone would be an int
			}
			out.code = pick.Call(cond.code, then.code, y.code)
			return out
		}
		otherwise = thunk(y)
	}
	return computed{code: f.evaluator().Dot("Choose").Add(args(cond.code, thunk(then), otherwise)), fails: true, level: unaryLevel}
}

// shown is the value of which a text is made. The text of a choice without an else is empty
// if its condition does not hold.
func (f *function) shown(e expr.Expr) computed {
	e = stringOf(e)
	if c, ok := e.(*expr.Choose); ok && c.Else == nil && ready(c.Then) {
		cond, then := f.decide(c.If), f.compute(c.Then)
		if then.form == stringForm && !cond.fails {
			return plainly(stringForm, jen.Qual(pyPath, "Pick").Call(cond.code, then.code, jen.Lit("")))
		}
	}
	return f.strict(e)
}

// ready reports whether an expression can be computed although its value is not used.
func ready(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Literal, *expr.Input:
		return true
	}
	return false
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

func (f *function) arguments(list []expr.Arg) arguments {
	var a arguments
	for _, arg := range list {
		value := f.compute(arg.Value).value()
		switch {
		case arg.Stars == 1:
			a.spread = spreading(a.spread, f.evaluator().Dot("Spread").Add(args(value)))
		case arg.Stars == 2:
			a.spreadKw = spreading(a.spreadKw, f.evaluator().Dot("SpreadKw").Add(args(value)))
		case arg.Name != "":
			a.kw = append(a.kw, jen.Values(jen.Id("Name").Op(":").Lit(arg.Name), jen.Id("Value").Op(":").Add(value)))
		default:
			a.pos = append(a.pos, value)
		}
	}
	return a
}

func spreading(before, more *jen.Statement) *jen.Statement {
	if before == nil {
		return more
	}
	return jen.Append(before, more.Op("..."))
}

// plain reports whether there are only arguments without names.
func (a *arguments) plain() bool {
	return len(a.kw) == 0 && a.spread == nil && a.spreadKw == nil && a.env == nil
}

// code is the arguments as a py.Args.
func (a *arguments) code() *jen.Statement {
	d := fields{}
	set := func(name, of string, list []jen.Code, spread *jen.Statement) {
		code := jen.Index().Qual(pyPath, of).Values(list...)
		switch {
		case spread != nil && len(list) == 0:
			d.set(name, spread)
		case spread != nil:
			d.set(name, jen.Append(code, jen.Add(spread).Op("...")))
		case len(list) > 0:
			d.set(name, code)
		}
	}
	set("Pos", "Value", a.pos, a.spread)
	set("Kw", "Kw", a.kw, a.spreadKw)
	d.set("Env", a.env)
	return jen.Qual(pyPath, "Args").Add(d.line())
}

// apply calls a method of the evaluator with what comes first and the arguments.
func (f *function) apply(method string, first []jen.Code, a arguments) computed {
	if a.plain() {
		first = slices.Concat(first, a.pos)
	} else {
		method, first = method+"With", slices.Concat(first, []jen.Code{a.code()})
	}
	return computed{code: f.evaluator().Dot(method).Add(args(first...)), fails: true, level: unaryLevel}
}

// call calls a function or a method.
func (f *function) call(e *expr.Call) computed {
	switch fn := e.Fn.(type) {
	case *expr.Global:
		return f.apply("Global", []jen.Code{f.global(fn.Name)}, f.arguments(e.Args))
	case *expr.Attr:
		if !fn.Lenient {
			x := f.compute(fn.X).value()
			return f.apply("Method", []jen.Code{x, jen.Lit(fn.Name)}, f.arguments(e.Args))
		}
	}
	fn := f.compute(e.Fn).value()
	return f.apply("Call", []jen.Code{fn}, f.arguments(e.Args))
}

// filter applies a filter.
func (f *function) filter(e *expr.Filter) computed {
	if v, ok := f.count(e); ok {
		return v
	}
	if v, ok := f.mapped(e); ok {
		return v
	}
	x := f.compute(e.X)
	if e.Name == "default" || e.Name == "d" {
		if surely(e.X) && x.form != anyForm && len(e.Args) < 2 {
			return x
		}
	}
	if e.Name == "string" && x.form == stringForm && len(e.Args) == 0 {
		return x
	}
	a := f.arguments(e.Args)
	sig, _ := pynames.Filters.Find(e.Name)
	a.env = f.environment(sig, e.Args)
	return f.apply("Filter", []jen.Code{pyMethod("Filters", sig), x.value()}, a)
}

// lengthOf is the length of a string or a list.
func lengthOf(code jen.Code) computed { return lengthIn(jen.Len(code)) }

// lengthIn is a length of which the code is an int.
func lengthIn(code *jen.Statement) computed {
	v := plainly(intForm, jen.Int64().Call(code))
	v.length = code
	return v
}

// count is the number of items of a list of a step's typed output.
func (f *function) count(e *expr.Filter) (computed, bool) {
	if e.Name != "length" && e.Name != "count" || len(e.Args) > 0 {
		return computed{}, false
	}
	if _, list := e.X.Type().(*types.List); !list {
		return computed{}, false
	}
	s := f.sel(e.X)
	if s == nil || s.opt {
		return computed{}, false
	}
	return lengthOf(s.code), true
}

// mapped is the values of a field of the items of a typed list.
func (f *function) mapped(e *expr.Filter) (computed, bool) {
	if e.Name != "map" || len(e.Args) != 1 || e.Args[0].Name != "attribute" || e.Args[0].Stars != 0 {
		return computed{}, false
	}
	attribute, ok := e.Args[0].Value.(*expr.Literal)
	if _, list := e.X.Type().(*types.List); !ok || !list || strings.ContainsAny(attribute.Text, ".0123456789") {
		return computed{}, false // digits and dots may make it a path
	}
	s := f.sel(e.X)
	if s == nil || s.opt {
		return computed{}, false
	}
	object, ok := s.typ.(*types.List).Elem.(*types.Struct)
	if !ok || f.g.types.structs[object] == nil {
		return computed{}, false
	}
	d := f.g.types.structs[object]
	field := d.lookup(attribute.Text)
	if field == nil || !field.field.Required {
		return computed{}, false
	}
	v, ok := goValue(field.field.Type, jen.Id("item").Dot(field.name))
	if !ok || field.field.Type == types.Float {
		return computed{}, false // the text of a float may be that of a whole number
	}
	value := jen.Func().Params(jen.Id("item").Id(d.name)).Qual(pyPath, "Value").Add(oneLine(jen.Return(v.value())))
	return plainly(anyForm, jen.Qual(pyPath, "Map").Add(group("(", fillMark, []jen.Code{s.code, value}))), true
}

// test applies a test.
func (f *function) test(e *expr.Test) computed {
	v := f.positive(e)
	if !e.Not {
		return v
	}
	return f.not(v)
}

func (f *function) positive(e *expr.Test) computed {
	if len(e.Args) == 0 {
		switch e.Name {
		case "defined", "undefined":
			if v, ok := f.defined(e.X, e.Name == "defined"); ok {
				return v
			}
		case "none":
			if in, ok := e.X.(*expr.Input); ok {
				if o, ok := in.Typ.(*types.Optional); ok && !nilable(o.Elem) {
					f.uses.inputs = true
					return computed{code: f.g.inputs[in.Name].read().Op("==").Nil(), form: boolForm, level: compareLevel}
				}
			}
		}
	}
	x := f.compute(e.X)
	a := f.arguments(e.Args)
	sig, _ := pynames.Tests.Find(e.Name)
	a.env = f.environment(sig, e.Args)
	out := f.apply("Test", []jen.Code{pyMethod("Tests", sig), x.value()}, a)
	out.form = boolForm
	return out
}

// defined decides at once, or by a field's pointer, whether a value is defined.
func (f *function) defined(x expr.Expr, want bool) (computed, bool) {
	if surely(x) {
		return plainly(boolForm, jen.Lit(want)), true
	}
	if _, attr := x.(*expr.Attr); !attr {
		return computed{}, false
	}
	of := rootOf(x)
	before := f.varReads[of]
	s := f.scalar(x)
	switch {
	case s == nil:
		return computed{}, false
	case !s.opt:
		if f.varReads[of] > before {
			f.varReads[of] = before // the answer reads nothing
		}
		return plainly(boolForm, jen.Lit(want)), true
	}
	op := "!="
	if !want {
		op = "=="
	}
	return computed{code: s.code.Op(op).Nil(), form: boolForm, level: compareLevel}, true
}

// environment is the filters and tests that a filter applies by name: those that
// are named, or all of them when a name is only known at run time. It is nil when
// there are none.
func (f *function) environment(sig pynames.Signature, args []expr.Arg) *jen.Statement {
	var filters, tests []string
	everything := ""
	for sig.NameKind != "" {
		kind := sig.NameKind
		name, at, known := named(args, sig.NameArgument)
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
			d.set(kind+"s", jen.Qual(pyPath, kind+"s").Dot("All").Call())
		case len(list) > 0:
			d.set(kind+"s", functions(kind, list, table))
		}
	}
	set("Filter", everything == "filter", filters, pynames.Filters)
	set("Test", everything != "", tests, pynames.Tests)
	if len(d.code) == 0 {
		return nil
	}
	return jen.Op("&").Qual(pyPath, "Env").Add(d.line())
}

// named returns the name that a positional argument gives, and which of the
// arguments it is: -1 when there is none. known is false when it is computed.
func named(args []expr.Arg, position int) (name string, at int, known bool) {
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

// functions is a table of filters or tests by their names.
func functions(kind string, list []string, table pynames.Table) *jen.Statement {
	var rows []jen.Code
	for _, name := range list {
		if sig, ok := table.Find(name); ok {
			rows = append(rows, jen.Lit(name).Op(":").Add(pyMethod(kind+"s", sig)))
		}
	}
	return jen.Map(jen.String()).Qual(pyPath, kind).Values(rows...)
}

// pyMethod is the method of py.Filters, py.Tests or py.Globals for an entry of their
// table.
func pyMethod(of string, sig pynames.Signature) *jen.Statement {
	return jen.Qual(pyPath, of).Dot(sig.Method())
}

const gotextPath = modulePath + "/runtime/value/gotext"

// goFunctions are the methods of gotext.Args by the names of the functions that
// templates call.
var goFunctions = map[string]string{
	"print": "Print", "println": "Println", "html": "HTML", "js": "JS", "urlquery": "URLQuery",
}

// goCall is the call of a function of Go's templates.
func (f *function) goCall(e *expr.GoCall) computed {
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
		return computed{code: f.evaluator().Dot("Checked").Add(args(jen.Qual(gotextPath, "Slice").Call(list...))), form: stringForm, fails: true, level: unaryLevel}
	}
	switch {
	case e.Func == "printf" && native:
		return plainly(stringForm, jen.Qual("fmt", "Sprintf").Call(list...))
	case e.Func == "printf":
		return plainly(stringForm, jen.Qual(gotextPath, "Args").Values(list[1:]...).Dot("Printf").Call(list[0]))
	}
	return plainly(stringForm, jen.Qual(gotextPath, "Args").Values(list...).Dot(goFunctions[e.Func]).Call())
}

// goArgument is an argument as a value of Go's own: a text is a string wherever
// one is asked for. native says that its Go type is none of package py.
func (f *function) goArgument(e expr.Expr) (code *jen.Statement, native bool) {
	if lit, ok := e.(*expr.Literal); ok {
		if lit.Typ == types.Int {
			return jen.Int64().Call(jen.Op(lit.Text)), true
		}
		return literal(lit), true
	}
	v := f.compute(e)
	if v.form == anyForm && types.IsText(e.Type()) {
		return f.textAt(v, f.g.where(e)), true
	}
	return v.code, v.form != anyForm
}
