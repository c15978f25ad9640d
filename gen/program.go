package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// The text of a script, and the values that it gets.

// programText returns the text of a program and the values that it gets, or nil. Statements make
// both of them at run time. The text comes last, after all that may fail.
func (f scriptWriter) programText(t *template.Template, list []ir.Binding, script string, original *template.Template) (text func() *jen.Statement, bindings *jen.Statement) {
	if t != nil {
		code := f.holdText("script", f.asTextWriter().statementsText("script", t))
		if f.evaluates != "" {
			bindings = jen.Id(f.evaluates).Dot("Bindings").Call()
		}
		return func() *jen.Statement { return code }, bindings
	}
	if rows := f.bindingRows(list); len(rows) > 0 {
		bindings = jen.Index().Qual(flowPath, "Binding").Add(itemLines(rows))
	}
	return func() *jen.Statement { return f.holdText("script", f.g.scriptText(script, original)) }, bindings
}

// bindingRows are the values that a program gets. The program does not start when one
// fails.
func (f scriptWriter) bindingRows(list []ir.Binding) []jen.Code {
	var out []jen.Code
	f.asOperandWriter().shareOutputs(bindingValues(list))
	for _, b := range list {
		d := fields{}
		d.setField("Name", jen.Lit(b.Name))
		d.setField("Value", f.bindingText(b))
		d.setMarks(b.Integer, b.Literal, b.Words, b.Echoed)
		out = append(out, f.g.rowAt(d.asRow(), b.Span))
	}
	return out
}

// bindingText is the code of a binding's value.
func (f scriptWriter) bindingText(b ir.Binding) *jen.Statement {
	if !isDynamic(b.Value) {
		return textOf(f.asOperandWriter().operandCode(b.Value))
	}
	v := f.asValueWriter().shownValue(b.Value)
	at := b.Span
	if !at.IsValid() {
		at = b.Value.Span()
	}
	where := f.g.placeOf(at.Text(), at)
	return f.namedBinding(b.Name, v, where, at)
}

// bindingValues are the values of bindings.
func bindingValues(list []ir.Binding) []expr.Expr {
	values := make([]expr.Expr, len(list))
	for i, b := range list {
		values[i] = b.Value
	}
	return values
}
