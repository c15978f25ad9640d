package shell

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
	"mvdan.cc/sh/v3/syntax"
)

// verifyRewrite reads the rewritten script once more and checks every variable in it: each
// hole must have become one expansion, and each must be where bash neither splits
// nor expands its value any further. The rewriting should guarantee that; if it
// ever does not, the script is refused instead of run.
func (s writer) verifyRewrite(out *Script) {
	if len(out.Bindings) == 0 {
		return
	}
	live := map[string]*spot{}
	want := 0
	for _, p := range s.spots {
		if !p.place.dead {
			want++
		}
	}
	for _, b := range out.Bindings {
		live[b.Name] = s.spotOf(b.Hole)
	}
	file, err := s.parseBash(out.Text)
	if err != nil {
		s.refuseUndecided(s.spotOf(out.Bindings[0].Hole))
		return
	}
	t := s.newTrail()
	defer t.releaseBuffers()
	for _, n := range s.listNodes(file) { // the tree of the script as written has done its work
		t.enterNode(n.node, n.depth)
		want -= s.verifyNode(n.node, t, live)
	}
	if want != 0 {
		s.refuseUndecided(s.spotOf(out.Bindings[0].Hole))
	}
}

// verifyNode counts the variables that a node itself expands, and distrusts
// those that bash would split or expand further.
func (s writer) verifyNode(n syntax.Node, t *trail, live map[string]*spot) (count int) {
	switch n := n.(type) {
	case *syntax.ParamExp:
		if n.Param == nil || live[n.Param.Value] == nil {
			return 0
		}
		if q := t.currentPlace().quoting; q != double && q != heredoc && q != arithmetic {
			s.refuseUndecided(live[n.Param.Value])
		}
		return 1
	case *syntax.SglQuoted:
		// Plain text to bash inside "${x:-'…'}", where it expands.
		if n.Dollar || !strings.Contains(n.Value, "${") {
			return 0
		}
		if q := t.currentPlace().quoting; q != double && q != heredoc {
			return 0
		}
		for name := range live {
			count += strings.Count(n.Value, "${"+name+"}") + strings.Count(n.Value, "${"+name+"//")
		}
	case *syntax.ExtGlob:
		return s.verifyPattern(n.Pattern.Value, live)
	}
	return count
}

// verifyPattern counts the variables in a list of patterns, which the parser
// keeps as raw text, and distrusts those without double quotes.
func (s writer) verifyPattern(raw string, live map[string]*spot) int {
	count := 0
	for at := 0; ; {
		start := strings.Index(raw[at:], "${")
		if start < 0 {
			return count
		}
		at += start + 2
		name := raw[at : at+nameLength(raw[at:])]
		if live[name] == nil {
			continue
		}
		count++
		if q, ok := quoteAt(strings.ReplaceAll(raw[:at-2], "${", "__")); !ok || q != double {
			s.refuseUndecided(live[name])
		}
	}
}

// nameLength is the length of the name that a text begins with.
func nameLength(text string) int {
	n := 0
	for n < len(text) && bind.IsNameByte(text[n]) {
		n++
	}
	return n
}

func (s writer) spotOf(hole int) *spot {
	for _, p := range s.spots {
		if p.index == hole {
			return p
		}
	}
	return nil
}

func (s writer) refuseUndecided(p *spot) {
	s.refuseHole(p, finding.ShellHoleUndecided(s.sourceSpan(p.Start, p.End), p.Label, "at this place"))
}
