package program

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// Python builds the program of a Python text for the installed python3: each hole
// becomes an expression that reads a variable. It reports holes where no expression
// is possible. name suggests a variable's name from a hole as its author wrote it.
// The program is never nil; after errors it has neither Source nor Template.
//
// r serves all programs of a file; r.Check then asks python3 about them.
func Python(r *script.Rewriter, t *template.Template, name func(hole string) string, bag *diag.Bag) *ir.Script {
	program := &ir.Script{Runtime: "python", Original: t}
	l := newLayout(t, name)
	if t.Statements() {
		forms, complete := l.forms()
		if !complete {
			bag.Add(finding.ScriptTooComplex(t.Source.Whole()))
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
	program.Source = out.Text
	for _, b := range out.Bindings {
		h := l.holes[b.Hole]
		program.Bindings = append(program.Bindings, ir.Binding{
			Name: b.Name, Value: h.Expr, Literal: b.Literal, Span: t.Span(h),
		})
	}
	return program
}
