package shell

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"mvdan.cc/sh/v3/syntax"
)

// A script with template statements is analysed in each of its forms, as a separate
// script. The forms agree about every hole and every piece of text as long as no
// tag is within a quote, a here-document or a compound command whose other end is on the
// tag's other side; Cuts checks that, and merging their edits finds all other differences
// between forms.

// Forms binds the holes of a script with several forms. It reports faults to bag
// and returns nil after an error.
func (r *Rewriter) Forms(list []*bind.Form, bag *diag.Bag) *bind.Edits {
	unquoted, first := map[bind.Point]bool{}, map[int]bool{}
	read := func(form *bind.Form) (bind.Reading, bool) {
		s := newScript(r, form.Text, form.Holes)
		s.form, s.unquoted, s.first = form, unquoted, first
		return s, s.analyseHoles()
	}
	return bind.ReadForms(list, read, finding.ShellStatementCuts, func() bool { return len(unquoted)+len(first) > 0 }, bag)
}

// Found implements bind.Reading.
func (s *parsed) Found() []*diag.Diagnostic { return s.found }

// Edits implements bind.Reading.
func (s *script) Edits() (edits []bind.Edit, unread []int) {
	w := writer{s}
	out, edits := w.rewriteHoles()
	w.verifyRewrite(out)
	for _, p := range s.spots {
		if p.place.redirect != nil && !p.place.dead {
			s.unquoted[s.form.At(int(p.place.redirect.Word.Pos().Offset()))] = true
		}
		if p.place.first {
			s.first[s.form.IDs[p.index]] = true
		}
		if p.place.dead {
			unread = append(unread, p.index)
		}
	}
	return edits, unread
}

// isUnquoted reports whether a here-document loses the quotes of its delimiter
// because of another form.
func (s *parsed) isUnquoted(r *syntax.Redirect) bool {
	return s.unquoted[s.form.At(int(r.Word.Pos().Offset()))]
}

// The body of a template statement may be absent, or occur more than once. The text
// outside it is the same script each time only if every quote, substitution,
// here-document and compound command is either in the body or around it. A body may
// be a part of simple commands and their words, as `sudo ` is in `{% if root %}sudo
// {% endif %}rm x`: the forms show the results.

// Cuts returns the errors of bodies that cut something in two, one for each thing
// that is cut.
func (s *parsed) Cuts() []*diag.Diagnostic {
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
func (s *parsed) cutBy(n syntax.Node, start, end int) string {
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
	first, last := nodeOffsets(n)
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
func (s *parsed) constructName(n syntax.Node) string {
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
		if start, _ := nodeOffsets(n); strings.HasPrefix(s.masked[start:], "if") {
			return compound
		}
	case *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block, *syntax.Subshell, *syntax.TestClause, *syntax.FuncDecl:
		return compound
	}
	return ""
}

// cutsHeredoc is cutBy for a here-document, which is its operator together with its
// body, wherever that is.
func (s *parsed) cutsHeredoc(r *syntax.Redirect, start, end int) string {
	if r.Hdoc == nil {
		return ""
	}
	const what = "a here-document"
	inside := func(at int) bool { return start <= at && at < end }
	first, _ := nodeOffsets(r)
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
