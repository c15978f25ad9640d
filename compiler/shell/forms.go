package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/bind"
	"github.com/wfc-lang/wfc/compiler/diag"
)

// A script with template statements is analysed in each of its forms, as a
// script of its own. The forms agree about every hole and every piece of text as
// long as no tag stands within a quote, a here-document or a compound command
// whose other end is on the tag's other side; that is checked by cuts.go, and
// whatever else makes two forms differ is found when their edits are put
// together.

// forms is the state of one Forms.
type forms struct {
	rewriter *Rewriter
	list     []*bind.Form
	edits    *bind.Edits
	// unquoted are the here-documents that lose the quotes of their delimiter
	// in every form, because some form has a hole in them.
	unquoted map[bind.Point]bool
	// first are the holes, by their ids, that begin an argument of echo in some
	// form.
	first    map[int]bool
	readable map[int]bool // pieces of forms that could be parsed
	found    []*diag.Diagnostic
	cuts     []*diag.Diagnostic // statements that cut something in two
}

// Forms binds the holes of a script that is known in some forms. It reports what
// is wrong to bag and returns nil when it reported an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	f := &forms{rewriter: r, list: list, unquoted: map[bind.Point]bool{}, first: map[int]bool{}}
	f.rewrite()
	if len(f.unquoted) > 0 || len(f.first) > 0 {
		f.rewrite() // now all forms know of these
	}
	bag.Add(f.found...)
	if diag.HasErrors(f.found) {
		return nil
	}
	return f.edits
}

func (f *forms) rewrite() {
	f.edits, f.readable, f.found, f.cuts = bind.NewEdits(), map[int]bool{}, nil, nil
	var broken []*script
	for _, form := range f.list {
		s := newScript(f.rewriter, form.Text, form.Holes)
		s.form, s.unquoted, s.first = form, f.unquoted, f.first
		if !s.analyse() {
			broken = append(broken, s)
			continue
		}
		f.read(s)
		if f.report(&f.cuts, s.cuts()); len(f.cuts) > 0 {
			continue // what else is found may come of that
		}
		if !diag.HasErrors(s.found) {
			f.place(s)
		}
		f.report(&f.found, s.found)
	}
	if len(f.cuts) > 0 {
		f.found = f.cuts
		return
	}
	// That some form is no script may only mean that it never comes to be: an
	// empty list in a loop that makes the only command of a branch. But what
	// stands in no other form is known from nowhere.
	for _, s := range broken {
		fresh := slices.ContainsFunc(s.form.Pieces, func(p bind.Piece) bool { return !f.readable[p.ID] })
		if fresh {
			f.read(s)
			f.report(&f.found, s.found)
		}
	}
}

func (f *forms) read(s *script) {
	for _, p := range s.form.Pieces {
		f.readable[p.ID] = true
	}
}

// place adds the edits of a form.
func (f *forms) place(s *script) {
	out := &Script{}
	edits := s.edits(out)
	s.verify(&Script{Text: apply(s.src, edits), Bindings: out.Bindings})
	if diag.HasErrors(s.found) {
		return
	}
	for _, p := range s.spots {
		if p.place.redirect != nil && !p.place.dead {
			f.unquoted[s.form.At(int(p.place.redirect.Word.Pos().Offset()))] = true
		}
		if p.place.first {
			f.first[s.form.IDs[p.index]] = true
		}
		if p.place.dead {
			f.placeHole(s, p, bind.Place{Unread: true})
		}
	}
	var plain []bind.Edit
	for _, e := range edits {
		if p := e.hole; p != nil {
			f.placeHole(s, p, bind.Place{Before: e.text, After: e.after, Name: variable(p), Integer: p.integer, Words: p.place.words, Echoed: p.place.first})
			continue
		}
		plain = append(plain, bind.Edit{Start: e.start, End: e.end, Text: e.text})
	}
	before := len(f.edits.Differs)
	f.edits.AddForm(s.form, plain)
	if len(f.edits.Differs) > before {
		differs := f.edits.Differs[before]
		for _, p := range s.form.Pieces {
			if p.ID == differs {
				f.cuts = append(f.cuts, diag.ShellStatementCuts(s.form.TagBefore(p.Start), "what stands before or after it"))
				return
			}
		}
	}
}

func (f *forms) placeHole(s *script, p *spot, place bind.Place) {
	if !f.edits.AddHole(s.form.IDs[p.index], place) {
		d := diag.ShellStatementCuts(s.form.TagBefore(p.Start), "what stands around `"+p.Label+"`").
			WithRelated(s.span(p.Start, p.End), "here the value is quoted in one case and not in another")
		f.report(&f.cuts, []*diag.Diagnostic{d})
	}
}

// report adds diagnostics that are new: forms have most of their text in common.
func (f *forms) report(to *[]*diag.Diagnostic, list []*diag.Diagnostic) {
	for _, d := range list {
		if !slices.ContainsFunc(*to, func(k *diag.Diagnostic) bool { return k.Code == d.Code && k.Span == d.Span }) {
			*to = append(*to, d)
		}
	}
}

// isUnquoted reports whether a here-document loses the quotes of its delimiter
// because of another form.
func (s *script) isUnquoted(r *syntax.Redirect) bool {
	return s.unquoted[s.form.At(int(r.Word.Pos().Offset()))]
}
