package jinja

import (
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

func (l *lowerer) parts(list []stmt) []template.Part {
	var parts []template.Part
	for _, s := range list {
		switch s := s.(type) {
		case *textStmt:
			parts = append(parts, &template.Text{Value: s.value, Start: s.start})
		case *printStmt:
			if h := l.print(s); h != nil {
				parts = append(parts, h)
			}
		case *ifStmt:
			parts = append(parts, l.ifPart(s))
		case *forStmt:
			parts = append(parts, l.forPart(s))
		case *setStmt:
			parts = append(parts, l.setPart(s))
		case *withStmt:
			parts = append(parts, l.withPart(s))
		case *macroStmt:
			parts = append(parts, l.macroPart(s))
		case *callStmt:
			parts = append(parts, l.callPart(s))
		case *filterStmt:
			x := l.chain(s.filters, l.rendered(bodyKey{s, 0}, s.place, s.body))
			parts = append(parts, &template.Hole{Expr: l.str(x), Start: s.start, End: s.end})
		case *blockStmt:
			parts = append(parts, &template.Scope{Body: l.body(bodyKey{s, 0}, s.body), Start: s.start, End: s.end})
		}
	}
	return parts
}

// str is the text of a value; a fault has none.
func (l *lowerer) str(x expr.Expr) expr.Expr {
	x = l.used(x)
	if bad, ok := x.(*expr.Bad); ok {
		return bad
	}
	return &expr.Str{At: x.Span(), X: x}
}

// print lowers a hole; nil when it has no value.
func (l *lowerer) print(s *printStmt) template.Part {
	switch len(s.values) {
	case 0:
		return nil
	case 1:
		return &template.Hole{Expr: l.str(l.expr(s.values[0])), Start: s.start, End: s.end}
	}
	c := &expr.Concat{At: l.span(s.place)}
	for _, v := range s.values {
		c.Parts = append(c.Parts, l.str(l.expr(v)))
	}
	return &template.Hole{Expr: l.str(c), Start: s.start, End: s.end}
}

// rendered is the text of statements with their own variables.
func (l *lowerer) rendered(key bodyKey, at place, list []stmt) expr.Expr {
	parts := l.body(key, list)
	return &expr.Rendered{At: l.span(at), Text: &template.Template{Source: l.faults.text, Parts: parts}}
}

func (l *lowerer) ifPart(s *ifStmt) template.Part {
	part := &template.If{Start: s.start, End: s.end}
	var ends []map[*variable]status
	var held []string // the facts where the branches before were not taken
	for _, b := range s.branches {
		cond := l.used(l.expr(b.cond))
		yes, no := facts(b.cond)
		ends = append(ends, l.branch(func() {
			l.guarding(yes, func() { part.Branches = append(part.Branches, template.Branch{Cond: cond, Body: l.parts(b.body)}) })
		}))
		l.guard(no, 1)
		held = append(held, no...)
	}
	ends = append(ends, l.branch(func() { part.Else = l.parts(s.els) }))
	l.guard(held, -1)
	l.merge(ends)
	return part
}

func (l *lowerer) forPart(s *forStmt) template.Part {
	part := &template.For{Start: s.start, End: s.end, Items: l.used(l.expr(s.items))}
	l.iterable(part.Items, "loop over")
	elem := l.elem(part.Items)
	key := bodyKey{s, 0}
	l.push(false)
	l.noLoopTarget(s.target)
	part.Target = l.declareTarget(key, s.target, elem)
	if s.where_ != nil {
		part.Where = l.used(l.expr(s.where_))
	}
	loop := l.param(key, "loop", s.place, types.Any)
	loop.loop, loop.elem = true, elem
	loop.decl.At = l.span(place{s.start, s.start + 2})
	part.Loop = loop.decl
	l.loops++
	// No run of the body knows the variables of another.
	l.branch(func() { part.Body = l.within(key, s.body) })
	l.loops--
	l.pop()
	part.Else = l.body(bodyKey{s, 1}, s.els)
	return part
}

// noLoopTarget reports a target of the name that loops have for themselves.
func (l *lowerer) noLoopTarget(target node) {
	switch t := target.(type) {
	case *nameNode:
		if t.name == "loop" {
			l.faults.add(codes.TemplateType.New(l.span(t.place), "`loop` cannot be set"))
		}
	case *listNode:
		for _, item := range t.items {
			l.noLoopTarget(item)
		}
	}
}

// declareTarget declares the targets of a for or a with statement.
func (l *lowerer) declareTarget(key bodyKey, target node, t types.Type) template.Target {
	at := l.span(target.where())
	switch n := target.(type) {
	case *nameNode:
		return template.Target{Var: l.param(key, n.name, n.place, t).decl, At: at}
	case *listNode:
		result := template.Target{Items: []template.Target{}, At: at}
		l.unpackable(at, t, len(n.items))
		for _, item := range n.items {
			result.Items = append(result.Items, l.declareTarget(key, item, part(t)))
		}
		return result
	}
	return template.Target{Var: &expr.Declared{Typ: types.Invalid, At: at}, At: at}
}

func (l *lowerer) setPart(s *setStmt) template.Part {
	if l.loops > 0 {
		l.noLoopTarget(s.target)
	}
	var value expr.Expr
	if s.value != nil {
		value = l.used(l.expr(s.value))
	} else {
		value = l.chain(s.filters, l.rendered(bodyKey{s, 0}, s.place, s.body))
	}
	return &template.Set{Target: l.assign(s.target, value, value.Type()), Value: value, Start: s.start, End: s.end}
}

// assign gives a target a value of a type. value is the whole value, nil for a
// part of it.
func (l *lowerer) assign(target node, value expr.Expr, t types.Type) template.Target {
	at := l.span(target.where())
	switch n := target.(type) {
	case *nameNode:
		v := l.frame.vars[n.name]
		l.set(v, t)
		return template.Target{Var: v.decl, At: at}
	case *listNode:
		result := template.Target{Items: []template.Target{}, At: at}
		items := unpacked(value)
		if items == nil {
			l.unpackable(at, t, len(n.items))
		} else if len(items) != len(n.items) {
			l.faults.add(codes.TemplateType.New(at, finding.Count(len(items), "value")+" cannot be unpacked into "+finding.Count(len(n.items), "variable")))
			items = nil
		}
		for i, item := range n.items {
			if items != nil {
				result.Items = append(result.Items, l.assign(item, items[i], items[i].Type()))
			} else {
				result.Items = append(result.Items, l.assign(item, nil, part(t)))
			}
		}
		return result
	case *fieldNode:
		object := l.expr(&n.object)
		switch object.(type) {
		case *expr.Local, *expr.Bad:
		default:
			l.faults.add(codes.TemplateType.New(at, "only fields of `namespace()` can be set"))
		}
		if object.Type() != types.Any && object.Type() != types.Invalid {
			l.faults.add(codes.TemplateType.New(at, "`"+n.object.name+"` is "+describe(object.Type())+": only fields of `namespace()` can be set"))
		}
		return template.Target{Object: object, Field: n.name, At: at}
	}
	return template.Target{Var: &expr.Declared{Typ: types.Invalid, At: at}, At: at}
}

// unpacked returns the items of a list that is written out.
func unpacked(value expr.Expr) []expr.Expr {
	if l, ok := value.(*expr.ListOf); ok {
		return l.Items
	}
	return nil
}

func (l *lowerer) withPart(s *withStmt) template.Part {
	key := bodyKey{s, 0}
	var values []expr.Expr
	for _, v := range s.values {
		values = append(values, l.used(l.expr(v)))
	}
	part := &template.Scope{Start: s.start, End: s.end}
	l.push(false)
	defer l.pop()
	for i, target := range s.targets {
		at := s.targets[i].where().start
		part.Body = append(part.Body, &template.Set{Target: l.declareTarget(key, target, values[i].Type()), Value: values[i], Start: at, End: s.values[i].where().end})
	}
	part.Body = append(part.Body, l.within(key, s.body)...)
	return part
}

func (l *lowerer) macroPart(s *macroStmt) template.Part {
	v := l.frame.vars[s.name]
	l.set(v, types.Any)
	m := &template.Macro{Var: v.decl, Start: s.start, End: s.end}
	if v.sets == 1 {
		v.macro = m // also for calls in its own body, but for later statements in it
	}
	l.later(bodyKey{s, 0}, m, s.params, s.body)
	return m
}

// later lowers the parameters and the body of a macro.
func (l *lowerer) later(key bodyKey, m *template.Macro, params []parameter, body []stmt) {
	l.push(true)
	defer l.pop()
	l.frame.macro = m
	for _, p := range params {
		param := template.Param{}
		if p.value != nil {
			param.Default = l.used(l.expr(p.value))
		}
		v := l.param(key, p.name, p.at, types.Any)
		v.decl.Maybe = p.value == nil
		param.Var = v.decl
		m.Params = append(m.Params, param)
	}
	l.branch(func() { m.Body = l.within(key, body) })
}

// callPart makes a macro of the body, named caller, and hands it to the call.
func (l *lowerer) callPart(s *callStmt) template.Part {
	caller := &expr.Declared{Name: "caller", Typ: types.Any, At: l.span(s.head)}
	m := &template.Macro{Var: caller, Start: s.start, End: s.end}
	var x expr.Expr = &expr.Bad{At: l.span(s.head)}
	if s.call != nil {
		x = l.call(s.call, true)
		if call, ok := x.(*expr.Call); ok {
			call.Args = append(call.Args, expr.Arg{Name: "caller", Value: &expr.Local{At: caller.At, Of: caller}})
		}
	}
	l.later(bodyKey{s, 0}, m, s.params, s.body)
	return &template.Scope{Start: s.start, End: s.end, Body: []template.Part{
		m, &template.Hole{Expr: l.str(x), Start: s.head.start, End: s.head.end},
	}}
}
