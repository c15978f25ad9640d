package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// readLeaf completes a place with the leaf of the path, which holds the hole.
func (s *parsed) readLeaf(p *spot, path []syntax.Node) {
	pl := &p.place
	switch leaf := path[len(path)-1].(type) {
	case *syntax.Comment:
		pl.dead, pl.comment = true, true
		return
	case *syntax.SglQuoted:
		if leaf.Dollar {
			pl.quoting = ansi
		} else {
			pl.quoting = single
		}
	case *syntax.Lit:
		if !s.readLit(p, leaf, path[max(0, len(path)-2)]) {
			return
		}
	}
	s.readSlashes(p)
	pl.echo, pl.first = s.isEchoed(p, path)
	pl.first = pl.first || pl.echo && s.form != nil && s.first[s.form.IDs[p.index]]
	pl.plain = alwaysInteger(p.Type) || p.Type == types.Bool
	pl.first = pl.first && !pl.plain
	pl.words = s.options.Echo && pl.quoting == bare && isLoopWord(path)
	if pl.redirect != nil && pl.quoting == plainHeredoc {
		s.checkHeredoc(p)
	}
	if pl.arith && !p.refused {
		s.needInteger(p)
	}
}

// readLit handles a hole in literal text; false means it was refused.
func (s *parsed) readLit(p *spot, leaf *syntax.Lit, parent syntax.Node) bool {
	pl := &p.place
	start, end := nodeOffsets(leaf)
	switch parent := parent.(type) {
	case *syntax.ParamExp:
		// Only `$` and a name: the mask runs on from the `$` or from the name
		// before the hole, where the author's text has its own `$`.
		pl.afterDollar = p.Start == start
	case *syntax.ExtGlob:
		q, ok := quoteAt(s.masked[start:p.Start])
		if !ok {
			s.refuseHole(p, finding.ShellHoleUndecided(s.sourceSpan(p.Start, p.End), p.Label, "inside `"+parent.Op.String()+"…)` after an expansion"))
			return false
		}
		if q != bare || pl.quoting == bare {
			pl.quoting = q
		}
	}
	if pl.quoting == arithmetic && !s.checkOperand(p, s.masked[start:min(end, len(s.masked))], p.Start-start) {
		return false
	}
	if pl.quoting == bare && s.inBraceRange(p) {
		s.refuseHole(p, finding.ShellHoleInRange(s.sourceSpan(p.Start, p.End), p.Label))
		return false
	}
	return true
}

// checkOperand refuses a hole that is glued to letters or digits in arithmetic,
// where it would be part of a name or a number; a base such as `10#` may be before
// it.
func (s *parsed) checkOperand(p *spot, lit string, at int) bool {
	if !p.place.arith {
		return true
	}
	before, after := lit[:at], lit[at+p.End-p.Start:]
	glued := before != "" && bind.IsNameByte(before[len(before)-1]) || after != "" && (bind.IsNameByte(after[0]) || after[0] == '#')
	if glued {
		s.refuseHole(p, finding.ValueAsName(s.sourceSpan(p.Start, p.End), "`"+p.Label+"`", "part of a name or number in arithmetic").
			WithHelp("put the value alone: `$(( "+p.Label+" ))`"))
	}
	return !glued
}

// quoteAt returns the quoting at the end of a piece of a pattern that the parser keeps as
// raw text. It gives up at expansions.
func quoteAt(raw string) (quoting, bool) {
	q := bare
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case q == single:
			if c == '\'' {
				q = bare
			}
		case c == '\\':
			i++
		case c == '`', c == '$' && (i+1 == len(raw) || strings.IndexByte("({'\"", raw[i+1]) >= 0):
			return bare, false
		case c == '"' && q == double:
			q = bare
		case c == '"':
			q = double
		case c == '\'' && q == bare:
			q = single
		}
	}
	return q, true
}

// maxRange is the maximum distance of the braces of a range.
const maxRange = 1 << 10

// inBraceRange reports whether a bare hole is an end or the step of {a..b}.
func (s *parsed) inBraceRange(p *spot) bool {
	before, after := s.masked[max(0, p.Start-maxRange):p.Start], s.masked[p.End:min(len(s.masked), p.End+maxRange)]
	open := strings.LastIndexAny(before, "{}, \t\n;|&()\"'")
	end := strings.IndexAny(after, "{}, \t\n;|&()\"'")
	if open < 0 || end < 0 || before[open] != '{' || after[end] != '}' || open > 0 && before[open-1] == '$' {
		return false
	}
	return strings.Contains(before[open:], "..") || strings.Contains(after[:end], "..")
}

// readSlashes counts the backslashes before a hole and decides whether the last
// of them makes its first character plain.
//
// Each level of `…` halves the run before bash reads it the next time, so the
// view of the innermost level counts.
func (s *parsed) readSlashes(p *spot) {
	pl := &p.place
	at := p.Start
	for at > 0 && s.masked[at-1] == '\\' {
		at--
	}
	pl.slashes = p.Start - at
	seen := pl.slashes >> pl.backticks
	escapes := pl.quoting == bare || pl.quoting == double || pl.quoting == heredoc || pl.quoting == ansi || pl.quoting == arithmetic
	if seen%2 == 0 || !escapes || s.src[p.Start] != '$' {
		return
	}
	pl.dead = true
	s.report(finding.EscapedReference(s.sourceSpan(p.Start-1, p.End), p.Label))
}

func nodeOffsets(n syntax.Node) (start, end int) {
	return int(n.Pos().Offset()), int(n.End().Offset())
}

// spotsFrom returns the spots that begin at an offset or later.
func spotsFrom(spots []*spot, start int) []*spot {
	i, _ := slices.BinarySearchFunc(spots, start, func(p *spot, at int) int { return p.Start - at })
	return spots[i:]
}

// containsHole reports whether a hole begins within a node.
func (s *parsed) containsHole(n syntax.Node) bool {
	start, end := nodeOffsets(n)
	after := spotsFrom(s.spots, start)
	return len(after) > 0 && after[0].Start < end
}
