// Package program builds the programs of nodes from texts whose holes are resolved.
// All front ends share it, whatever the syntax of their holes.
package program

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// Bash makes the program of a bash text: each hole becomes a variable, and a
// place where bash would run the value is reported. name suggests the name of a
// variable from a hole as its author wrote it. The program is never nil; that of
// a text with errors, which are reported, has neither Script nor Template.
func Bash(r *shell.Rewriter, t *template.Template, name func(hole string) string, bag *diag.Bag) *ir.Bash {
	program := &ir.Bash{Original: t, Echo: r.Options().Echo}
	l := newLayout(t, name)
	if t.Statements() {
		forms, complete := l.forms()
		if !complete {
			bag.Add(finding.ShellTooComplex(t.Source.Whole(), "its template statements have too many branches"))
			return program
		}
		if edits := r.Forms(forms, bag); edits != nil {
			program.Template = l.program(edits)
		}
		return program
	}
	text, holes := l.plain()
	out := r.Rewrite(text, holes, bag)
	if out == nil {
		return program
	}
	program.Script = out.Text
	for _, b := range out.Bindings {
		h := l.holes[b.Hole]
		program.Bindings = append(program.Bindings, ir.Binding{
			Name: b.Name, Value: h.Expr, Integer: b.Integer, Words: b.Words, Echoed: b.Echoed, Span: t.Span(h),
		})
	}
	return program
}

// program is the template that makes the program at run time: with the edits
// made, and values bound where the holes were.
func (l *layout) program(edits *bind.Edits) *template.Template {
	return &template.Template{Source: l.t.Source, Parts: l.bound(l.t.Parts, edits, l.names(edits))}
}
