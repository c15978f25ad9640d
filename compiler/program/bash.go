// Package program makes the programs of nodes out of texts whose holes are
// resolved: what the front ends share about that, whatever syntax wrote the
// holes.
package program

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/shell"
	"github.com/wfc-lang/wfc/compiler/template"
)

// Bash makes the program of a bash text: each hole becomes a variable, and a
// place where bash would run the value is reported. name suggests the name of a
// variable from a hole as its author wrote it. The program is never nil; that of
// a text with errors, which are reported, has no Script.
func Bash(r *shell.Rewriter, t *template.Template, name func(hole string) string, bag *diag.Bag) *ir.Bash {
	program := &ir.Bash{Original: t, Echo: r.Options().Echo}
	holes := t.Holes()
	list := make([]shell.Hole, len(holes))
	for i, h := range holes {
		label := t.Source.Value[h.Start:h.End]
		list[i] = shell.Hole{Start: h.Start, End: h.End, Type: holeType(h.Expr), Name: name(label), Label: label}
	}
	out := r.Rewrite(t.Source, list, bag)
	if out == nil {
		return program
	}
	program.Script = out.Text
	for _, b := range out.Bindings {
		h := holes[b.Hole]
		program.Bindings = append(program.Bindings, ir.Binding{
			Name: b.Name, Value: h.Expr, Integer: b.Integer, Words: b.Words, Span: t.Span(h),
		})
	}
	return program
}
