package jinja

import (
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// lowerExpr lowers an expression.
func (l *lowerer) lowerExpr(n node) expr.Expr {
	switch n := n.(type) {
	case *nameNode:
		return l.lowerName(n, false)
	case *literalNode:
		return l.lowerLiteral(n)
	case *attrNode:
		return l.lowerAttr(n, false)
	case *itemNode:
		return l.lowerItem(n, false)
	case *callNode:
		return l.lowerCall(n, false)
	case *filterNode:
		return l.lowerFilter(n, l.lowerFiltered(n))
	case *testNode:
		return l.lowerTest(n)
	case *binaryNode:
		return l.lowerBinary(n)
	case *unaryNode:
		return l.lowerUnary(n)
	case *concatNode:
		c := &expr.Concat{At: l.placeSpan(n.place)}
		for _, p := range n.parts {
			c.Parts = append(c.Parts, l.requireValue(l.lowerExpr(p)))
		}
		return c
	case *compareNode:
		return l.lowerRelation(n)
	case *chooseNode:
		return l.lowerChoose(n)
	case *listNode:
		return l.lowerList(n)
	case *dictNode:
		d := &expr.DictOf{At: l.placeSpan(n.place)}
		for i := range n.keys {
			key := l.requireValue(l.lowerExpr(n.keys[i]))
			if !isHashable(key) {
				l.faults.add(codes.TemplateType.New(key.Span(), describeType(key.Type())+" cannot be the key of a dict"))
			}
			d.Keys = append(d.Keys, key)
			d.Values = append(d.Values, l.requireValue(l.lowerExpr(n.values[i])))
		}
		return d
	case *sliceNode:
		l.faults.add(finding.TemplateSyntax(l.placeSpan(n.place), "brackets can contain only one slice"))
	}
	return &expr.Bad{At: l.placeSpan(n.where())}
}

// lowerAsked lowers the operand of a test or filter that accepts undefined values: a
// name or a last attribute may be missing there.
func (l *lowerer) lowerAsked(n node) expr.Expr {
	switch n := n.(type) {
	case *nameNode:
		return l.lowerName(n, true)
	case *attrNode:
		return l.lowerAttr(n, true)
	case *itemNode:
		return l.lowerItem(n, true)
	}
	return l.requireValue(l.lowerExpr(n))
}

// requireValue reports a method that is not called.
func (f *faults) requireValue(e expr.Expr) expr.Expr {
	a, ok := e.(*expr.Attr)
	if ok && isMethod(a.X.Type(), a.Name) {
		f.add(codes.TemplateType.New(a.NameSpan, "`"+a.Name+"` is a method: call it").
			WithHelp("write `" + a.Name + "()`"))
		return &expr.Bad{At: a.At}
	}
	return e
}

func (l *lowerer) lowerName(n *nameNode, asked bool) expr.Expr {
	l.asking = l.isHidden(n.name) && (asked || l.isGuarded(n))
	defer func() { l.asking = false }()
	if e, ok := l.lookupName(n.name, n.place, l.frame, false); ok {
		return e
	}
	if asked || l.isGuarded(n) {
		return &expr.UndefinedName{At: l.placeSpan(n.place), Name: n.name}
	}
	return l.reportUndefined(n)
}

func (l *lowerer) lowerLiteral(n *literalNode) expr.Expr {
	at := l.placeSpan(n.place)
	if n.typ == types.Int {
		if _, err := strconv.ParseInt(n.text, 10, 64); err != nil {
			// A number that does not fit into 64 bits is read from its text.
			text := &expr.Literal{At: at, Text: n.text, Typ: types.Text}
			return &expr.Filter{At: at, X: text, Name: "int", NameSpan: at, Typ: types.Any}
		}
	}
	return &expr.Literal{At: at, Text: n.text, Typ: n.typ}
}

func (l *lowerer) lowerList(n *listNode) expr.Expr {
	e := &expr.ListOf{At: l.placeSpan(n.place), Tuple: n.tuple, Typ: types.Any}
	var elem types.Type
	for _, item := range n.items {
		x := l.requireValue(l.lowerExpr(item))
		e.Items = append(e.Items, x)
		if elem == nil {
			elem = x.Type()
		} else {
			elem = joinTypes(elem, x.Type())
		}
	}
	if !n.tuple && elem != nil && elem != types.Null && !l.mutable {
		e.Typ = &types.List{Elem: elem}
	}
	return e
}

func (l *lowerer) lowerChoose(n *chooseNode) expr.Expr {
	yes, no := definedNames(n.cond)
	e := &expr.Choose{At: l.placeSpan(n.place), If: l.requireValue(l.lowerExpr(n.cond))}
	l.withGuards(yes, func() { e.Then = l.requireValue(l.lowerExpr(n.then)) })
	e.Typ = types.Any
	if n.els != nil {
		l.withGuards(no, func() { e.Else = l.requireValue(l.lowerExpr(n.els)) })
		e.Typ = joinTypes(e.Then.Type(), e.Else.Type())
	}
	return e
}

func (l *lowerer) lowerUnary(n *unaryNode) expr.Expr {
	at := l.placeSpan(n.place)
	x := l.requireValue(l.lowerExpr(n.x))
	if n.op == "not" {
		return &expr.Negation{At: at, X: x}
	}
	t := x.Type()
	typ := types.Type(types.Any)
	switch {
	case t == types.Int || t == types.Float || t == types.Invalid:
		typ = t
	case t == types.Bool:
		typ = types.Int
	case !isOpen(t):
		l.faults.add(codes.TemplateType.New(at, "`"+n.op+"` needs a number, got "+describeType(t)))
		return &expr.Bad{At: at}
	}
	if lit, ok := x.(*expr.Literal); ok && n.op == "-" && types.IsNumber(lit.Typ) && lit.Text != "0" && lit.Text[0] != '-' && lit.Typ == types.Int {
		return &expr.Literal{At: at, Text: "-" + lit.Text, Typ: lit.Typ}
	}
	return &expr.Sign{At: at, Negative: n.op == "-", X: x, Typ: typ}
}

func (l *lowerer) lowerBinary(n *binaryNode) expr.Expr {
	at := l.placeSpan(n.place)
	x := l.requireValue(l.lowerExpr(n.x))
	if n.op == "and" || n.op == "or" {
		yes, no := definedNames(n.x)
		held, op := yes, expr.And
		if n.op == "or" {
			held, op = no, expr.Or
		}
		var y expr.Expr
		l.withGuards(held, func() { y = l.requireValue(l.lowerExpr(n.y)) })
		return &expr.Either{At: at, Op: op, X: x, Y: y, Typ: joinTypes(x.Type(), y.Type())}
	}
	y := l.requireValue(l.lowerExpr(n.y))
	op := arithOps[n.op]
	t, problem := arithType(op, x, y)
	if problem != "" {
		d := codes.TemplateType.New(l.placeSpan(n.opAt), problem)
		if op == expr.Add && (types.IsText(x.Type()) || types.IsText(y.Type())) {
			d.WithHelp("use `~` to join values as strings").WithFix("join by `~`", l.placeSpan(n.opAt), "~")
		}
		l.faults.add(d.WithRelated(x.Span(), describeType(x.Type())).WithRelated(y.Span(), describeType(y.Type())))
		return &expr.Bad{At: at}
	}
	return &expr.Arith{At: at, Op: op, X: x, Y: y, Typ: t}
}

var arithOps = map[string]expr.ArithOp{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div, "//": expr.FloorDiv, "%": expr.Mod, "**": expr.Pow}

var relationOps = map[string]expr.RelationOp{
	"==": expr.Equal, "!=": expr.NotEqual, "<": expr.Less, "<=": expr.LessEqual,
	">": expr.Greater, ">=": expr.GreaterEqual, "in": expr.In, "not in": expr.NotIn,
}

func (l *lowerer) lowerRelation(n *compareNode) expr.Expr {
	r := &expr.Relation{At: l.placeSpan(n.place), X: l.requireValue(l.lowerExpr(n.x))}
	left := r.X
	for _, link := range n.links {
		y := l.requireValue(l.lowerExpr(link.y))
		op := relationOps[link.op]
		if d := l.comparisonFault(op, link, left, y); d != nil {
			l.faults.add(d)
		}
		r.Links = append(r.Links, expr.Link{Op: op, Y: y})
		left = y
	}
	return r
}

// comparisonFault returns the fault of a comparison, nil if there is none.
func (f *faults) comparisonFault(op expr.RelationOp, link comparison, x, y expr.Expr) *diag.Diagnostic {
	at := f.placeSpan(link.at)
	if isOpen(y.Type()) {
		return nil
	}
	if op == expr.In || op == expr.NotIn {
		switch t := y.Type(); {
		case isNumeric(t) || t == types.Null:
			return codes.TemplateType.New(at, "`in` cannot search "+describeType(t))
		case types.IsText(t) && !types.IsText(x.Type()) && !isOpen(x.Type()):
			return codes.TemplateType.New(at, "`in` needs a string on the left, got "+describeType(x.Type())).
				WithRelated(x.Span(), describeType(x.Type()))
		}
		return nil
	}
	a, b := kindOf(x.Type()), kindOf(y.Type())
	if a == anyKind || b == anyKind {
		return nil
	}
	if op == expr.Equal || op == expr.NotEqual {
		if a != b && a != nullKind && b != nullKind {
			return finding.ConstantComparison(at, op == expr.NotEqual, describeType(x.Type())+" never equals "+describeType(y.Type())).
				WithRelated(x.Span(), describeType(x.Type())).WithRelated(y.Span(), describeType(y.Type()))
		}
		return nil
	}
	if a == b && (a == numberKind || a == textKind || a == listKind) {
		return nil
	}
	return codes.TemplateType.New(at, "`"+link.op+"` cannot compare "+describeType(x.Type())+" with "+describeType(y.Type())).
		WithRelated(x.Span(), describeType(x.Type())).WithRelated(y.Span(), describeType(y.Type()))
}

func (l *lowerer) lowerFiltered(n *filterNode) expr.Expr {
	if n.x == nil {
		return &expr.Bad{At: l.placeSpan(n.place)}
	}
	if n.name == "default" || n.name == "d" {
		return l.lowerAsked(n.x)
	}
	return l.requireValue(l.lowerExpr(n.x))
}

// applyFilters applies the filters of a block, the innermost of which has no operand.
func (l *lowerer) applyFilters(n node, x expr.Expr) expr.Expr {
	f, ok := n.(*filterNode)
	if !ok {
		if n != nil {
			return &expr.Bad{At: l.placeSpan(n.where())}
		}
		return x
	}
	if f.x != nil {
		x = l.applyFilters(f.x, x)
	}
	return l.lowerFilter(f, x)
}
