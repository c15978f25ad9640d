package xprompt

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// truthExpr is the expression of a condition: the truth of the text that its template
// produces.
func (d *decoder) truthExpr(v value, sc *scope) expr.Expr {
	t := jinja.Template(v.Node.Text(), sc, jinja.Options{Condition: true}, d.Bag)
	x := textOf(t, v)
	if lit, ok := expr.Fold(x).(*expr.Literal); ok && types.IsText(lit.Typ) {
		return &expr.Literal{At: v.Place(), Text: strconv.FormatBool(!expr.IsFalseText(lit.Text)), Typ: types.Bool}
	}
	return &expr.Holds{At: v.Place(), X: x}
}

// textOf is the text that a template makes as one expression: that of its only
// hole when there is nothing else that counts.
func textOf(t *template.Template, v value) expr.Expr {
	if text, constant := t.Constant(); constant {
		return &expr.Literal{At: v.Place(), Text: text, Typ: types.Text}
	}
	var only *template.Hole
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			if strings.TrimSpace(p.Value) == "" {
				continue
			}
		case *template.Hole:
			if only == nil {
				only = p
				continue
			}
		}
		return &expr.Rendered{At: v.Place(), Text: t}
	}
	return only.Expr
}

// loopLists makes the variables of a for with their lists.
func (d *decoder) loopLists(s *stepDecl) []ir.LoopVar {
	sc := &scope{d: d, reader: s}
	var vars []ir.LoopVar
	for i := range s.forVars.Node.Pairs {
		p := &s.forVars.Node.Pairs[i]
		v := s.forVars.Member(p)
		d.checkName("loop variable", p.Key.Value, p.Key.Span)
		items := d.loopList(v, sc)
		vars = append(vars, ir.LoopVar{
			Var:   &expr.Declared{Name: p.Key.Value, Typ: itemType(items.Type()), At: p.Key.Span},
			Items: items, Span: p.Key.Span,
		})
	}
	d.checkLengths(vars)
	return vars
}

// loopList is the list of a loop's variable: an expression, or a list of the
// file.
func (d *decoder) loopList(v value, sc *scope) expr.Expr {
	if v.Node.IsNull() {
		d.WrongKind(v, "a list, or an expression with a list as its value")
		return &expr.Bad{At: v.Place()}
	}
	if v.Node.Kind != yamlsrc.Scalar {
		return d.lowerLiteral(v.Node, sc)
	}
	text := v.Node.Text()
	if strings.TrimSpace(text.Value) == "" {
		d.Empty(v)
		return &expr.Bad{At: v.Place()}
	}
	e := jinja.Expression(text, sc, jinja.Options{}, d.Bag)
	if list, ok := e.(*expr.ListOf); ok && list.Tuple {
		// Only a list is gone through: a tuple is one item.
		return &expr.ListOf{At: list.At, Items: []expr.Expr{list}, Typ: &types.List{Elem: list.Typ}}
	}
	return e
}

// lowerLiteral is a value of the file. Texts in it may be templates.
func (d *decoder) lowerLiteral(n *yamlsrc.Node, sc *scope) expr.Expr {
	at := n.Place()
	switch n.Kind {
	case yamlsrc.Mapping:
		m := &expr.DictOf{At: at}
		for _, p := range n.Pairs {
			m.Keys = append(m.Keys, &expr.Literal{At: p.Key.Span, Text: p.Key.Value, Typ: types.Text})
			m.Values = append(m.Values, d.lowerLiteral(p.Value, sc))
		}
		return m
	case yamlsrc.Sequence:
		list := &expr.ListOf{At: at}
		for _, item := range n.Items {
			list.Items = append(list.Items, d.lowerLiteral(item, sc))
		}
		list.Typ = &types.List{Elem: commonType(list.Items, expr.Expr.Type)}
		return list
	}
	if n.Tag == yamlsrc.TagNull {
		return &expr.Literal{At: at, Text: "null", Typ: types.Null}
	}
	if typ, other := scalarTypes[n.Tag]; other {
		if text := n.JSON(); !strings.HasPrefix(text, `"`) && text != "null" {
			return &expr.Literal{At: at, Text: text, Typ: typ}
		}
	}
	if !strings.Contains(n.Value, "{") {
		return &expr.Literal{At: at, Text: n.Value, Typ: types.Text}
	}
	x := textOf(jinja.Template(n.Text(), sc, jinja.Options{}, d.Bag), value{Node: n})
	if s, ok := x.(*expr.Str); ok {
		return s.X
	}
	return x
}

// scalarTypes are the types of scalars that are not strings, by their tags.
var scalarTypes = map[string]types.Type{yamlsrc.TagBool: types.Bool, yamlsrc.TagInt: types.Int, yamlsrc.TagFloat: types.Float}

// itemType is the type of the items that a value of a type is for a loop: a text
// may be JSON, every other value that is not a list is an item itself.
func itemType(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.List:
		return t.Elem
	case *types.Optional, *types.Enum:
		return types.Any
	case types.Basic:
		if types.IsText(t) {
			return types.Any
		}
	}
	return t
}

// checkLengths reports lists whose lengths are known and differ, and one that is
// empty.
func (d *decoder) checkLengths(vars []ir.LoopVar) {
	var first *ir.LoopVar
	length := 0
	for i := range vars {
		v := &vars[i]
		list, ok := v.Items.(*expr.ListOf)
		switch {
		case !ok || list.Tuple:
		case first == nil:
			first, length = v, len(list.Items)
			if length == 0 && len(vars) == 1 {
				d.Bag.Add(finding.LoopLists(list.At, v.Var.Name, 0, "", 0, list.At))
			}
		case len(list.Items) != length:
			d.Bag.Add(finding.LoopLists(list.At, v.Var.Name, len(list.Items), first.Var.Name, length, first.Items.Span()))
		}
	}
}
