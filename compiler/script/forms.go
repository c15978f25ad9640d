package script

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/bind"
	"github.com/wfc-lang/wfc/compiler/diag"
)

// A Python program with template statements is analysed in each of its forms, as
// a program of its own. No tag may stand in a string, in brackets or in a comment
// whose other end is on its other side; whatever else makes two forms differ is
// found when their edits are put together.

// forms is the state of one Forms.
type forms struct {
	edits *bind.Edits
	// forced are the strings that some form has holes in.
	forced   map[bind.Point]bool
	readable map[int]bool // pieces of forms that could be read
	found    []*diag.Diagnostic
	cuts     []*diag.Diagnostic // statements that cut something in two
}

// Forms puts values into a Python program that is known in some forms. It reports
// what is wrong to bag and returns nil when it reported an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	if r.lang != Python {
		panic("script: only Python has forms")
	}
	f := &forms{forced: map[bind.Point]bool{}}
	f.rewrite(list)
	if len(f.forced) > 0 {
		f.rewrite(list) // now all forms know of these
	}
	bag.Add(f.found...)
	if diag.HasErrors(f.found) {
		return nil
	}
	r.kept = append(r.kept, list)
	return f.edits
}

func (f *forms) rewrite(list []*bind.Form) {
	f.edits, f.readable, f.found, f.cuts = bind.NewEdits(), map[int]bool{}, nil, nil
	var broken []*program
	for _, form := range list {
		p := newProgram(Python, form.Text, form.Holes)
		p.form, p.forced = form, f.forced
		if !p.analyse() {
			broken = append(broken, p)
			continue
		}
		f.read(p)
		if f.report(&f.cuts, p.cuts()); len(f.cuts) > 0 {
			continue // what else is found may come of that
		}
		if !diag.HasErrors(p.found) {
			f.place(p)
		}
		f.report(&f.found, p.found)
	}
	if len(f.cuts) > 0 {
		f.found = f.cuts
		return
	}
	// That some form cannot be read may only mean that it never comes to be. But
	// what stands in no other form is known from nowhere.
	for _, p := range broken {
		if slices.ContainsFunc(p.form.Pieces, func(piece bind.Piece) bool { return !f.readable[piece.ID] }) {
			f.read(p)
			f.report(&f.found, p.found)
		}
	}
}

func (f *forms) read(p *program) {
	for _, piece := range p.form.Pieces {
		f.readable[piece.ID] = true
	}
}

// place adds the edits of a form.
func (f *forms) place(p *program) {
	for i := range p.toks {
		if l := p.toks[i].lit; p.toks[i].kind == text && len(l.spots) > 0 && !l.holds {
			f.forced[p.form.At(l.start)] = true
		}
	}
	for _, s := range p.spots {
		if s.place == inComment || s.place == escaped {
			f.placeHole(p, s, bind.Place{Unread: true})
		}
	}
	var plain []bind.Edit
	for _, e := range p.newRewriter().edits {
		if s := e.hole; s != nil {
			f.placeHole(p, s, bind.Place{Before: e.text, After: e.after, Name: suggested(s, e.literal), Literal: e.literal})
			continue
		}
		plain = append(plain, bind.Edit{Start: e.start, End: e.end, Text: e.text})
	}
	before := len(f.edits.Differs)
	f.edits.AddForm(p.form, plain)
	if len(f.edits.Differs) > before {
		f.cuts = append(f.cuts, diag.ScriptStatementCuts(p.form.TagBefore(p.startOf(f.edits.Differs[before])), "what stands before or after it"))
	}
}

// startOf returns where a piece starts in a form, or its beginning.
func (p *program) startOf(piece int) int {
	for _, q := range p.form.Pieces {
		if q.ID == piece {
			return q.Start
		}
	}
	return 0
}

func (f *forms) placeHole(p *program, s *spot, place bind.Place) {
	if !f.edits.AddHole(p.form.IDs[s.index], place) {
		d := diag.ScriptStatementCuts(p.form.TagBefore(s.Start), "what stands around `"+s.Label+"`").
			WithRelated(p.at(s), "here the value is in a string in one case and not in another")
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

// isForced reports whether a string becomes an f-string because of other forms.
func (p *program) isForced(l *literal) bool {
	return len(p.forced) > 0 && !l.holds && p.forced[p.form.At(l.start)]
}

// cuts returns the errors of bodies that cut something in two, one for each thing
// that is cut.
func (p *program) cuts() []*diag.Diagnostic {
	var found []*diag.Diagnostic
	check := func(what string, isCut func(start, end int) bool) {
		for _, c := range p.form.Cuts {
			if c.Start < c.End && isCut(c.Start, c.End) {
				found = append(found, diag.ScriptStatementCuts(c.Tag, what))
				return
			}
		}
	}
	for i := range p.toks {
		switch t := &p.toks[i]; {
		case t.kind == text:
			check("a string", func(start, end int) bool { return cuts(t.start, t.lit.end, start, end) })
		case t.kind == op && t.match > i:
			check("a pair of brackets", func(start, end int) bool { return cuts(t.start, p.toks[t.match].end, start, end) })
		}
	}
	for _, c := range p.comments {
		// The end of the line ends a comment, and is no part of it.
		check("a comment", func(start, end int) bool {
			inside, around := start <= c[0] && c[1] <= end, c[0] < start && end <= c[1]
			return c[0] < end && start < c[1] && !inside && !around
		})
	}
	return found
}

// cuts reports whether a body has one end of a construct but not the other.
func cuts(first, last, start, end int) bool {
	outside := last <= start || first >= end
	inside := start <= first && last <= end
	around := first < start && end < last
	return !outside && !inside && !around
}
