package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
	"mvdan.cc/sh/v3/syntax"
)

// checkVariables warns of outsiders' variables that bash would split.
func (s *script) checkVariables() {
	if !slices.ContainsFunc(s.options.Variables, func(v string) bool { return strings.Contains(s.src, v) }) {
		return
	}
	s.walkNodes(func(n syntax.Node, path []syntax.Node) {
		if p, ok := n.(*syntax.ParamExp); ok {
			s.checkUnquoted(p, path)
		}
	})
}

func (s *script) checkUnquoted(p *syntax.ParamExp, path []syntax.Node) {
	start, end := nodeOffsets(p)
	if p.Param == nil || p.Length || p.Excl || !slices.Contains(s.options.Variables, p.Param.Value) || s.flagged[start] || !isSplit(path) {
		return
	}
	if v := s.flow.variables[p.Param.Value]; v == nil || v.seed.variable != p.Param.Value {
		return // the script gave it a separate value
	}
	d := codes.ShellUnquotedVariable.New(s.sourceSpan(start, end), fmt.Sprintf("`$%s` without quotes is split at whitespace and expanded to file names", p.Param.Value)).
		WithLabel("not quoted")
	quoted := `"` + s.src[start:end] + `"`
	if _, loop := path[len(path)-3].(*syntax.WordIter); loop {
		d.WithHelp("loop over its words without file names: `read -ra words <<< \"$" + p.Param.Value + "\"; for word in \"${words[@]}\"; do …`")
	} else if p.Exp == nil && p.Repl == nil {
		d.WithHelp("write `"+quoted+"`").WithSureFix("add double quotes", s.sourceSpan(start, end), quoted)
	} else {
		d.WithHelp("put double quotes around it")
	}
	s.report(d)
}

// isSplit reports whether bash splits the expansion at the end of a path: it is
// bare in an argument, a list of words or the target of a redirection.
func isSplit(path []syntax.Node) bool {
	if len(path) < 3 {
		return false
	}
	w, ok := path[len(path)-2].(*syntax.Word)
	if !ok {
		return false
	}
	switch parent := path[len(path)-3].(type) {
	case *syntax.CallExpr:
		return true
	case *syntax.WordIter, *syntax.ArrayElem:
		return true
	case *syntax.Redirect:
		return parent.Word == w && parent.Op != syntax.WordHdoc && parent.Op != syntax.Hdoc && parent.Op != syntax.DashHdoc
	case *syntax.Assign:
		return parent.Naked
	}
	return false
}

// noteQuotes notes holes inside quotes for users who compare with an engine that
// adds its own quotes.
func (s *script) noteQuotes() {
	if !s.options.SplicesQuoted {
		return
	}
	for _, p := range s.spots {
		if p.place.dead || p.refused || p.OfRun || types.IsNumber(p.Type) || p.Type == types.Bool {
			continue
		}
		switch p.place.quoting {
		case double:
			s.report(finding.ShellQuotedHole(s.sourceSpan(p.Start, p.End), p.Label, "double quotes"))
		case single, ansi:
			s.report(finding.ShellQuotedHole(s.sourceSpan(p.Start, p.End), p.Label, "single quotes"))
		case heredoc, plainHeredoc:
			s.report(finding.ShellQuotedHole(s.sourceSpan(p.Start, p.End), p.Label, "a here-document"))
		}
	}
}

// ChoosesProgram reports whether bash runs the text of an environment variable, or takes
// programs from where it says.
func ChoosesProgram(variable string) bool { return evaluatedVariables[variable] }
