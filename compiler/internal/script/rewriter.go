package script

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A Rewriter puts values into the programs of one file. It keeps them, so that
// they can be checked together. It is not safe for concurrent use.
type Rewriter struct {
	// Ask asks the language's interpreter about programs; nil asks the python3 on
	// PATH, if there is one.
	Ask Checker
	// Variables are environment variables whose values outsiders choose: they must
	// not become code either.
	Variables []string

	lang Language
	// kept are the programs to check, each in one or more forms.
	kept [][]*bind.Form
}

// NewRewriter returns a rewriter for programs of a language.
func NewRewriter(lang Language) *Rewriter { return &Rewriter{lang: lang} }

// Rewrite is like the function Rewrite.
func (r *Rewriter) Rewrite(text source.Text, holes []Hole, bag *diag.Bag) *Script {
	out := Rewrite(r.lang, text, holes, bag, r.Variables...)
	if out != nil {
		whole := bind.Piece{End: len(text.Value)}
		r.kept = append(r.kept, []*bind.Form{{Text: text, Holes: holes, Pieces: []bind.Piece{whole}}})
	}
	return out
}

// Check asks the language's interpreter about the programs that were rewritten
// without an error since the last Check, all at once, and reports those that it
// cannot read. Nothing of them is run. Without an interpreter, it still checks
// strings and brackets. Only Python is checked.
func (r *Rewriter) Check(bag *diag.Bag) {
	kept := r.kept
	r.kept = nil
	if len(kept) == 0 || r.lang != Python {
		return
	}
	var sources []string
	for _, forms := range kept {
		for _, f := range forms {
			sources = append(sources, masked(f))
		}
	}
	ask := r.Ask
	if ask == nil {
		ask = pathPython
	}
	faults := ask(sources)
	for _, forms := range kept {
		found := make([]*Fault, len(forms))
		for i, f := range forms {
			if faults != nil {
				found[i], faults = faults[0], faults[1:]
			} else {
				found[i] = lexed(f)
			}
		}
		reportFaults(forms, found, bag)
	}
}

// reportFaults reports the first fault of a program that is one in all forms with
// some piece: a form of which nothing is new may never come to be.
func reportFaults(forms []*bind.Form, faults []*Fault, bag *diag.Bag) {
	readable := map[int]bool{}
	for i, f := range forms {
		for _, p := range f.Pieces {
			readable[p.ID] = readable[p.ID] || faults[i] == nil
		}
	}
	for i, f := range forms {
		for _, p := range f.Pieces {
			if faults[i] != nil && !readable[p.ID] {
				at := faults[i]
				bag.Add(finding.ScriptSyntax(f.Text.Span(at.Start, at.End), at.Problem))
				return
			}
		}
	}
}

// lexed returns the fault that the lexer here finds, or nil.
func lexed(f *bind.Form) *Fault {
	p := newProgram(Python, f.Text, f.Holes)
	lexPython(p)
	if p.fault == nil {
		return nil
	}
	return &Fault{p.fault.at, min(p.fault.at+1, len(p.src)), p.fault.problem}
}

// masked returns a program with a name of the same length over each hole, which
// is a value in code and text in a string. Offsets stay what they are.
func masked(f *bind.Form) string {
	text := []byte(f.Text.Value)
	for _, h := range f.Holes {
		for i := h.Start; i < h.End; i++ {
			text[i] = 'x'
		}
		text[h.Start] = '_'
	}
	return string(text)
}
