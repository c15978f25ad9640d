package bind

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A program with template statements becomes a program only when the branches and
// the number of iterations are known. So the analysis checks several forms of it. A
// form has some of the pieces of the template, one after the other; a piece is a
// text or a hole between two tags.
//
// A piece is written once, so every form must rewrite it in the same way. The
// rewriters therefore turn each form into edits of its pieces, and Edits finds the
// pieces that two forms would rewrite differently.

// A Form is one possible text of a template, with its holes as they are written.
type Form struct {
	Text source.Text
	// Holes lie in Text. The same hole may be there more than once.
	Holes []Hole
	// IDs has, for each of the Holes, its number among the template's holes.
	IDs []int
	// Pieces are the parts of the text, in order, without gaps.
	Pieces []Piece
	// Cuts are the bodies of statements, each around those inside it.
	Cuts []Cut
}

// A Piece is a part of a form's text that the template has between two tags.
type Piece struct {
	// ID is the number of the piece in the template.
	ID int
	// Start and End are where it is in the form.
	Start, End int
}

// A Cut is the body of a statement in a form.
type Cut struct {
	// Start and End are where it is in the form.
	Start, End int
	// Tag is where the statement begins.
	Tag source.Span
}

// At returns which place of which piece is at an offset of the form.
func (f *Form) At(offset int) (p Point) {
	for _, p := range f.Pieces {
		if offset < p.End {
			return Point{p.ID, offset - p.Start}
		}
	}
	return Point{-1, offset}
}

// A Point is a place in a piece.
type Point struct{ Piece, Offset int }

// TagBefore returns the tag of the last statement that ends before an offset of
// the form, or else of the innermost one around it.
func (f *Form) TagBefore(offset int) source.Span {
	if len(f.Cuts) == 0 {
		return f.Text.Whole()
	}
	var before, around *Cut
	for i := range f.Cuts {
		switch c := &f.Cuts[i]; {
		case c.End <= offset && (before == nil || c.End >= before.End):
			before = c
		case c.Start <= offset && offset < c.End:
			around = c
		}
	}
	switch {
	case before != nil:
		return before.Tag
	case around != nil:
		return around.Tag
	}
	return f.Cuts[0].Tag
}

// An Edit replaces the bytes from Start to End of a program, or of a piece.
type Edit struct {
	Start, End int
	Text       string
	// Name is the variable in place of a hole, or "". Hole is the hole's index.
	Name  string
	Hole  int
	Place Place
}

// A Place is how a value is in a program: Before and After are around the name of
// its variable.
type Place struct {
	Before, After string
	// Name suggests the variable's name.
	Name string
	// Integer, Literal, Words and Echoed are as in the bindings of programs.
	Integer, Literal, Words, Echoed bool
	// Unread says that the program doesn't read the hole, so it stays text.
	Unread bool
}

// Edits are the changes to the pieces and holes of a template.
type Edits struct {
	// Pieces are the edits of each piece in order, by its id.
	Pieces map[int][]Edit
	// Holes are the places of the holes, by their ids.
	Holes map[int]Place
	// Differs are the ids of the pieces that two forms need differently, in order.
	Differs []int
}

// NewEdits returns no edits.
func NewEdits() *Edits { return &Edits{Pieces: map[int][]Edit{}, Holes: map[int]Place{}} }

// AddForm adds the edits of a form, in the form's own offsets. An edit across the
// end of a piece changes parts that other forms may not have, so all its pieces
// differ.
func (e *Edits) AddForm(f *Form, edits []Edit) {
	sortEdits(edits)
	next := 0
	for _, p := range f.Pieces {
		own := []Edit{}
		for ; next < len(edits) && edits[next].Start < p.End; next++ {
			edit := edits[next]
			if edit.End > p.End {
				e.markDiffering(p.ID)
				continue
			}
			if edit.Text != f.Text.Value[edit.Start:edit.End] {
				own = append(own, Edit{Start: edit.Start - p.Start, End: edit.End - p.Start, Text: edit.Text})
			}
		}
		if known, ok := e.Pieces[p.ID]; !ok {
			e.Pieces[p.ID] = own
		} else if !slices.Equal(known, own) {
			e.markDiffering(p.ID)
		}
	}
}

// AddHole adds the place of a hole in a form. It reports false when another form
// has it in another place.
func (e *Edits) AddHole(id int, p Place) bool {
	known, ok := e.Holes[id]
	integer := known.Integer || p.Integer
	known.Integer, p.Integer = false, false
	same := !ok || known == p
	p.Integer = integer
	e.Holes[id] = p
	return same
}

func (e *Edits) markDiffering(piece int) {
	if at, found := slices.BinarySearch(e.Differs, piece); !found {
		e.Differs = slices.Insert(e.Differs, at, piece)
	}
}

// Apply returns a text with edits made, which must not overlap. It sorts the edits.
func Apply(text string, edits []Edit) string {
	sortEdits(edits)
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start] + e.Text + e.Place.Before + e.Name + e.Place.After)
		at = e.End
	}
	return b.String() + text[at:]
}

func sortEdits(edits []Edit) {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
}

// A Reading is a form as a rewriter has read it.
type Reading interface {
	// Found are the faults of the form. It is read after Edits.
	Found() []*diag.Diagnostic
	// Cuts are the statements that cut something in two.
	Cuts() []*diag.Diagnostic
	// Edits are the changes of the form, and the indexes of the holes that nothing reads.
	Edits() (edits []Edit, unread []int)
}

// ReadForms reads a program in each of its forms and merges their edits. It reports faults
// to bag and returns nil after an error. read returns the form as a program, and false for
// a form with syntax errors; cut is the error that a statement cuts something in two. If
// again returns true, all forms are read a second time, since one depends on others.
//
// The errors of a form with syntax errors count only if it has text that no valid form
// has; otherwise the form may never occur. Each finding is reported once, although forms
// share most of their text. If statements cut a construct in two, ReadForms reports only
// that, because the other findings may follow from it.
func ReadForms(list []*Form, read func(*Form) (r Reading, ok bool), cut func(at source.Span, construct string) *diag.Diagnostic, again func() bool, bag *diag.Bag) *Edits {
	f := &formReader{cut: cut}
	if f.readForms(list, read); again() {
		f.readForms(list, read)
	}
	if len(f.cuts) > 0 {
		f.found = f.cuts
	}
	bag.Add(f.found...)
	if diag.HasErrors(f.found) {
		return nil
	}
	return f.edits
}

// formReader is the state of one ReadForms.
type formReader struct {
	edits       *Edits
	cut         func(at source.Span, construct string) *diag.Diagnostic
	readable    map[int]bool // pieces of forms that could be read
	found, cuts []*diag.Diagnostic
}

func (f *formReader) readForms(list []*Form, read func(*Form) (r Reading, ok bool)) {
	*f = formReader{edits: NewEdits(), cut: f.cut, readable: map[int]bool{}}
	broken := map[*Form]Reading{}
	for _, form := range list {
		r, ok := read(form)
		if !ok {
			broken[form] = r
			continue
		}
		f.markReadable(form)
		if addNewDiagnostics(&f.cuts, r.Cuts()...); len(f.cuts) > 0 {
			continue
		}
		if !diag.HasErrors(r.Found()) {
			f.placeForm(form, r)
		}
		addNewDiagnostics(&f.found, r.Found()...)
	}
	for _, form := range list {
		if r := broken[form]; r != nil && slices.ContainsFunc(form.Pieces, func(p Piece) bool { return !f.readable[p.ID] }) {
			f.markReadable(form)
			addNewDiagnostics(&f.found, r.Found()...)
		}
	}
}

// placeForm adds the edits of a form, and notes the statements that make two forms disagree.
func (f *formReader) placeForm(form *Form, r Reading) {
	edits, unread := r.Edits()
	if diag.HasErrors(r.Found()) {
		return
	}
	add := func(hole int, p Place) {
		if h := form.Holes[hole]; !f.edits.AddHole(form.IDs[hole], p) {
			addNewDiagnostics(&f.cuts, f.cut(form.TagBefore(h.Start), "the code around `"+h.Label+"`").
				WithRelated(form.Text.Span(h.Start, h.End), "the value is in quotes in one case and not in another"))
		}
	}
	for _, hole := range unread {
		add(hole, Place{Unread: true})
	}
	var plain []Edit
	for _, e := range edits {
		if e.Name != "" {
			add(e.Hole, e.Place)
		} else {
			plain = append(plain, e)
		}
	}
	before := len(f.edits.Differs)
	f.edits.AddForm(form, plain)
	if len(f.edits.Differs) > before {
		addNewDiagnostics(&f.cuts, f.cut(form.TagBefore(form.StartOf(f.edits.Differs[before])), "the code before or after it"))
	}
}

func (f *formReader) markReadable(form *Form) {
	for _, p := range form.Pieces {
		f.readable[p.ID] = true
	}
}

// addNewDiagnostics adds diagnostics that are new.
func addNewDiagnostics(to *[]*diag.Diagnostic, list ...*diag.Diagnostic) {
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
