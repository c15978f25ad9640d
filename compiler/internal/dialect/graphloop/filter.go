package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// Filter implements dialect.Filterer. The grammar is that of the conditions of edges, and the
// only names are `payload` and `payload.key.key`, which reach any depth.
func (Frontend) Filter(text source.Text, bag *diag.Bag) expr.Expr {
	text = trimText(text)
	if text.Value == "" {
		bag.Add(finding.ConditionSyntax(text.Whole(), "the condition is empty"))
		return &expr.Bad{At: text.Whole()}
	}
	t, _ := (&condParser{text: text, bag: bag, filter: true}).parse()
	return t.filterExpr(bag)
}

// filterExpr returns the meaning of a term in the condition of a trigger.
func (t *term) filterExpr(bag *diag.Bag) expr.Expr {
	switch t.kind {
	case notTerm:
		return &expr.Not{At: t.at, X: t.args[0].filterExpr(bag)}
	case andTerm, orTerm:
		op := expr.And
		if t.kind == orTerm {
			op = expr.Or
		}
		return &expr.Logic{At: t.at, Op: op, X: t.args[0].filterExpr(bag), Y: t.args[1].filterExpr(bag)}
	case compareTerm:
		x, y := t.args[0].filterOperand(bag), t.args[1].filterOperand(bag)
		return &expr.Compare{At: t.at, Op: t.op, X: x, Y: y}
	case payloadTerm:
		return &expr.Compare{At: t.at, Op: expr.ValueEqual, X: t.filterOperand(bag), Y: &expr.Literal{At: t.at, Text: "true", Typ: types.Bool}}
	case boolTerm:
		return &expr.Literal{At: t.at, Text: t.text, Typ: types.Bool}
	case badTerm:
		return &expr.Bad{At: t.at}
	}
	bag.Add(finding.ConditionSyntax(t.at, "`"+t.at.Text()+"` is not a condition").WithHelp("compare it with a value of the payload, as in `payload.action == 'opened'`"))
	return &expr.Bad{At: t.at}
}

// filterOperand returns a side of a comparison.
func (t *term) filterOperand(bag *diag.Bag) expr.Expr {
	literal := map[termKind]types.Type{textTerm: types.Text, boolTerm: types.Bool, nullTerm: types.Null, numberTerm: types.Float}
	switch {
	case t.kind == payloadTerm: // "" is the whole
		return &expr.Payload{At: t.at, Path: strings.FieldsFunc(t.text, func(r rune) bool { return r == '.' })}
	case literal[t.kind] != nil:
		text := t.text
		if t.kind == nullTerm {
			text = "null"
		}
		return &expr.Literal{At: t.at, Text: text, Typ: literal[t.kind]}
	case t.kind != badTerm:
		bag.Add(finding.ConditionSyntax(t.at, "only values can be compared"))
	}
	return &expr.Bad{At: t.at}
}
