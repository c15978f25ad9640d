package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

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
			return "an `if`"
		}
	case *syntax.WhileClause:
		return "a `while` loop"
	case *syntax.ForClause:
		return "a `for` loop"
	case *syntax.CaseClause:
		return "a `case`"
	case *syntax.Block:
		return "a group `{ … }`"
	case *syntax.Subshell:
		return "a subshell"
	case *syntax.TestClause:
		return "a test `[[ … ]]`"
	case *syntax.FuncDecl:
		return "a function"
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
