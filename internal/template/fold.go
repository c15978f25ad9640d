package template

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
)

// Fold returns the template with the inputs of the given names replaced by
// constant texts; holes that become constant become literal text. t itself is
// not changed.
func Fold(t *Template, inputs map[string]string) *Template {
	if t == nil {
		return nil
	}
	return &Template{Source: t.Source, Parts: foldParts(t.Parts, inputs)}
}

// Folded implements expr.Body.
func (t *Template) Folded(inputs map[string]string) expr.Body { return Fold(t, inputs) }

func foldParts(parts []Part, inputs map[string]string) []Part {
	if parts == nil {
		return nil
	}
	folded := make([]Part, 0, len(parts))
	for _, p := range parts {
		folded = append(folded, foldPart(p, inputs))
	}
	return folded
}

func foldPart(p Part, inputs map[string]string) Part {
	switch p := p.(type) {
	case *Hole:
		e := expr.Fold(p.Expr, inputs)
		if lit, ok := e.(*expr.Literal); ok {
			return &Text{Value: lit.Text, Start: p.Start}
		}
		return &Hole{Expr: e, Start: p.Start, End: p.End}
	case *Text:
		return p
	}
	c := copyOf(p)
	for _, e := range own(c) {
		*e = expr.Fold(*e, inputs)
	}
	switch c := c.(type) {
	case *If:
		for i := range c.Branches {
			c.Branches[i].Body = foldParts(c.Branches[i].Body, inputs)
		}
		c.Else = foldParts(c.Else, inputs)
	case *For:
		c.Body, c.Else = foldParts(c.Body, inputs), foldParts(c.Else, inputs)
	case *Scope:
		c.Body = foldParts(c.Body, inputs)
	case *Macro:
		c.Body = foldParts(c.Body, inputs)
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
