package shell

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
	"mvdan.cc/sh/v3/syntax"
)

// A script holds others: the text of `bash -c`, of eval and trap, a here-document
// that a shell reads. They are analysed like the script, in the same flow: a variable
// has the same name in all. An expansion in such a text is like a hole of it. No guard
// can be put there, so that arithmetic on a value is refused.

// maxInner bounds how many programs deep the analysis goes.
const maxInner = 4

// newInner adds the program in the words of a line, which spaces join, to the flow. It
// returns nil for words that aren't a program.
func (f *flow) newInner(l *line, words []word) *script {
	if len(words) == 0 || l.in.depth >= maxInner || !f.root.isLossy {
		return nil
	}
	text := &innerText{}
	for i, w := range words {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.addParts(w.in, w.Parts)
	}
	if strings.TrimSpace(text.String()) == "" {
		return nil
	}
	r := NewRewriter(Options{Programs: f.root.options.Programs, Variables: f.root.options.Variables})
	s := newScript(r, source.PlainText(text.String()), text.holes)
	s.outer, s.flow, s.depth = words[0].in, f, l.in.depth+1
	s.start, _ = nodeOffsets(words[0].Word)
	around := s.outer.sourceSpan(s.start, endOf(words[len(words)-1].Word))
	s.around = &around
	for i, p := range s.spots {
		p.part, p.partOf = text.parts[i], text.in[i]
	}
	if !s.parseMasked() || !s.findPlaces() {
		return nil
	}
	s.found = nil
	s.given = l.inputs
	if s.scope = l.in.scopeAt(int(l.words[0].Pos().Offset())); !l.sameShell {
		s.scope = "#" + strconv.Itoa(len(f.inner))
		f.addCall(s.scope, l.args[min(1, len(l.args)):], nil)
		if l.interpreter != shellInterpreter { // the first may be a user
			f.addCall(s.scope, l.args[min(2, len(l.args)):], nil)
		}
		if len(l.args) > 0 {
			f.gainPiece("0", l.args[0].asPiece(), copied)
		}
	}
	f.inner = append(f.inner, s)
	f.collectScript(s)
	return s
}

// innerText puts the text of an inner program together.
type innerText struct {
	strings.Builder
	holes []bind.Hole
	parts []syntax.WordPart
	in    []*script
}

func (t *innerText) addParts(s *script, parts []syntax.WordPart) {
	for _, part := range parts {
		if q, ok := part.(*syntax.DblQuoted); ok {
			for _, inner := range q.Parts {
				t.addPart(s, inner, "$`\"\\\n")
			}
			continue
		}
		t.addPart(s, part, "")
	}
}

func (t *innerText) addPart(s *script, part syntax.WordPart, special string) {
	value, quotes := "", 0
	switch part := part.(type) {
	case *syntax.Lit:
		value = removeBackslashes(part.Value, special)
	case *syntax.SglQuoted:
		value, quotes = part.Value, 1
	default:
		if text, ok := s.fixedText(part); ok {
			t.WriteString(text)
		} else {
			t.addValue(s, part)
		}
		return
	}
	start, end := nodeOffsets(part)
	if !s.containsHole(part) {
		t.WriteString(value)
	} else if holes := s.holesIn(start+quotes, end-quotes); value == s.masked[start+quotes:end-quotes] && len(holes) > 0 {
		t.addLiteral(s, start+quotes, end-quotes, holes)
	} else {
		t.addValue(s, part)
	}
}

// addLiteral adds the literal text from start to end, with the holes in it.
func (t *innerText) addLiteral(s *script, start, end int, holes []*spot) {
	for _, p := range holes {
		t.WriteString(s.masked[start:p.Start])
		t.addValue(s, &syntax.Lit{ValuePos: syntax.NewPos(uint(p.Start), 0, 0), ValueEnd: syntax.NewPos(uint(p.End), 0, 0)})
		start = p.End
	}
	t.WriteString(s.masked[start:end])
}

func (t *innerText) addValue(s *script, part syntax.WordPart) {
	start := t.Len()
	t.WriteString("VALUE")
	t.holes = append(t.holes, bind.Hole{Start: start, End: t.Len(), Name: "value", Label: "value", Type: types.Text})
	t.parts, t.in = append(t.parts, part), append(t.in, s)
}

// fixedText returns the text of a variable with one assignment.
func (s *script) fixedText(part syntax.WordPart) (text string, ok bool) {
	if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && isPlain(p) && p.Index == nil && !s.containsHole(p) {
		v := s.flow.ensureVariable(s.variableName(p.Param.Value, int(p.Pos().Offset())))
		if !v.others && len(v.literals) == 1 {
			return v.literals[0], true
		}
	}
	return "", false
}

// outermostScript returns the outermost script around a program.
func (s *script) outermostScript() *script {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// rootOffset returns where the outermost script has an offset.
func (s *script) rootOffset(at int) int {
	for ; s.outer != nil; s = s.outer {
		at = s.start
	}
	return at
}
