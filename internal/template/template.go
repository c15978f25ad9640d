// Package template is the parsed form of strings with holes: prompts, scripts and
// messages, for every syntax of holes.
package template

import (
	"slices"

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
	From []string `fingerprint:"omit"`
}

// A Part is a piece of a template.
type Part interface {
	// Pos is the offset at which the part begins in its template's source.
	Pos() int
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

func (p *Text) Pos() int { return p.Start }

func (p *Hole) Pos() int { return p.Start }

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

// Fold returns the template with its expressions folded; constant holes become
// literal text. t itself is not changed.
func Fold(t *Template) *Template {
	if t == nil {
		return nil
	}
	return &Template{Source: t.Source, Parts: foldParts(t.Parts)}
}

// Folded implements expr.Body.
func (t *Template) Folded() expr.Body { return Fold(t) }

func foldParts(parts []Part) []Part {
	if parts == nil {
		return nil
	}
	folded := make([]Part, 0, len(parts))
	for _, p := range parts {
		folded = append(folded, foldPart(p))
	}
	return folded
}

func foldPart(p Part) Part {
	switch p := p.(type) {
	case *Hole:
		e := expr.Fold(p.Expr)
		if lit, ok := e.(*expr.Literal); ok {
			return &Text{Value: lit.Text, Start: p.Start}
		}
		return &Hole{Expr: e, Start: p.Start, End: p.End}
	case *Text:
		return p
	}
	c := Copy(p)
	for _, e := range ownExprs(c) {
		*e = expr.Fold(*e)
	}
	EachBody(c, func(body *[]Part) { *body = foldParts(*body) })
	return c
}

// Copy copies a part as far as its own expressions go.
func Copy(p Part) Part {
	switch p := p.(type) {
	case *Bound:
		c := *p
		return &c
	case *If:
		c := *p
		c.Branches = slices.Clone(p.Branches)
		return &c
	case *For:
		c := *p
		c.Target = p.Target.deepCopy()
		return &c
	case *Set:
		c := *p
		c.Target = p.Target.deepCopy()
		return &c
	case *Scope:
		c := *p
		return &c
	case *Macro:
		c := *p
		c.Params = slices.Clone(p.Params)
		return &c
	}
	return p
}

func (t Target) deepCopy() Target {
	t.Items = slices.Clone(t.Items)
	for i := range t.Items {
		t.Items[i] = t.Items[i].deepCopy()
	}
	return t
}
