package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A script with template statements is analysed in each of its forms, as a separate
// script. The forms agree about every hole and every piece of text as long as no
// tag is within a quote, a here-document or a compound command whose other end is
// on the tag's other side; that is checked by cuts.go, and whatever else makes two
// forms differ is found when their edits are put together.

// forms is the state of one Forms.
type forms struct {
	rewriter *Rewriter
	// unquoted are the here-documents that lose the quotes of their delimiter
	// in every form, because some form has a hole in them.
	unquoted map[bind.Point]bool
	// first are the holes, by their ids, that begin an argument of echo in some
	// form.
	first map[int]bool
}

// Forms binds the holes of a script with several forms. It reports faults to bag
// and returns nil after an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	f := &forms{rewriter: r, unquoted: map[bind.Point]bool{}, first: map[int]bool{}}
	edits, found := bind.ReadForms(list, f.read)
	if len(f.unquoted) > 0 || len(f.first) > 0 {
		edits, found = bind.ReadForms(list, f.read) // now all forms know of these
	}
	bag.Add(found...)
	if diag.HasErrors(found) {
		return nil
	}
	return edits
}

// read reads a form.
func (f *forms) read(form *bind.Form) (bind.Reading, bool) {
	s := newScript(f.rewriter, form.Text, form.Holes)
	s.form, s.unquoted, s.first = form, f.unquoted, f.first
	ok := s.analyse()
	return &reading{s, f}, ok
}

// A reading is a form as a script.
type reading struct {
	*script
	of *forms
}

// Form implements bind.Reading.
func (s *reading) Form() *bind.Form { return s.form }

// Found implements bind.Reading.
func (s *reading) Found() []*diag.Diagnostic { return s.found }

// Cuts implements bind.Reading.
func (s *reading) Cuts() []*diag.Diagnostic { return s.cuts() }

// Place implements bind.Reading.
func (s *reading) Place(to *bind.Edits) (cuts []*diag.Diagnostic) {
	out := &Script{}
	edits := s.edits(out)
	s.verify(&Script{Text: apply(s.src, edits), Bindings: out.Bindings})
	if diag.HasErrors(s.found) {
		return nil
	}
	for _, p := range s.spots {
		if p.place.redirect != nil && !p.place.dead {
			s.of.unquoted[s.form.At(int(p.place.redirect.Word.Pos().Offset()))] = true
		}
		if p.place.first {
			s.of.first[s.form.IDs[p.index]] = true
		}
		if p.place.dead {
			cuts = append(cuts, s.placeHole(to, p, bind.Place{Unread: true})...)
		}
	}
	var plain []bind.Edit
	for _, e := range edits {
		if p := e.hole; p != nil {
			place := bind.Place{Before: e.text, After: e.after, Name: variable(p), Integer: p.integer, Words: p.place.words, Echoed: p.place.first}
			cuts = append(cuts, s.placeHole(to, p, place)...)
			continue
		}
		plain = append(plain, bind.Edit{Start: e.start, End: e.end, Text: e.text})
	}
	before := len(to.Differs)
	to.AddForm(s.form, plain)
	if len(to.Differs) > before {
		cuts = append(cuts, finding.ShellStatementCuts(s.form.TagBefore(s.form.StartOf(to.Differs[before])), "the code before or after it"))
	}
	return cuts
}

func (s *reading) placeHole(to *bind.Edits, p *spot, place bind.Place) []*diag.Diagnostic {
	if to.AddHole(s.form.IDs[p.index], place) {
		return nil
	}
	return []*diag.Diagnostic{finding.ShellStatementCuts(s.form.TagBefore(p.Start), "the code around `"+p.Label+"`").
		WithRelated(s.span(p.Start, p.End), "the value is quoted in one case and not in another")}
}

// isUnquoted reports whether a here-document loses the quotes of its delimiter
// because of another form.
func (s *script) isUnquoted(r *syntax.Redirect) bool {
	return s.unquoted[s.form.At(int(r.Word.Pos().Offset()))]
}
