package template

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
)

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
	c := copyOf(p)
	for _, e := range own(c) {
		*e = expr.Fold(*e)
	}
	switch c := c.(type) {
	case *If:
		for i := range c.Branches {
			c.Branches[i].Body = foldParts(c.Branches[i].Body)
		}
		c.Else = foldParts(c.Else)
	case *For:
		c.Body, c.Else = foldParts(c.Body), foldParts(c.Else)
	case *Scope:
		c.Body = foldParts(c.Body)
	case *Macro:
		c.Body = foldParts(c.Body)
	}
	return c
}

// copyOf copies a part as far as its own expressions go.
func copyOf(p Part) Part {
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
		c.Target = p.Target.clone()
		return &c
	case *Set:
		c := *p
		c.Target = p.Target.clone()
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

func (t Target) clone() Target {
	t.Items = slices.Clone(t.Items)
	for i := range t.Items {
		t.Items[i] = t.Items[i].clone()
	}
	return t
}
