package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// set emits a set statement.
func (w *writer) set(p *template.Set) {
	at := w.tag(p.Start, p.End)
	v := w.compute(p.Value)
	d := p.Target.Var
	if d != nil && !w.plan.read(d) {
		if !v.literal {
			w.block.add(w.evaluator().Dot("Do").Add(args(v.value(), jen.Lit(at))))
		}
		return
	}
	if d == nil || !w.plan.here(d, p) {
		w.assign(&p.Target, v, at)
		return
	}
	// The one assignment of the variable also declares it, with the type of its
	// value when that is sure.
	form := v.form
	if v.fails {
		form = anyForm
	}
	code := w.valueAt(v, at)
	if form != anyForm {
		code = v.code
	}
	if form == intForm && v.literal {
		code = jen.Int64().Call(v.code)
	}
	name := w.local(unexported(exported(d.Name, "Value")))
	w.g.add(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.Id(name).Op(":=").Add(code))
	w.declare(d, name, form)
}

// assign gives a value to variables that are declared, and to fields.
func (w *writer) assign(t *template.Target, v computed, at string) {
	switch {
	case t.Var != nil && w.plan.read(t.Var):
		w.block.add(jen.Id(w.nameOf(t.Var)).Op("=").Add(w.valueAt(v, at)))
	case t.Var != nil:
		w.block.add(w.evaluator().Dot("Do").Add(args(v.value(), jen.Lit(at))))
	case t.Object != nil:
		w.setField(t, v.value(), at)
	default:
		w.divide(t, v.value(), at, func(t *template.Target, part *jen.Statement) { w.assign(t, plainly(anyForm, part), at) })
	}
}

// hoist declares the variables of a scope that are not declared where they get
// their value: because that is in a branch, or because they get it several times.
func (w *writer) hoist(s *scope) {
	for _, d := range s.hoisted {
		w.block.add(jen.Var().Id(w.nameOf(d)).Qual(pyPath, "Value").Op("=").Qual(pyPath, "UndefinedName").Call(jen.Lit(d.Name)))
	}
}

// macro emits a macro.
func (w *writer) macro(p *template.Macro) {
	if !w.plan.read(p.Var) {
		return // nobody calls it
	}
	description := fields{}
	description.set("Name", jen.Lit(p.Var.Name))
	var params []string
	for _, param := range p.Params {
		params = append(params, param.Var.Name)
	}
	description.texts("Params", params)
	for _, extra := range []struct {
		of   *expr.Declared
		name string
	}{{p.Varargs, "Varargs"}, {p.Kwargs, "Kwargs"}, {p.Caller, "Caller"}} {
		if extra.of != nil {
			description.set(extra.name, jen.True())
		}
	}
	call, used := w.local("call"), false
	argument := func(d *expr.Declared, value func() *jen.Statement) {
		if d != nil && w.plan.read(d) {
			used = true
			w.block.add(jen.Id(w.nameOf(d)).Op(":=").Add(value()))
		}
	}
	body := w.inside(func() {
		for i, param := range p.Params {
			if param.Default != nil && !w.plan.read(param.Var) {
				used = true // the default is computed, and may fail, all the same
				w.block.add(w.argument(call, i, param))
				continue
			}
			argument(param.Var, func() *jen.Statement { return w.argument(call, i, param) })
		}
		argument(p.Varargs, func() *jen.Statement { return jen.Id(call).Dot("Varargs").Call() })
		argument(p.Kwargs, func() *jen.Statement { return jen.Id(call).Dot("Kwargs").Call() })
		argument(p.Caller, func() *jen.Statement { return jen.Id(call).Dot("Caller").Call() })
		w.block.add(w.scope(p.Body, scopeKey{p, bodyScope})...)
	})
	if !used {
		call = "_"
	}
	code := w.evaluator().Dot("Macro").Add(args(jen.Qual(pyPath, "Macro").Add(description.line()),
		jen.Func().Params(jen.Id(call).Op("*").Qual(pyPath, "MacroCall")).Block(body...)))
	op := "="
	if w.plan.here(p.Var, p) {
		op = ":="
	}
	w.g.mark(w.block, w.t.Source.Span(p.Start, p.Start+1), jen.Id(w.nameOf(p.Var)).Op(op).Add(code))
}

// argument is the argument of a macro's parameter.
func (w *writer) argument(call string, i int, p template.Param) *jen.Statement {
	if p.Default == nil {
		return jen.Id(call).Dot("Arg").Call(jen.Lit(i))
	}
	return jen.Id(call).Dot("ArgOr").Call(jen.Lit(i), thunk(anyForm, w.compute(p.Default)))
}

// bind hands a value to the program that the template makes.
func (w *writer) bind(p *template.Bound) {
	d := fields{}
	d.set("Name", jen.Lit(p.Name))
	d.set("Value", w.textAt(w.strict(stringOf(p.Expr)), w.at(between(w.t.Source.Value, p.Start, p.End), p.Start, p.End)))
	d.marks(p.Integer, p.Literal, p.Words, p.Echoed)
	binding := jen.Qual(flowPath, "Binding").Add(d.line())
	w.g.add(w.block, w.t.Source.Span(p.Start, p.End), w.evaluator().Dot("Bind").Add(group("(", fillMark, []jen.Code{binding, jen.Lit(p.Before), jen.Lit(p.After)})))
}

// stringOf is the expression of which a text is made: what its evaluation makes a
// text of anyway needs no operator for it.
func stringOf(e expr.Expr) expr.Expr {
	if s, ok := e.(*expr.Str); ok {
		return s.X
	}
	return e
}
