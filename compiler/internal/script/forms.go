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

// Forms puts values into a Python program with several forms. It reports faults to
// bag and returns nil after an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	if r.lang != Python {
		panic("script: only Python has forms")
	}
	forced := map[bind.Point]bool{}
	read := func(form *bind.Form) (bind.Reading, bool) {
		p := newProgram(Python, form.Text, form.Holes)
		p.form, p.forced, p.vars = form, forced, r.Variables
		return p, p.analyseHoles()
	}
	edits := bind.ReadForms(list, read, finding.ScriptStatementCuts, func() bool { return len(forced) > 0 }, bag)
	if edits != nil {
		r.kept = append(r.kept, list)
	}
	return edits
}

// Found implements bind.Reading.
func (p *program) Found() []*diag.Diagnostic { return p.found }

// Edits implements bind.Reading.
func (p *program) Edits() (edits []bind.Edit, unread []int) {
	for i := range p.toks {
		if l := p.toks[i].lit; p.toks[i].kind == text && len(l.spots) > 0 && !l.holds {
			p.forced[p.form.At(l.start)] = true
		}
	}
	for _, s := range p.spots {
		if s.place == inComment || s.place == escaped {
			unread = append(unread, s.index)
		}
	}
	return p.newRewriter().edits, unread
}

// isForced reports whether a string becomes an f-string because of other forms.
func (p *program) isForced(l *literal) bool {
	return len(p.forced) > 0 && !l.holds && p.forced[p.form.At(l.start)]
}

// Cuts returns the errors of bodies that cut something in two, one for each thing
// that is cut.
func (p *program) Cuts() []*diag.Diagnostic {
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
			check("a string", func(start, end int) bool { return splitsConstruct(t.start, t.lit.end, start, end) })
		case t.kind == op && t.match > i:
			check("a pair of brackets", func(start, end int) bool { return splitsConstruct(t.start, p.toks[t.match].end, start, end) })
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

// splitsConstruct reports whether a body has one end of a construct but not the other.
func splitsConstruct(first, last, start, end int) bool {
	outside := last <= start || first >= end
	inside := start <= first && last <= end
	around := first < start && end < last
	return !outside && !inside && !around
}
