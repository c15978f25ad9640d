package bind

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// A Reading is a form as a rewriter has read it.
type Reading interface {
	Form() *Form
	// Found is what is wrong with the form. It is asked for after Place.
	Found() []*diag.Diagnostic
	// Cuts are the statements that cut something in two.
	Cuts() []*diag.Diagnostic
	// Place adds what the form needs and returns the statements because of which
	// two forms do not agree.
	Place(e *Edits) (cuts []*diag.Diagnostic)
}

// ReadForms reads a program in each of its forms and puts together what they need.
// read returns a form as it was read, and false for one that is not a program: what
// is wrong with it counts only when it has text that is in no form that is one, for
// that a form is not a program may only mean that it never comes to be. The
// findings have every one once, although forms have most of their text in common;
// when statements cut something in two they are nothing else, since all else may
// come of that.
func ReadForms(list []*Form, read func(*Form) (r Reading, ok bool)) (*Edits, []*diag.Diagnostic) {
	f := &formReader{edits: NewEdits(), readable: map[int]bool{}}
	var broken []Reading
	for _, form := range list {
		r, ok := read(form)
		if !ok {
			broken = append(broken, r)
			continue
		}
		f.has(form)
		if report(&f.cuts, r.Cuts()); len(f.cuts) > 0 {
			continue
		}
		if !diag.HasErrors(r.Found()) {
			report(&f.cuts, r.Place(f.edits))
		}
		report(&f.found, r.Found())
	}
	if len(f.cuts) > 0 {
		return f.edits, f.cuts
	}
	for _, r := range broken {
		if slices.ContainsFunc(r.Form().Pieces, func(p Piece) bool { return !f.readable[p.ID] }) {
			f.has(r.Form())
			report(&f.found, r.Found())
		}
	}
	return f.edits, f.found
}

// formReader is the state of one ReadForms.
type formReader struct {
	edits       *Edits
	readable    map[int]bool // pieces of forms that could be read
	found, cuts []*diag.Diagnostic
}

func (f *formReader) has(form *Form) {
	for _, p := range form.Pieces {
		f.readable[p.ID] = true
	}
}

// report adds diagnostics that are new.
func report(to *[]*diag.Diagnostic, list []*diag.Diagnostic) {
	for _, d := range list {
		if !slices.ContainsFunc(*to, func(k *diag.Diagnostic) bool { return k.Code == d.Code && k.Span == d.Span }) {
			*to = append(*to, d)
		}
	}
}

// StartOf returns where a piece starts in a form, or its beginning.
func (f *Form) StartOf(piece int) int {
	for _, p := range f.Pieces {
		if p.ID == piece {
			return p.Start
		}
	}
	return 0
}
