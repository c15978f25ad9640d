package bind

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// A Reading is a form as a rewriter has read it.
type Reading interface {
	Form() *Form
	// Found are the faults of the form. It is read after Place.
	Found() []*diag.Diagnostic
	// Cuts are the statements that cut something in two.
	Cuts() []*diag.Diagnostic
	// Place adds the edits of the form, and returns the statements that make two
	// forms disagree.
	Place(e *Edits) (cuts []*diag.Diagnostic)
}

// ReadForms reads a program in each of its forms and merges their edits. read
// returns the form as a program, and false for a form with syntax errors. The
// errors of such a form count only if it has text that no valid form has; otherwise
// the form may never occur. Each finding is returned once, although forms share
// most of their text. If statements cut a construct in two, ReadForms returns only
// the findings about that, because the others may follow from it.
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
