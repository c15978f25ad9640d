package template

import "github.com/wfc-lang/wfc/compiler/expr"

// Fold returns the template with the inputs of the given names replaced by
// constant texts; holes that become constant become literal text. t itself is
// not changed.
func Fold(t *Template, inputs map[string]string) *Template {
	if t == nil {
		return nil
	}
	folded := &Template{Source: t.Source, Parts: make([]Part, 0, len(t.Parts))}
	for _, p := range t.Parts {
		folded.Parts = append(folded.Parts, foldPart(p, inputs))
	}
	return folded
}

func foldPart(p Part, inputs map[string]string) Part {
	h, ok := p.(*Hole)
	if !ok {
		return p
	}
	e := expr.Fold(h.Expr, inputs)
	if lit, ok := e.(*expr.Literal); ok {
		return &Text{Value: lit.Text, Start: h.Start}
	}
	return &Hole{Expr: e, Start: h.Start, End: h.End}
}
