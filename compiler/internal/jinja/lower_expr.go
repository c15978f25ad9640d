package jinja

import (
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// expr lowers an expression.
func (l *lowerer) expr(n node) expr.Expr {
	switch n := n.(type) {
	case *nameNode:
		return l.name(n, false)
	case *literalNode:
		return l.literal(n)
	case *attrNode:
		return l.attr(n, false)
	case *itemNode:
		return l.item(n, false)
	case *callNode:
		return l.call(n, false)
	case *filterNode:
		return l.filter(n, l.filtered(n))
	case *testNode:
		return l.test(n)
	case *binaryNode:
		return l.binary(n)
	case *unaryNode:
		return l.unary(n)
	case *concatNode:
		c := &expr.Concat{At: l.span(n.place)}
		for _, p := range n.parts {
			c.Parts = append(c.Parts, l.used(l.expr(p)))
		}
		return c
	case *compareNode:
		return l.relation(n)
	case *chooseNode:
		return l.choose(n)
	case *listNode:
		return l.list(n)
	case *dictNode:
		d := &expr.DictOf{At: l.span(n.place)}
		for i := range n.keys {
			key := l.used(l.expr(n.keys[i]))
			if !hashable(key) {
				l.faults.add(codes.TemplateType.New(key.Span(), describe(key.Type())+" cannot be the key of a dict"))
			}
			d.Keys = append(d.Keys, key)
			d.Values = append(d.Values, l.used(l.expr(n.values[i])))
		}
		return d
	case *sliceNode:
		l.faults.add(finding.TemplateSyntax(l.span(n.place), "brackets can contain only one slice"))
	}
	return &expr.Bad{At: l.span(n.where())}
}

// asked lowers the operand of a test or filter that accepts undefined values: a
// name or a last attribute may be missing there.
func (l *lowerer) asked(n node) expr.Expr {
	switch n := n.(type) {
	case *nameNode:
		return l.name(n, true)
	case *attrNode:
		return l.attr(n, true)
	case *itemNode:
		return l.item(n, true)
	}
	return l.used(l.expr(n))
}

// used reports a method that is not called.
func (l *lowerer) used(e expr.Expr) expr.Expr {
	a, ok := e.(*expr.Attr)
	if ok && isMethod(a.X.Type(), a.Name) {
		l.faults.add(codes.TemplateType.New(a.NameSpan, "`"+a.Name+"` is a method: call it").
			WithHelp("write `" + a.Name + "()`"))
		return &expr.Bad{At: a.At}
	}
	return e
}

func (l *lowerer) name(n *nameNode, asked bool) expr.Expr {
	l.asking = l.hidden(n.name) && (asked || l.isGuarded(n))
	defer func() { l.asking = false }()
	if e, ok := l.lookup(n.name, n.place, l.frame, false); ok {
		return e
	}
	if asked || l.isGuarded(n) {
		return &expr.UndefinedName{At: l.span(n.place), Name: n.name}
	}
	return l.undefined(n)
}

func (l *lowerer) literal(n *literalNode) expr.Expr {
	at := l.span(n.place)
	if n.typ == types.Int {
		if _, err := strconv.ParseInt(n.text, 10, 64); err != nil {
			// A number that does not fit into 64 bits is read from its text.
			text := &expr.Literal{At: at, Text: n.text, Typ: types.Text}
			return &expr.Filter{At: at, X: text, Name: "int", NameSpan: at, Typ: types.Any}
		}
	}
	return &expr.Literal{At: at, Text: n.text, Typ: n.typ}
}

func (l *lowerer) list(n *listNode) expr.Expr {
	e := &expr.ListOf{At: l.span(n.place), Tuple: n.tuple, Typ: types.Any}
	var elem types.Type
	for _, item := range n.items {
		x := l.used(l.expr(item))
		e.Items = append(e.Items, x)
		if elem == nil {
			elem = x.Type()
		} else {
			elem = join(elem, x.Type())
		}
	}
	if !n.tuple && elem != nil && elem != types.Null && !l.mutable {
		e.Typ = &types.List{Elem: elem}
	}
	return e
}

func (l *lowerer) choose(n *chooseNode) expr.Expr {
	yes, no := facts(n.cond)
	e := &expr.Choose{At: l.span(n.place), If: l.used(l.expr(n.cond))}
	l.guarding(yes, func() { e.Then = l.used(l.expr(n.then)) })
	e.Typ = types.Any
	if n.els != nil {
		l.guarding(no, func() { e.Else = l.used(l.expr(n.els)) })
		e.Typ = join(e.Then.Type(), e.Else.Type())
	}
	return e
}

func (l *lowerer) unary(n *unaryNode) expr.Expr {
	at := l.span(n.place)
	x := l.used(l.expr(n.x))
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
		l.faults.add(codes.TemplateType.New(at, "`"+n.op+"` needs a number, got "+describe(t)))
		return &expr.Bad{At: at}
	}
	if lit, ok := x.(*expr.Literal); ok && n.op == "-" && types.IsNumber(lit.Typ) && lit.Text != "0" && lit.Text[0] != '-' && lit.Typ == types.Int {
		return &expr.Literal{At: at, Text: "-" + lit.Text, Typ: lit.Typ}
	}
	return &expr.Sign{At: at, Negative: n.op == "-", X: x, Typ: typ}
}

func (l *lowerer) binary(n *binaryNode) expr.Expr {
	at := l.span(n.place)
	x := l.used(l.expr(n.x))
	if n.op == "and" || n.op == "or" {
		yes, no := facts(n.x)
		held, op := yes, expr.And
		if n.op == "or" {
			held, op = no, expr.Or
		}
		var y expr.Expr
		l.guarding(held, func() { y = l.used(l.expr(n.y)) })
		return &expr.Either{At: at, Op: op, X: x, Y: y, Typ: join(x.Type(), y.Type())}
	}
	y := l.used(l.expr(n.y))
	op := arithOps[n.op]
	t, problem := arith(op, x, y)
	if problem != "" {
		d := codes.TemplateType.New(l.span(n.opAt), problem)
		if op == expr.Add && (types.IsText(x.Type()) || types.IsText(y.Type())) {
			d.WithHelp("use `~` to join values as strings").WithFix("join by `~`", l.span(n.opAt), "~")
		}
		l.faults.add(d.WithRelated(x.Span(), describe(x.Type())).WithRelated(y.Span(), describe(y.Type())))
		return &expr.Bad{At: at}
	}
	return &expr.Arith{At: at, Op: op, X: x, Y: y, Typ: t}
}

var arithOps = map[string]expr.ArithOp{"+": expr.Add, "-": expr.Sub, "*": expr.Mul, "/": expr.Div, "//": expr.FloorDiv, "%": expr.Mod, "**": expr.Pow}

var relationOps = map[string]expr.RelationOp{
	"==": expr.Equal, "!=": expr.NotEqual, "<": expr.Less, "<=": expr.LessEqual,
	">": expr.Greater, ">=": expr.GreaterEqual, "in": expr.In, "not in": expr.NotIn,
}

func (l *lowerer) relation(n *compareNode) expr.Expr {
	r := &expr.Relation{At: l.span(n.place), X: l.used(l.expr(n.x))}
	left := r.X
	for _, link := range n.links {
		y := l.used(l.expr(link.y))
		op := relationOps[link.op]
		if d := l.compare(op, link, left, y); d != nil {
			l.faults.add(d)
		}
		r.Links = append(r.Links, expr.Link{Op: op, Y: y})
		left = y
	}
	return r
}

// compare returns the fault of a comparison, nil if there is none.
func (l *lowerer) compare(op expr.RelationOp, link comparison, x, y expr.Expr) *diag.Diagnostic {
	at := l.span(link.at)
	if isOpen(y.Type()) {
		return nil
	}
	if op == expr.In || op == expr.NotIn {
		switch t := y.Type(); {
		case isNumeric(t) || t == types.Null:
			return codes.TemplateType.New(at, "`in` cannot search "+describe(t))
		case types.IsText(t) && !types.IsText(x.Type()) && !isOpen(x.Type()):
			return codes.TemplateType.New(at, "`in` needs a string on the left, got "+describe(x.Type())).
				WithRelated(x.Span(), describe(x.Type()))
		}
		return nil
	}
	a, b := kindOf(x.Type()), kindOf(y.Type())
	if a == anyKind || b == anyKind {
		return nil
	}
	if op == expr.Equal || op == expr.NotEqual {
		if a != b && a != nullKind && b != nullKind {
			return finding.ConstantComparison(at, op == expr.NotEqual, describe(x.Type())+" never equals "+describe(y.Type())).
				WithRelated(x.Span(), describe(x.Type())).WithRelated(y.Span(), describe(y.Type()))
		}
		return nil
	}
	if a == b && (a == numberKind || a == textKind || a == listKind) {
		return nil
	}
	return codes.TemplateType.New(at, "`"+link.op+"` cannot compare "+describe(x.Type())+" with "+describe(y.Type())).
		WithRelated(x.Span(), describe(x.Type())).WithRelated(y.Span(), describe(y.Type()))
}

func (l *lowerer) filtered(n *filterNode) expr.Expr {
	if n.x == nil {
		return &expr.Bad{At: l.span(n.place)}
	}
	if n.name == "default" || n.name == "d" {
		return l.asked(n.x)
	}
	return l.used(l.expr(n.x))
}

// chain applies the filters of a block, the innermost of which has no operand.
func (l *lowerer) chain(n node, x expr.Expr) expr.Expr {
	f, ok := n.(*filterNode)
	if !ok {
		if n != nil {
			return &expr.Bad{At: l.span(n.where())}
		}
		return x
	}
	if f.x != nil {
		x = l.chain(f.x, x)
	}
	return l.filter(f, x)
}
