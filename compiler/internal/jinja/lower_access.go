package jinja

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerAttr lowers x.name. asked says that it may be missing.
func (l *lowerer) lowerAttr(n *attrNode, asked bool) expr.Expr {
	x := l.requireValue(l.lowerExpr(n.x))
	if a, ok := l.scope.(Attributer); ok {
		if e, ok := a.Attribute(x, n.name, l.placeSpan(n.place)); ok {
			return e
		}
	}
	e := &expr.Attr{At: l.placeSpan(n.place), X: x, Name: n.name, NameSpan: l.placeSpan(n.at), Typ: types.Any}
	e.Lenient = l.opt.Condition && ofStep(x)
	asked = asked || l.isGuarded(n)
	if strings.HasPrefix(n.name, "__") && x.Type() != types.Invalid {
		if s, ok := structOf(x.Type()); !ok || s.Field(n.name) == nil {
			l.faults.add(codes.TemplateUnsupported.New(e.NameSpan, "unsupported name: it starts with two underscores"))
			return &expr.Bad{At: e.At}
		}
	}
	if v := l.loopOf(x); v != nil {
		return l.loopAttr(e, v, asked)
	}
	switch t := x.Type().(type) {
	case *types.Optional:
		if s, ok := t.Elem.(*types.Struct); ok {
			l.setFieldType(e, s, n, true)
		}
		return e
	case *types.Struct:
		return l.structAttr(e, t, n, asked)
	}
	if isOpen(x.Type()) || isMethod(x.Type(), n.name) || isAttribute(x.Type(), n.name) {
		if isAttribute(x.Type(), n.name) {
			e.Typ = attributeType(x.Type(), n.name)
		}
		return e
	}
	if !asked {
		d := finding.JinjaNoField(e.NameSpan, describeValue(x), n.name, methodNames(x.Type()))
		if _, ok := pynames.Filters.Find(n.name); ok {
			d.WithHelp("write `x | " + n.name + "`")
		}
		l.faults.add(d)
		return &expr.Bad{At: e.At}
	}
	e.Presence = expr.MaybeAbsent
	return e
}

// structAttr lowers the attribute of an object whose fields are known: a method
// of all objects, or a field.
func (l *lowerer) structAttr(e *expr.Attr, s *types.Struct, n *attrNode, asked bool) expr.Expr {
	if isMethod(s, n.name) {
		if s.Field(n.name) != nil && !l.isCalled(n) {
			l.faults.add(finding.JinjaHiddenField(l.placeSpan(place{n.dot, n.at.end}), n.name))
			return &expr.Bad{At: e.At}
		}
		return e
	}
	if !l.setFieldType(e, s, n, asked) {
		return &expr.Bad{At: e.At}
	}
	return e
}

// isCalled reports whether a parenthesis follows an attribute.
func (l *lowerer) isCalled(n *attrNode) bool {
	rest := strings.TrimLeftFunc(l.text[n.at.end:], scalar.IsSpace)
	return strings.HasPrefix(rest, "(")
}

// setFieldType gives an attribute the type of the field; false when there is none and
// that is a fault.
func (l *lowerer) setFieldType(e *expr.Attr, s *types.Struct, n *attrNode, asked bool) bool {
	if f := s.Field(n.name); f != nil {
		e.Typ = f.Type
		if !f.Required {
			e.Presence = expr.MaybeAbsent
		}
		return true
	}
	e.Presence = expr.MaybeAbsent
	return l.noField(e.NameSpan, e.X, s, n.name, asked)
}

// noField reports a field that an object does not declare; false when it cannot
// have it.
func (f *faults) noField(at source.Span, x expr.Expr, s *types.Struct, name string, asked bool) bool {
	switch {
	case asked || ownFields[name]:
	case s.Open:
		f.add(finding.JinjaUndeclaredField(at, describeValue(x), name, s.FieldNames()))
	default:
		f.add(finding.JinjaNoField(at, describeValue(x), name, s.FieldNames()))
		return false
	}
	return true
}

// ownFields are those that the engine itself gives outputs.
var ownFields = map[string]bool{"_output": true, "_raw": true, "_data": true}

// describeValue is a value in words that name it.
func describeValue(x expr.Expr) string {
	switch x := x.(type) {
	case *expr.StepValue:
		return "the output of `" + x.Node + "`"
	case *expr.Input:
		return "the input `" + x.Name + "`, " + describeType(x.Typ) + ","
	case *expr.Local:
		return "`" + x.Of.Name + "`, " + describeType(x.Of.Typ) + ","
	case *expr.Attr:
		return "`" + x.Name + "`, " + describeType(x.Typ) + ","
	}
	return describeType(x.Type())
}

// ofStep reports whether a value is, or is in, the output of a step.
func ofStep(x expr.Expr) bool {
	switch x := x.(type) {
	case *expr.StepValue:
		return true
	case *expr.Attr:
		return x.Lenient
	case *expr.Item:
		return ofStep(x.X)
	}
	return false
}

// lowerItem lowers x[key].
func (l *lowerer) lowerItem(n *itemNode, asked bool) expr.Expr {
	at := l.placeSpan(n.place)
	x := l.requireValue(l.lowerExpr(n.x))
	if s, ok := n.key.(*sliceNode); ok {
		return l.lowerSlice(at, x, s)
	}
	key := l.requireValue(l.lowerExpr(n.key))
	if a, ok := l.scope.(Attributer); ok {
		if lit, ok := key.(*expr.Literal); ok && lit.Typ == types.Text {
			if e, ok := a.Attribute(x, lit.Text, at); ok {
				return e
			}
		}
	}
	asked = asked || l.isGuarded(n)
	e := &expr.Item{At: at, X: x, Key: key, Typ: types.Any}
	switch t := x.Type().(type) {
	case *types.Struct:
		if lit, ok := key.(*expr.Literal); ok && lit.Typ == types.Text {
			return l.structItem(e, t, lit.Text, asked)
		}
	case *types.List:
		if kindOf(key.Type()) == numberKind && key.Type() != types.Float {
			e.Typ = t.Elem
		}
	case types.Basic:
		switch {
		case types.IsText(t) && (key.Type() == types.Int || key.Type() == types.Bool):
			e.Typ = t
		case (isNumeric(t) || t == types.Null) && !asked:
			l.faults.add(codes.TemplateType.New(at, describeType(t)+" has no items"))
			return &expr.Bad{At: at}
		}
	}
	return e
}

// structItem lowers x["name"]. But for methods it is the same as x.name.
func (l *lowerer) structItem(e *expr.Item, s *types.Struct, name string, asked bool) expr.Expr {
	f := s.Field(name)
	if f == nil && !l.noField(e.Key.Span(), e.X, s, name, asked) {
		return &expr.Bad{At: e.At}
	}
	if isMethod(s, name) || strings.HasPrefix(name, "__") {
		if f != nil && f.Required {
			e.Typ = f.Type
		}
		return e
	}
	a := &expr.Attr{At: e.At, X: e.X, Name: name, NameSpan: e.Key.Span(), Typ: types.Any, Presence: expr.MaybeAbsent}
	a.Lenient = l.opt.Condition && ofStep(e.X)
	if f != nil {
		a.Typ = f.Type
		if f.Required {
			a.Presence = 0
		}
	}
	return a
}

func (l *lowerer) lowerSlice(at source.Span, x expr.Expr, n *sliceNode) expr.Expr {
	e := &expr.Slice{At: at, X: x}
	bound := func(n node) expr.Expr {
		if n == nil {
			return nil
		}
		b := l.requireValue(l.lowerExpr(n))
		if t := b.Type(); !isOpen(t) && t != types.Int && t != types.Bool && t != types.Null {
			l.faults.add(codes.TemplateType.New(b.Span(), "the bounds of a slice must be integers, got "+describeType(t)))
		}
		return b
	}
	e.Low, e.High, e.Step = bound(n.low), bound(n.high), bound(n.step)
	if lit, ok := e.Step.(*expr.Literal); ok && isZero(lit) {
		l.faults.add(codes.TemplateType.New(lit.At, "the step of a slice must not be 0"))
	}
	if t := x.Type(); !isOpen(t) && kindOf(t) != textKind && kindOf(t) != listKind {
		l.faults.add(codes.TemplateType.New(at, describeType(t)+" has no slices"))
		return &expr.Bad{At: at}
	}
	return e
}

func isZero(e expr.Expr) bool {
	lit, ok := e.(*expr.Literal)
	if !ok || !types.IsNumber(lit.Typ) {
		return ok && lit.Typ == types.Bool && lit.Text == "false"
	}
	f, err := strconv.ParseFloat(lit.Text, 64)
	return err == nil && f == 0
}

// loopOf returns the variable `loop` that an expression reads, nil when it reads
// none.
func (vs *variables) loopOf(x expr.Expr) *variable {
	local, ok := x.(*expr.Local)
	if !ok {
		return nil
	}
	for f := vs.frame; f != nil; f = f.outer {
		if v := f.vars[local.Of.Name]; v != nil && v.decl == local.Of && v.loop {
			return v
		}
	}
	return nil
}

// loopNames are the attributes of `loop`.
var loopNames = []string{"index", "index0", "first", "last", "length", "revindex", "revindex0", "previtem", "nextitem", "cycle", "changed", "depth", "depth0"}

func (l *lowerer) loopAttr(e *expr.Attr, v *variable, asked bool) expr.Expr {
	switch e.Name {
	case "index", "index0", "length", "revindex", "revindex0", "depth", "depth0":
		e.Typ = types.Int
	case "first", "last":
		e.Typ = types.Bool
	case "previtem", "nextitem":
		e.Typ, e.Presence = v.elem, expr.MaybeAbsent
	case "cycle", "changed":
	default:
		if !asked {
			l.faults.add(finding.JinjaNoField(e.NameSpan, "`loop`", e.Name, loopNames))
			return &expr.Bad{At: e.At}
		}
		e.Presence = expr.MaybeAbsent
	}
	return e
}
