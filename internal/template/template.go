// Package template is the parsed form of texts with holes: prompts, scripts and
// messages, whatever the syntax of the holes.
package template

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
)

// A Template is a text with holes.
type Template struct {
	// Source is the text as written, holes included; Hole spans are offsets
	// into it.
	Source source.Text
	Parts  []Part
	// From are the names of the files that parts of it come from, besides the one of
	// Source, for messages.
	From []string
}

// A Part is a piece of a template.
type Part interface {
	isPart()
}

// Text is literal text.
type Text struct {
	Value string
	// Start is its offset in the template's source.
	Start int
}

// Hole is a place where a value is inserted, once: inserted text is never
// scanned again.
type Hole struct {
	Expr expr.Expr
	// Start and End are the offsets of the hole in the template's source.
	Start, End int
}

func (*Text) isPart() {}
func (*Hole) isPart() {}

// Literal returns a template without holes.
func Literal(t source.Text) *Template {
	return &Template{Source: t, Parts: []Part{&Text{Value: t.Value}}}
}

// Holes returns the template's holes in order, those inside statements too.
func (t *Template) Holes() []*Hole {
	if t == nil {
		return nil
	}
	var holes []*Hole
	WalkParts(t.Parts, func(p Part) bool {
		if h, ok := p.(*Hole); ok {
			holes = append(holes, h)
		}
		return true
	})
	return holes
}

// Span returns where a hole is in the file.
func (t *Template) Span(h *Hole) source.Span { return t.Source.Span(h.Start, h.End) }

// Constant returns the template's text when it has neither holes nor statements.
func (t *Template) Constant() (string, bool) {
	text := ""
	for _, p := range t.Parts {
		lit, ok := p.(*Text)
		if !ok {
			return "", false
		}
		text += lit.Value
	}
	return text, true
}
