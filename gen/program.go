package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// The text of a script, and the values that it gets.

// program returns the text of a program and the values that it gets, or nil. Statements make
// both of them at run time. The text comes last, after all that may fail.
func (f scriptWriter) program(t *template.Template, list []ir.Binding, script string, original *template.Template) (text func() *jen.Statement, bindings *jen.Statement) {
	if t != nil {
		code := f.hold("script", f.texts().written("script", t))
		if f.evaluates != "" {
			bindings = jen.Id(f.evaluates).Dot("Bindings").Call()
		}
		return func() *jen.Statement { return code }, bindings
	}
	if rows := f.bindings(list); len(rows) > 0 {
		bindings = jen.Index().Qual(flowPath, "Binding").Add(lines(rows))
	}
	return func() *jen.Statement { return f.hold("script", f.g.scriptText(script, original)) }, bindings
}

// bindings are the values that a program gets. The program does not start when one
// fails.
func (f scriptWriter) bindings(list []ir.Binding) []jen.Code {
	var out []jen.Code
	f.operands().shareOutputs(bound(list))
	for _, b := range list {
		d := fields{}
		d.set("Name", jen.Lit(b.Name))
		d.set("Value", f.bindingText(b))
		d.marks(b.Integer, b.Literal, b.Words, b.Echoed)
		out = append(out, f.g.rowAt(d.line(), b.Span))
	}
	return out
}

// bindingText is the code of a binding's value.
func (f scriptWriter) bindingText(b ir.Binding) *jen.Statement {
	if !isDynamic(b.Value) {
		return text(f.operands().operand(b.Value))
	}
	v := f.values().shown(b.Value)
	at := b.Span
	if !at.IsValid() {
		at = b.Value.Span()
	}
	where := f.g.placeOf(at.Text(), at)
	return f.named(b.Name, v, where, at)
}

// bound are the values of bindings.
func bound(list []ir.Binding) []expr.Expr {
	values := make([]expr.Expr, len(list))
	for i, b := range list {
		values[i] = b.Value
	}
	return values
}
