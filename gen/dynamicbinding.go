package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// program sets the text of a program and the values that it gets. Statements make
// both of them at run time.
func (f *function) program(d *fields, field string, t *template.Template, list []ir.Binding, text func() textCode) {
	if t != nil {
		d.set(field, f.hold("script", f.written(t)))
		d.set("Bindings", jen.Id(f.evaluates).Dot("Bindings").Call())
		return
	}
	bindings := f.bindings(list)
	d.set(field, f.hold("script", text()))
	if len(bindings) > 0 {
		d.set("Bindings", jen.Index().Qual(flowPath, "Binding").Add(group("{", listMark, bindings)))
	}
}

// bindings are the values that a program gets. The program does not start when one
// fails.
func (f *function) bindings(list []ir.Binding) []jen.Code {
	var out []jen.Code
	for _, b := range list {
		d := fields{}
		d.set("Name", jen.Lit(b.Name))
		d.set("Value", f.bindingText(b))
		d.marks(b.Integer, b.Literal, b.Words, b.Echoed)
		out = append(out, f.g.row(d.line(), b.Span))
	}
	return out
}

// marks sets how a binding's value is to be handed over.
func (d *fields) marks(integer, literal, words, echoed bool) {
	for _, mark := range []struct {
		name string
		set  bool
	}{{"Integer", integer}, {"Literal", literal}, {"Words", words}, {"Echoed", echoed}} {
		if mark.set {
			d.set(mark.name, jen.True())
		}
	}
}

func (f *function) bindingText(b ir.Binding) *jen.Statement {
	if !isDynamic(b.Value) {
		return text(f.operand(b.Value))
	}
	v := f.strict(stringOf(b.Value))
	at := b.Span
	if !at.IsValid() {
		at = b.Value.Span()
	}
	return f.textAt(v, f.g.placeOf(at.Text(), at))
}
