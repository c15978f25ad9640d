package xprompt

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// Filter implements dialect.Filterer. The condition is an expression of Jinja2 over `payload`,
// with comparisons, `in`, `and`, `or`, `not`, `is defined` and `is none`. A value that is
// missing is none.
func (Frontend) Filter(text source.Text, bag *diag.Bag) expr.Expr {
	before := bag.Len()
	e := jinja.Expression(text, payloadScope{}, jinja.Options{Condition: true}, bag)
	if bag.Len() > before {
		return &expr.Bad{At: text.Whole()}
	}
	return (&filterReader{bag}).condition(e)
}

// payloadScope knows the names of the condition of a trigger.
type payloadScope struct{}

// Lookup implements jinja.Scope.
func (payloadScope) Lookup(name string, at source.Span) (expr.Expr, bool) {
	return &expr.Payload{At: at}, name == finding.PayloadName
}

// Names implements jinja.Scope.
func (payloadScope) Names() []string { return []string{finding.PayloadName} }

// A filterReader makes the condition of a trigger of an expression.
type filterReader struct{ bag *diag.Bag }

func (r *filterReader) refuse(at source.Span, why string) expr.Expr {
	r.bag.Add(finding.ConditionSyntax(at, why).
		WithHelp("compare values of the payload with constants, and join comparisons by `and`, `or` and `not`"))
	return &expr.Bad{At: at}
}

// condition is the truth of an expression.
func (r *filterReader) condition(e expr.Expr) expr.Expr {
	switch e := e.(type) {
	case *expr.Either:
		return &expr.Logic{At: e.At, Op: e.Op, X: r.condition(e.X), Y: r.condition(e.Y)}
	case *expr.Negation:
		return &expr.Not{At: e.At, X: r.condition(e.X)}
	case *expr.Relation:
		return r.relation(e)
	case *expr.Test:
		return r.test(e)
	case *expr.Literal:
		if e.Typ != types.Bool {
			return r.refuse(e.At, "the condition of a trigger cannot be a constant")
		}
	}
	return r.operand(e)
}

var relationOps = map[expr.RelationOp]expr.CompareOp{
	expr.Equal: expr.ValueEqual, expr.NotEqual: expr.ValueNotEqual,
	expr.Less: expr.ValueLess, expr.LessEqual: expr.ValueLessEqual, expr.Greater: expr.ValueGreater, expr.GreaterEqual: expr.ValueGreaterEqual,
}

// relation is a chain of comparisons.
func (r *filterReader) relation(e *expr.Relation) expr.Expr {
	var all []expr.Expr
	left := e.X
	for _, link := range e.Links {
		all = append(all, r.comparison(e.At, left, link))
		left = link.Y
	}
	return expr.Join(e.At, expr.And, all...)
}

func (r *filterReader) comparison(at source.Span, left expr.Expr, link expr.Link) expr.Expr {
	if link.Op != expr.In && link.Op != expr.NotIn {
		return &expr.Compare{At: at, Op: relationOps[link.Op], X: r.operand(left), Y: r.operand(link.Y)}
	}
	var found expr.Expr
	if list, ok := link.Y.(*expr.ListOf); ok && len(list.Items) > 0 {
		for _, item := range list.Items {
			found = expr.Join(at, expr.Or, found, &expr.Compare{At: at, Op: expr.ValueEqual, X: r.operand(left), Y: r.operand(item)})
		}
	} else if in := payloadPath(link.Y); in != nil {
		found = &expr.Contains{At: at, Item: r.operand(left), In: in}
	} else {
		return r.refuse(link.Y.Span(), "`in` needs a list of constants or a value of the payload on the right")
	}
	if link.Op == expr.NotIn {
		return &expr.Not{At: at, X: found}
	}
	return found
}

// test is `is defined` or `is none`, which are the same in JSON.
func (r *filterReader) test(e *expr.Test) expr.Expr {
	p := payloadPath(e.X)
	if p == nil || !slices.Contains([]string{"defined", "undefined", "none"}, e.Name) {
		return r.refuse(e.NameSpan, "the condition of a trigger has no test `"+e.Name+"`")
	}
	op := expr.ValueEqual
	if (e.Name == "defined") != e.Not {
		op = expr.ValueNotEqual
	}
	return &expr.Compare{At: e.At, Op: op, X: p, Y: &expr.Literal{At: e.At, Text: "null", Typ: types.Null}}
}

// operand is a constant or a value of the payload: a side of a comparison, or a condition.
func (r *filterReader) operand(e expr.Expr) expr.Expr {
	switch e.(type) {
	case *expr.Literal, *expr.Bad:
		return e
	}
	if p := payloadPath(e); p != nil {
		return p
	}
	return r.refuse(e.Span(), "the condition of a trigger has only values of the payload and constants")
}

// payloadPath returns the value of the payload that an expression is, or nil.
func payloadPath(e expr.Expr) *expr.Payload {
	key, at := "", e.Span()
	switch x := e.(type) {
	case *expr.Payload:
		return x
	case *expr.Attr:
		key, e = x.Name, x.X
	case *expr.Item:
		lit, ok := x.Key.(*expr.Literal)
		if !ok || !types.IsText(lit.Typ) && lit.Typ != types.Int {
			return nil
		}
		key, e = lit.Text, x.X
	default:
		return nil
	}
	p := payloadPath(e)
	if p == nil {
		return nil
	}
	return &expr.Payload{At: at, Path: append(slices.Clone(p.Path), key)}
}
