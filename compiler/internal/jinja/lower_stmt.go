package jinja

import (
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

func (l *lowerer) lowerParts(list []stmt) []template.Part {
	var parts []template.Part
	for _, s := range list {
		switch s := s.(type) {
		case *textStmt:
			parts = append(parts, &template.Text{Value: s.value, Start: s.start})
		case *printStmt:
			if h := l.lowerPrint(s); h != nil {
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
			x := l.applyFilters(s.filters, l.renderedText(bodyKey{s, 0}, s.place, s.body))
			parts = append(parts, &template.Hole{Expr: l.toText(x), Start: s.start, End: s.end})
		case *blockStmt:
			parts = append(parts, &template.Scope{Body: l.lowerBody(bodyKey{s, 0}, s.body), Start: s.start, End: s.end})
		}
	}
	return parts
}

// toText is the text of a value.
func (l *lowerer) toText(x expr.Expr) expr.Expr {
	x = l.requireValue(x)
	if bad, ok := x.(*expr.Bad); ok {
		return bad
	}
	return &expr.Str{At: x.Span(), X: x}
}

// lowerPrint lowers a hole; nil when it has no value.
func (l *lowerer) lowerPrint(s *printStmt) template.Part {
	switch len(s.values) {
	case 0:
		return nil
	case 1:
		return &template.Hole{Expr: l.toText(l.lowerExpr(s.values[0])), Start: s.start, End: s.end}
	}
	c := &expr.Concat{At: l.placeSpan(s.place)}
	for _, v := range s.values {
		c.Parts = append(c.Parts, l.toText(l.lowerExpr(v)))
	}
	return &template.Hole{Expr: l.toText(c), Start: s.start, End: s.end}
}

// renderedText is the text of statements with their own variables.
func (l *lowerer) renderedText(key bodyKey, at place, list []stmt) expr.Expr {
	parts := l.lowerBody(key, list)
	return &expr.Rendered{At: l.placeSpan(at), Text: &template.Template{Source: l.faults.text, Parts: parts}}
}

func (l *lowerer) ifPart(s *ifStmt) template.Part {
	part := &template.If{Start: s.start, End: s.end}
	var ends []map[*variable]status
	var held []string // the facts where the branches before were not taken
	for _, b := range s.branches {
		cond := l.requireValue(l.lowerExpr(b.cond))
		yes, no := definedNames(b.cond)
		ends = append(ends, l.runBranch(func() {
			l.withGuards(yes, func() { part.Branches = append(part.Branches, template.Branch{Cond: cond, Body: l.lowerParts(b.body)}) })
		}))
		l.countGuards(no, 1)
		held = append(held, no...)
	}
	ends = append(ends, l.runBranch(func() { part.Else = l.lowerParts(s.els) }))
	l.countGuards(held, -1)
	l.mergeBranches(ends)
	return part
}

func (l *lowerer) forPart(s *forStmt) template.Part {
	part := &template.For{Start: s.start, End: s.end, Items: l.requireValue(l.lowerExpr(s.items))}
	l.reportNotIterable(part.Items, "loop over")
	elem := l.itemType(part.Items)
	key := bodyKey{s, 0}
	l.pushFrame(false)
	l.noLoopTarget(s.target)
	part.Target = l.declareTarget(key, s.target, elem)
	if s.where_ != nil {
		part.Where = l.requireValue(l.lowerExpr(s.where_))
	}
	loop := l.declareParam(key, "loop", s.place, types.Any)
	loop.loop, loop.elem = true, elem
	loop.decl.At = l.placeSpan(place{s.start, s.start + 2})
	part.Loop = loop.decl
	l.loops++
	// No run of the body knows the variables of another.
	l.runBranch(func() { part.Body = l.lowerInFrame(key, s.body) })
	l.loops--
	l.popFrame()
	part.Else = l.lowerBody(bodyKey{s, 1}, s.els)
	return part
}

// noLoopTarget reports a target of the name that loops have for themselves.
func (f *faults) noLoopTarget(target node) {
	switch t := target.(type) {
	case *nameNode:
		if t.name == "loop" {
			f.add(codes.TemplateType.New(f.placeSpan(t.place), "`loop` cannot be set"))
		}
	case *listNode:
		for _, item := range t.items {
			f.noLoopTarget(item)
		}
	}
}

// declareTarget declares the targets of a for or a with statement.
func (l *lowerer) declareTarget(key bodyKey, target node, t types.Type) template.Target {
	at := l.placeSpan(target.where())
	switch n := target.(type) {
	case *nameNode:
		return template.Target{Var: l.declareParam(key, n.name, n.place, t).decl, At: at}
	case *listNode:
		result := template.Target{Items: []template.Target{}, At: at}
		l.reportNotUnpackable(at, t, len(n.items))
		for _, item := range n.items {
			result.Items = append(result.Items, l.declareTarget(key, item, unpackedType(t)))
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
		value = l.requireValue(l.lowerExpr(s.value))
	} else {
		value = l.applyFilters(s.filters, l.renderedText(bodyKey{s, 0}, s.place, s.body))
	}
	return &template.Set{Target: l.assignTarget(s.target, value, value.Type()), Value: value, Start: s.start, End: s.end}
}

// assignTarget gives a target a value of a type. value is the whole value, nil for a
// part of it.
func (l *lowerer) assignTarget(target node, value expr.Expr, t types.Type) template.Target {
	at := l.placeSpan(target.where())
	switch n := target.(type) {
	case *nameNode:
		v := l.frame.vars[n.name]
		l.recordAssignment(v, t)
		return template.Target{Var: v.decl, At: at}
	case *listNode:
		result := template.Target{Items: []template.Target{}, At: at}
		items := unpackedItems(value)
		if items == nil {
			l.reportNotUnpackable(at, t, len(n.items))
		} else if len(items) != len(n.items) {
			l.faults.add(codes.TemplateType.New(at, finding.Count(len(items), "value")+" cannot be unpacked into "+finding.Count(len(n.items), "variable")))
			items = nil
		}
		for i, item := range n.items {
			if items != nil {
				result.Items = append(result.Items, l.assignTarget(item, items[i], items[i].Type()))
			} else {
				result.Items = append(result.Items, l.assignTarget(item, nil, unpackedType(t)))
			}
		}
		return result
	case *fieldNode:
		object := l.lowerExpr(&n.object)
		switch object.(type) {
		case *expr.Local, *expr.Bad:
		default:
			l.faults.add(codes.TemplateType.New(at, "only fields of `namespace()` can be set"))
		}
		if object.Type() != types.Any && object.Type() != types.Invalid {
			l.faults.add(codes.TemplateType.New(at, "`"+n.object.name+"` is "+describeType(object.Type())+": only fields of `namespace()` can be set"))
		}
		return template.Target{Object: object, Field: n.name, At: at}
	}
	return template.Target{Var: &expr.Declared{Typ: types.Invalid, At: at}, At: at}
}

// unpackedItems returns the items of a list that is written out.
func unpackedItems(value expr.Expr) []expr.Expr {
	if l, ok := value.(*expr.ListOf); ok {
		return l.Items
	}
	return nil
}

func (l *lowerer) withPart(s *withStmt) template.Part {
	key := bodyKey{s, 0}
	var values []expr.Expr
	for _, v := range s.values {
		values = append(values, l.requireValue(l.lowerExpr(v)))
	}
	part := &template.Scope{Start: s.start, End: s.end}
	l.pushFrame(false)
	defer l.popFrame()
	for i, target := range s.targets {
		at := s.targets[i].where().start
		part.Body = append(part.Body, &template.Set{Target: l.declareTarget(key, target, values[i].Type()), Value: values[i], Start: at, End: s.values[i].where().end})
	}
	part.Body = append(part.Body, l.lowerInFrame(key, s.body)...)
	return part
}

func (l *lowerer) macroPart(s *macroStmt) template.Part {
	v := l.frame.vars[s.name]
	l.recordAssignment(v, types.Any)
	m := &template.Macro{Var: v.decl, Start: s.start, End: s.end}
	if v.sets == 1 {
		v.macro = m // also for calls in its own body, but for later statements in it
	}
	l.lowerMacro(bodyKey{s, 0}, m, s.params, s.body)
	return m
}

// lowerMacro lowers the parameters and the body of a macro.
func (l *lowerer) lowerMacro(key bodyKey, m *template.Macro, params []parameter, body []stmt) {
	l.pushFrame(true)
	defer l.popFrame()
	l.frame.macro = m
	for _, p := range params {
		param := template.Param{}
		if p.value != nil {
			param.Default = l.requireValue(l.lowerExpr(p.value))
		}
		v := l.declareParam(key, p.name, p.at, types.Any)
		v.decl.Maybe = p.value == nil
		param.Var = v.decl
		m.Params = append(m.Params, param)
	}
	l.runBranch(func() { m.Body = l.lowerInFrame(key, body) })
}

// callPart makes a macro of the body, named caller, and hands it to the call.
func (l *lowerer) callPart(s *callStmt) template.Part {
	caller := &expr.Declared{Name: "caller", Typ: types.Any, At: l.placeSpan(s.head)}
	m := &template.Macro{Var: caller, Start: s.start, End: s.end}
	var x expr.Expr = &expr.Bad{At: l.placeSpan(s.head)}
	if s.call != nil {
		x = l.lowerCall(s.call, true)
		if call, ok := x.(*expr.Call); ok {
			call.Args = append(call.Args, expr.Arg{Name: "caller", Value: &expr.Local{At: caller.At, Of: caller}})
		}
	}
	l.lowerMacro(bodyKey{s, 0}, m, s.params, s.body)
	return &template.Scope{Start: s.start, End: s.end, Body: []template.Part{
		m, &template.Hole{Expr: l.toText(x), Start: s.head.start, End: s.head.end},
	}}
}
