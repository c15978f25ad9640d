package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/finding"
)

// The meaning of text in bash depends on everything around it: quotes inside a
// command substitution are new quotes, a single quote is plain text inside
// "${x:-…}" but quotes inside "${x#…}", an index is arithmetic unless the array has
// text keys. So a place is read from the whole path from the script's root to the
// leaf that holds the hole, outermost node first, each step changing a small state:
//
//	quoting   how a bare letter would be read here
//	arith     the text here is evaluated as arithmetic
//	backticks how many levels of `…` will take backslashes away
//
// The leaf and the state then determine the form of the variable. Names, delimiters
// and other places that cannot hold a variable are refused on the way.

// quoting is how bash reads the text around a hole.
type quoting int

const (
	bare         quoting = iota
	double               // inside "…" and $"…"
	heredoc              // in a here-document that expands
	plainHeredoc         // in a here-document with a quoted delimiter
	single               // inside '…'
	ansi                 // inside $'…'
	arithmetic           // in an arithmetic expression, where quotes mean nothing
)

// place is the place of a hole and its consequences.
type place struct {
	// dead holes stay as they are written: in comments, after a backslash.
	dead    bool
	comment bool
	quoting quoting
	// arith says that bash evaluates the value as arithmetic.
	arith bool
	// backticks counts the levels of `…` around the hole.
	backticks int
	// slashes counts the backslashes right before the hole, as written.
	slashes int
	// afterDollar says that a lone `$` is before the hole.
	afterDollar bool
	// echo says that an echo which interprets backslashes prints the value.
	echo bool
	// first says that text at the start of such a place could be an option.
	first bool
	// plain says that no value there has a backslash or could be an option.
	plain bool
	// words says that bash makes a loop's words of the value.
	words bool
	// redirect is the here-document whose quoted delimiter must be unquoted.
	redirect *syntax.Redirect
}

// findPlaces reads the place of every hole. It reports false when the rest of the
// analysis has no basis.
func (s *parsed) findPlaces() bool {
	for range maxPlainQuotes {
		if !s.blankPlainQuotes() {
			break
		}
		file, err := s.parseBash(s.masked)
		if err != nil {
			p := s.spots[0]
			_, problem := s.explainParseError(err)
			s.refuseHole(p, finding.ShellUnreadable(s.sourceSpan(p.Start, p.End), p.Label, problem))
			return false
		}
		s.tree = s.newTree(file)
	}
	s.walkHoles(func(p *spot, t *trail) {
		p.found = true
		p.place = t.currentPlace()
		s.readHole(p, t.path[lastStatement(t.path):])
	})
	for _, p := range s.spots {
		if !p.found {
			s.refuseHole(p, finding.ShellHoleUndecided(s.sourceSpan(p.Start, p.End), p.Label, "at this place"))
		}
	}
	return true
}

// walkHoles visits every hole with the trail to its leaf.
func (s *parsed) walkHoles(visit func(p *spot, t *trail)) {
	if len(s.spots) == 0 {
		return
	}
	t := s.newTrail()
	defer t.releaseBuffers()
	for _, n := range s.tree.nodes {
		t.enterNode(n.node, n.depth)
		switch n.node.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.Comment:
			start, end := nodeOffsets(n.node)
			for _, p := range spotsFrom(s.spots, start) {
				if p.Start >= end {
					break
				}
				visit(p, t)
			}
		}
	}
}

// A trail is the path from a script's root to the node that a walk is at.
type trail struct {
	script *parsed
	path   []syntax.Node
	// places are the states of the first nodes of the path: few nodes of a
	// script have to do with a hole, so a state is computed when one asks.
	places []place
}

// newTrail returns a trail for one walk, which ends it. It takes the buffers for
// paths with it: a walk within a walk makes its own.
func (s *parsed) newTrail() *trail {
	w := s.space
	t := &trail{script: s, path: w.path[:0], places: w.places[:0]}
	w.path, w.places = nil, nil
	return t
}

func (t *trail) releaseBuffers() { t.script.space.path, t.script.space.places = t.path, t.places }

// enterNode continues to the next node of a walk, which has depth others around it.
func (t *trail) enterNode(n syntax.Node, depth int) {
	t.path = append(t.path[:depth], n)
	t.places = t.places[:min(depth, len(t.places))]
}

// currentPlace returns the state at the node at the end of the path.
func (t *trail) currentPlace() place {
	for i := len(t.places); i < len(t.path); i++ {
		var pl place
		if i > 0 {
			pl = t.places[i-1]
			t.script.descendPlace(&pl, t.path[:i], t.path[i])
		}
		t.places = append(t.places, pl)
	}
	return t.places[len(t.path)-1]
}

// lastStatement returns the index of the innermost statement of a path.
func lastStatement(path []syntax.Node) int {
	for i := len(path) - 1; i > 0; i-- {
		if _, ok := path[i].(*syntax.Stmt); ok {
			return i
		}
	}
	return 0
}

// maxPlainQuotes bounds the repeated parsing of blankPlainQuotes.
const maxPlainQuotes = 16

// blankPlainQuotes replaces single quotes that bash treats as plain text, in
// "${x:-'…'}", by plain text in the mask if a hole is between them, so that the
// next parse sees the text inside. It reports whether it did.
func (s *parsed) blankPlainQuotes() bool {
	if !strings.Contains(s.masked, "'") {
		return false
	}
	var b []byte
	s.walkHoles(func(p *spot, t *trail) {
		q, ok := t.path[len(t.path)-1].(*syntax.SglQuoted)
		if !ok || q.Dollar {
			return
		}
		if pl := t.currentPlace(); pl.quoting == double || pl.quoting == heredoc {
			if b == nil {
				b = []byte(s.masked)
			}
			b[q.Left.Offset()], b[q.Right.Offset()] = '_', '_'
		}
	})
	if b == nil || string(b) == s.masked {
		return false
	}
	s.masked = string(b)
	return true
}

// stepQuoting returns how text is quoted in a child of a node.
func stepQuoting(q quoting, n, child syntax.Node) quoting {
	switch n := n.(type) {
	case *syntax.DblQuoted:
		return double
	case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.LetClause:
		return bare
	case *syntax.Redirect:
		if n.Hdoc != nil && child == syntax.Node(n.Hdoc) {
			if quotedDelimiter(n.Word) {
				return plainHeredoc
			}
			return heredoc
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
		return arithmetic
	case *syntax.ParamExp:
		return stepParameter(q, n, child)
	case *syntax.Assign:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return arithmetic
		}
	case *syntax.ArrayElem:
		if n.Index != nil && child == syntax.Node(n.Index) {
			return arithmetic
		}
	}
	return q
}

// stepParameter is stepQuoting for ${…}: an alternative value keeps the quotes
// around the expansion, a pattern or a replacement has its own quotes, an index or
// an offset is arithmetic.
func stepParameter(q quoting, n *syntax.ParamExp, child syntax.Node) quoting {
	switch {
	case n.Exp != nil && n.Exp.Word != nil && child == syntax.Node(n.Exp.Word):
		if isAlternative(n.Exp.Op) {
			return q
		}
		return bare
	case n.Repl != nil && (n.Repl.Orig != nil && child == syntax.Node(n.Repl.Orig) || n.Repl.With != nil && child == syntax.Node(n.Repl.With)):
		return bare
	case n.Index != nil && child == syntax.Node(n.Index),
		n.Slice != nil && (n.Slice.Offset != nil && child == syntax.Node(n.Slice.Offset) || n.Slice.Length != nil && child == syntax.Node(n.Slice.Length)):
		return arithmetic
	}
	return q
}

func isAlternative(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

// readHole finishes the place of a spot, or refuses it.
func (s *parsed) readHole(p *spot, path []syntax.Node) {
	for i, n := range path[:len(path)-1] {
		if d := s.refuseStep(p, n, path[i+1]); d != nil {
			s.refuseHole(p, d)
			return
		}
	}
	s.readLeaf(p, path)
}

// descendPlace changes the state of a place on the way from the end of a path to a
// child of it.
func (s *parsed) descendPlace(pl *place, path []syntax.Node, child syntax.Node) {
	n := path[len(path)-1]
	pl.quoting = stepQuoting(pl.quoting, n, child)
	switch n := n.(type) {
	case *syntax.CmdSubst:
		pl.arith = false
		if n.Backquotes {
			pl.backticks++
		}
	case *syntax.ProcSubst:
		pl.arith = false
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
		pl.arith = true
	case *syntax.BinaryTest:
		pl.arith = pl.arith || isArithmeticTest(n.Op)
	case *syntax.Redirect:
		if pl.quoting == plainHeredoc {
			pl.redirect = n
		}
	case *syntax.ParamExp:
		s.stepSubscript(pl, n, child)
	case *syntax.Assign:
		if n.Index != nil && child == syntax.Node(n.Index) {
			pl.arith = pl.arith || !s.tree.associative[n.Name.Value]
		} else if n.Name != nil && child != syntax.Node(n.Name) {
			pl.arith = pl.arith || s.tree.integers[n.Name.Value]
		}
	case *syntax.ArrayElem:
		if n.Index != nil && child == syntax.Node(n.Index) {
			pl.arith = pl.arith || !s.textKeys(path)
		}
	}
}

// stepSubscript marks indexes and substrings as arithmetic. An index into an
// array with text keys is text, unless arithmetic around it evaluates it again.
func (s *parsed) stepSubscript(pl *place, n *syntax.ParamExp, child syntax.Node) {
	if stepParameter(bare, n, child) != arithmetic {
		return
	}
	if n.Index != nil && child == syntax.Node(n.Index) && n.Param != nil && s.tree.associative[n.Param.Value] && n.Dollar.IsValid() {
		pl.arith = false
		return
	}
	pl.arith = true
}

// textKeys reports whether the array literal with the element at the end of a
// path belongs to an array with text keys.
func (s *parsed) textKeys(path []syntax.Node) bool {
	if len(path) < 3 {
		return false
	}
	a, ok := path[len(path)-3].(*syntax.Assign)
	return ok && a.Name != nil && s.tree.associative[a.Name.Value]
}

func isArithmeticTest(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}
