package shell

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"mvdan.cc/sh/v3/syntax"
)

// A script with template statements is analysed in each of its forms, as a separate
// script. The forms agree about every hole and every piece of text as long as no
// tag is within a quote, a here-document or a compound command whose other end is on the
// tag's other side; cuts checks that, and merging their edits finds all other differences
// between forms.

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
	s.verify(&Script{Text: apply(s.src, edits), Bindings: slices.Clip(out.Bindings)})
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
			place := bind.Place{Before: e.text, After: e.after, Name: variableName(p), Integer: p.integer, Words: p.place.words, Echoed: p.place.first}
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

// The body of a template statement may be absent, or occur more than once. The text
// outside it is the same script each time only if every quote, substitution,
// here-document and compound command is either in the body or around it. A body may
// be a part of simple commands and their words, as `sudo ` is in `{% if root %}sudo
// {% endif %}rm x`: the forms show the results.

// cuts returns the errors of bodies that cut something in two, one for each thing
// that is cut.
func (s *script) cuts() []*diag.Diagnostic {
	var found []*diag.Diagnostic
	for _, n := range s.tree.nodes {
		for _, cut := range s.form.Cuts {
			if what := s.cutBy(n.node, cut.Start, cut.End); what != "" {
				found = append(found, finding.ShellStatementCuts(cut.Tag, what))
				break
			}
		}
	}
	return found
}

// cutBy names the construct of a node of which a body has only one end, or returns
// "".
func (s *script) cutBy(n syntax.Node, start, end int) string {
	if start == end {
		return ""
	}
	if r, ok := n.(*syntax.Redirect); ok {
		return s.cutsHeredoc(r, start, end)
	}
	what := s.constructName(n)
	if what == "" {
		return ""
	}
	first, last := offsets(n)
	if last <= start || first >= end || start <= first && last <= end {
		return "" // outside or inside
	}
	if first < start && (end < last || end == last && what == "a comment") {
		return "" // around
	}
	return what
}

// compound names a construct that has two ends in words.
const compound = "a compound command or a function"

// constructName is a construct that is whole or none in words, or "".
func (s *script) constructName(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Comment:
		return "a comment"
	case *syntax.DblQuoted, *syntax.SglQuoted:
		return "a quoted string"
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return "a command substitution"
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
		return "an arithmetic expression"
	case *syntax.ParamExp:
		if n.Short {
			return ""
		}
		return "an expansion `${…}`"
	case *syntax.ExtGlob:
		return "a pattern"
	case *syntax.ArrayExpr:
		return "an array"
	case *syntax.IfClause:
		// An elif or else that comes and goes is fine.
		if start, _ := offsets(n); strings.HasPrefix(s.masked[start:], "if") {
			return compound
		}
	case *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block, *syntax.Subshell, *syntax.TestClause, *syntax.FuncDecl:
		return compound
	}
	return ""
}

// cutsHeredoc is cutBy for a here-document, which is its operator together with its
// body, wherever that is.
func (s *script) cutsHeredoc(r *syntax.Redirect, start, end int) string {
	if r.Hdoc == nil {
		return ""
	}
	const what = "a here-document"
	inside := func(at int) bool { return start <= at && at < end }
	first, _ := offsets(r)
	bodyStart, bodyEnd, delimiter := s.heredocBody(r)
	last := bodyEnd + len(delimiter)
	if inside(first) {
		if bodyStart < start || last > end {
			return what
		}
		return ""
	}
	switch {
	case last <= start || bodyStart >= end, bodyStart <= start && end <= bodyEnd:
		return ""
	}
	return what
}
