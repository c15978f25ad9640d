// Package program builds the programs of nodes from templates whose holes are resolved.
// All front ends share it, with any syntax of holes.
package program

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Bash makes the program of a bash text: each hole becomes a variable, and a
// place where bash would run the value is reported. name suggests the name of a
// variable from a hole as its author wrote it. The program is never nil; that of
// a text with errors, which are reported, has neither Script nor Template.
func Bash(r *shell.Rewriter, t *template.Template, name func(hole string) string, bag *diag.Bag) *ir.Bash {
	program := &ir.Bash{Original: t, EchoEscapes: r.Options().Echo}
	l := newLayout(t, name)
	if t.Statements() {
		program.Template = l.buildTemplate(r.Forms, finding.ShellTooComplex(t.Source.Whole(), "its template statements have too many branches"), bag)
		return program
	}
	text, holes := l.plainText()
	out := r.Rewrite(text, holes, bag)
	if out == nil {
		return program
	}
	program.Script, program.Calls, program.Bindings = out.Text, out.Calls, Bindings(t, l.holes, out)
	return program
}

// Bindings returns the values that a program of a template's text gets, which come from holes.
func Bindings(t *template.Template, holes []*template.Hole, s *bind.Script) (list []ir.Binding) {
	for _, b := range s.Bindings {
		h := holes[b.Hole]
		list = append(list, ir.Binding{
			Name: b.Name, Value: h.Expr, Integer: b.Integer, Literal: b.Literal, Words: b.Words, Echoed: b.Echoed, Span: t.Span(h),
		})
	}
	return list
}

// buildTemplate is the template that makes the program at run time: with the edits
// made, and values bound where the holes were. It is nil after errors; tooComplex is that
// of a template with too many branches.
func (l *layout) buildTemplate(read func([]*bind.Form, *diag.Bag) *bind.Edits, tooComplex *diag.Diagnostic, bag *diag.Bag) *template.Template {
	forms, complete := l.enumerateForms()
	if !complete {
		bag.Add(tooComplex)
		return nil
	}
	edits := read(forms, bag)
	if edits == nil {
		return nil
	}
	return &template.Template{Source: l.t.Source, Parts: l.bindParts(l.t.Parts, edits, l.nameHoleVariables(edits))}
}

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
		program.Template = l.buildTemplate(r.Forms, finding.ScriptTooComplex(t.Source.Whole()), bag)
		return program
	}
	text, holes := l.plainText()
	out := r.Rewrite(text, holes, bag)
	if out == nil {
		return program
	}
	program.Source, program.Bindings = out.Text, Bindings(t, l.holes, out)
	return program
}

// holeType is the type of the value that a hole shows: of the text that Python
// prints of a value, that of the value. A value of which nothing is known counts
// as the text that is printed.
func holeType(e expr.Expr) types.Type {
	s, ok := e.(*expr.Str)
	if !ok {
		return e.Type()
	}
	if t := s.X.Type(); t != nil && t != types.Any {
		return t
	}
	return types.Text
}

// nameHoleVariables gives each hole that is read a separate variable: equal holes at two places
// may have different values. In a loop, each iteration has its own variable, with a
// number after the name. So no other name may be such a name with digits after it.
func (l *layout) nameHoleVariables(edits *bind.Edits) map[*template.Hole]string {
	names := map[*template.Hole]string{}
	var program strings.Builder
	for _, p := range l.pieces {
		if p.hole < 0 {
			program.WriteString(p.text.Value)
		}
		program.WriteByte('\n')
	}
	free := bind.NewNames(program.String())
	taken := program.String()
	for _, numbered := range []bool{false, true} {
		for i, h := range l.holes {
			place, ok := edits.Holes[i]
			if !ok || place.Unread || l.looped[h] != numbered {
				continue
			}
			base := place.Name
			if numbered {
				for base += "_i"; strings.Contains(taken, base); base += "i" {
				}
			}
			names[h] = free.Take(base)
			taken += "\n" + names[h]
		}
	}
	return names
}

// bindParts returns parts with their edits made.
func (l *layout) bindParts(parts []template.Part, edits *bind.Edits, names map[*template.Hole]string) []template.Part {
	if parts == nil {
		return nil
	}
	list := make([]template.Part, 0, len(parts))
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			list = append(list, &template.Text{Value: l.applyEdits(p, p.Value, edits), Start: p.Start})
		case *template.Hole:
			list = append(list, l.boundHole(p, edits, names))
		case *template.If, *template.For, *template.Scope:
			c := template.Copy(p)
			template.EachBody(c, func(body *[]template.Part) { *body = l.bindParts(*body, edits, names) })
			list = append(list, c)
		default: // declares something
			list = append(list, p)
		}
	}
	return list
}

func (l *layout) applyEdits(part template.Part, text string, edits *bind.Edits) string {
	id, ok := l.ids[part]
	if !ok {
		return text // empty
	}
	return bind.Apply(text, edits.Pieces[id])
}

func (l *layout) boundHole(h *template.Hole, edits *bind.Edits, names map[*template.Hole]string) template.Part {
	place := edits.Holes[l.pieces[l.ids[h]].hole]
	if place.Unread {
		return &template.Text{Value: l.applyEdits(h, l.writtenLabel(h), edits), Start: h.Start}
	}
	return &template.Bound{
		Name: names[h], Before: place.Before, After: place.After, Expr: h.Expr,
		Integer: place.Integer, Literal: place.Literal, Words: place.Words, Echoed: place.Echoed, Start: h.Start, End: h.End,
	}
}
