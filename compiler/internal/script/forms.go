package script

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A Python program with template statements is analysed in each of its forms, as a
// separate program. No tag may be in a string, in brackets or in a comment whose other
// end is on its other side; merging their edits finds all other differences between
// forms.

// forms is the state of one Forms.
type forms struct {
	// forced are the strings that some form has holes in.
	forced map[bind.Point]bool
	// variables are those of the Rewriter.
	variables []string
}

// Forms puts values into a Python program with several forms. It reports faults to
// bag and returns nil after an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	if r.lang != Python {
		panic("script: only Python has forms")
	}
	f := &forms{forced: map[bind.Point]bool{}, variables: r.Variables}
	edits, found := bind.ReadForms(list, f.read)
	if len(f.forced) > 0 {
		edits, found = bind.ReadForms(list, f.read) // now all forms know of these
	}
	bag.Add(found...)
	if diag.HasErrors(found) {
		return nil
	}
	r.kept = append(r.kept, list)
	return edits
}

// read reads a form.
func (f *forms) read(form *bind.Form) (bind.Reading, bool) {
	p := newProgram(Python, form.Text, form.Holes)
	p.form, p.forced, p.vars = form, f.forced, f.variables
	ok := p.analyse()
	return &reading{p, f}, ok
}

// A reading is a form as a program.
type reading struct {
	*program
	of *forms
}

// Form implements bind.Reading.
func (p *reading) Form() *bind.Form { return p.form }

// Found implements bind.Reading.
func (p *reading) Found() []*diag.Diagnostic { return p.found }

// Cuts implements bind.Reading.
func (p *reading) Cuts() []*diag.Diagnostic { return p.cuts() }

// Place implements bind.Reading.
func (p *reading) Place(to *bind.Edits) (cuts []*diag.Diagnostic) {
	for i := range p.toks {
		if l := p.toks[i].lit; p.toks[i].kind == text && len(l.spots) > 0 && !l.holds {
			p.of.forced[p.form.At(l.start)] = true
		}
	}
	for _, s := range p.spots {
		if s.place == inComment || s.place == escaped {
			cuts = append(cuts, p.placeHole(to, s, bind.Place{Unread: true})...)
		}
	}
	var plain []bind.Edit
	for _, e := range p.newRewriter().edits {
		if s := e.hole; s != nil {
			place := bind.Place{Before: e.text, After: e.after, Name: suggested(s, e.literal), Literal: e.literal}
			cuts = append(cuts, p.placeHole(to, s, place)...)
			continue
		}
		plain = append(plain, bind.Edit{Start: e.start, End: e.end, Text: e.text})
	}
	before := len(to.Differs)
	to.AddForm(p.form, plain)
	if len(to.Differs) > before {
		cuts = append(cuts, finding.ScriptStatementCuts(p.form.TagBefore(p.form.StartOf(to.Differs[before])), "the code before or after it"))
	}
	return cuts
}

func (p *reading) placeHole(to *bind.Edits, s *spot, place bind.Place) []*diag.Diagnostic {
	if to.AddHole(p.form.IDs[s.index], place) {
		return nil
	}
	return []*diag.Diagnostic{finding.ScriptStatementCuts(p.form.TagBefore(s.Start), "the code around `"+s.Label+"`").
		WithRelated(p.at(s), "the value is in a string in one case and not in another")}
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
				found = append(found, finding.ScriptStatementCuts(c.Tag, what))
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
		// The end of the line ends a comment, and is not a part of it.
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
