package program

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// A layout is the pieces of a template, in the order of the text, and the
// statements around them. Statements that only declare (a set, a macro) are not
// part of a program.
type layout struct {
	t      *template.Template
	name   func(hole string) string
	pieces []*piece
	holes  []*template.Hole
	// looped are the holes in bodies that may be repeated.
	looped map[*template.Hole]bool
	// ids are the numbers of the template's parts, literal ones and holes.
	ids   map[template.Part]int
	block []item
}

// A piece is a text or a hole.
type piece struct {
	id   int
	text source.Text
	// hole is the hole's number, or -1.
	hole int
}

// An item is a *piece or a *statement.
type item interface{ isItem() }

// A statement is an if or a for.
type statement struct {
	// choices are its possible contents: a branch, or nothing.
	choices [][]item
	// repeats says that the first of the choices comes more than once.
	repeats bool
	tag     source.Span
}

func (*piece) isItem()     {}
func (*statement) isItem() {}

// newLayout lays a template out. name suggests the names of holes' variables.
func newLayout(t *template.Template, name func(hole string) string) *layout {
	l := &layout{t: t, name: name, looped: map[*template.Hole]bool{}, ids: map[template.Part]int{}}
	l.block = l.buildItems(t.Parts, false)
	return l
}

func (l *layout) buildItems(parts []template.Part, looped bool) []item {
	var list []item
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			if p.Value != "" {
				list = append(list, l.addPiece(p, l.sourceText(p), -1))
			}
		case *template.Hole:
			l.holes = append(l.holes, p)
			l.looped[p] = looped
			list = append(list, l.addPiece(p, l.t.Source.Slice(p.Start, p.End), len(l.holes)-1))
		case *template.Scope:
			list = append(list, l.buildItems(p.Body, looped)...)
		case *template.If:
			s := &statement{tag: l.firstTagSpan(p.Start, p.End)}
			for _, b := range p.Branches {
				s.choices = append(s.choices, l.buildItems(b.Body, looped))
			}
			s.choices = append(s.choices, l.buildItems(p.Else, looped))
			list = append(list, s)
		case *template.For:
			body := l.buildItems(p.Body, true)
			list = append(list, &statement{
				choices: [][]item{body, body, l.buildItems(p.Else, looped)}, repeats: true, tag: l.firstTagSpan(p.Start, p.End),
			})
		}
	}
	return list
}

func (l *layout) addPiece(part template.Part, text source.Text, hole int) *piece {
	p := &piece{id: len(l.pieces), text: text, hole: hole}
	l.pieces = append(l.pieces, p)
	l.ids[part] = p.id
	return p
}

// sourceText returns a text with its place. One that is not written in the template as
// it is begins where the template says, as far as is known.
func (l *layout) sourceText(p *template.Text) source.Text {
	whole := l.t.Source
	if end := p.Start + len(p.Value); p.Start >= 0 && end <= len(whole.Value) && whole.Value[p.Start:end] == p.Value {
		return whole.Slice(p.Start, end)
	}
	return source.CoarseText(p.Value, whole.Whole())
}

// firstTagSpan returns the first tag of a statement.
func (l *layout) firstTagSpan(start, end int) source.Span {
	if n := strings.Index(l.t.Source.Value[start:end], "%}"); n >= 0 {
		end = start + n + len("%}")
	}
	return l.t.Source.Span(start, end)
}

// plainText is the whole text of a template without statements, with its holes.
func (l *layout) plainText() (source.Text, []bind.Hole) {
	holes := make([]bind.Hole, 0, len(l.holes))
	rest, verbatim, at := l.t.Source.Value, true, 0
	for _, p := range l.pieces {
		if p.hole >= 0 {
			holes = append(holes, l.holeAtOffset(p.hole, at))
		}
		at += len(p.text.Value)
		if verbatim {
			rest, verbatim = strings.CutPrefix(rest, p.text.Value)
		}
	}
	if verbatim && rest == "" {
		return l.t.Source, holes
	}
	// Comments and white space that the template leaves out.
	texts := make([]source.Text, len(l.pieces))
	for i, p := range l.pieces {
		texts[i] = p.text
	}
	return source.Join(texts...), holes
}

// holeAtOffset is the hole of a number that is at an offset of a program.
func (l *layout) holeAtOffset(number, start int) bind.Hole {
	h := l.holes[number]
	label := l.writtenLabel(h)
	_, ofRun := h.Expr.(*expr.Var)
	return bind.Hole{Start: start, End: start + len(label), Type: holeType(h.Expr), Name: l.name(label), Label: label, OfRun: ofRun}
}

// writtenLabel is a hole as it is written.
func (l *layout) writtenLabel(h *template.Hole) string { return l.t.Source.Value[h.Start:h.End] }
