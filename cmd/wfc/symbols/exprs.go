package symbols

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// addExpression adds the references that an expression itself is; those of its operands come
// separately.
func (b *builder) addExpression(in *ir.Node, e expr.Expr) {
	r := Reference{At: e.Span(), Role: Reads, Type: e.Type(), In: in}
	switch e := e.(type) {
	case *expr.Output:
		r.Symbol, r.Presence = b.mentionedNode(e.Node, e.Span()), e.Presence
		b.addReference(r)
	case *expr.StepValue:
		r.Symbol, r.Presence = b.mentionedNode(e.Node, e.Span()), e.Presence
		b.addReference(r)
	case *expr.Approved:
		r.Symbol = b.mentionedNode(e.Node, e.Span())
		b.addReference(r)
	case *expr.Field:
		b.addFieldPath(r, e)
	case *expr.Input:
		r.Symbol = b.inputs[e.Name]
		b.addReference(r)
	case *expr.State:
		r.Symbol = b.state[e.Name]
		b.addReference(r)
	case *expr.LastLabel:
		// A guard mentions the label alone; the node is that of the edge.
		r.Symbol, r.Role = b.nodes[e.Node], Names
		if r.Symbol != nil {
			if _, ok := locateName(e.At, r.Symbol.Name); ok {
				b.addReference(r)
			}
		}
	case *expr.Compare:
		b.addComparedLabels(in, e)
	case *expr.Local:
		r.Symbol = b.localSymbol(e.Of)
		b.addReference(r)
	case *expr.Attr:
		b.addAttribute(r, e)
	case *expr.Filter:
		r.Symbol, r.Name = b.externalSymbol(Filter, e.Name), e.NameSpan
		b.addReference(r)
	case *expr.Test:
		r.Symbol, r.Name = b.externalSymbol(Test, e.Name), e.NameSpan
		b.addReference(r)
	case *expr.Var:
		b.addVariable(r, e.Var.String())
	case *expr.Progress:
		b.addVariable(r, e.Measure.String())
	}
}

// addVariable adds a reference to a value of the run, by the words of the reference.
func (b *builder) addVariable(r Reference, name string) {
	r.Symbol = b.externalSymbol(Variable, name)
	r.Name = r.At
	b.addReference(r)
}

// addFieldPath adds a reference to a field of an output: one to the node, and one to each field of
// the path.
func (b *builder) addFieldPath(r Reference, e *expr.Field) {
	node := b.nodes[e.Node]
	if node == nil {
		return
	}
	whole := r
	whole.Symbol, whole.Type, whole.Presence = b.mentionedNode(e.Node, e.At), node.Type, e.Presence&^expr.MaybeAbsent
	at := e.At.Start
	if name, ok := locateName(e.At, whole.Symbol.Name); ok {
		whole.Name, at = name, name.End
	}
	b.addReference(whole)
	t := node.Node.Output
	for _, name := range e.Path {
		f := FieldOf(t, name)
		if f == nil {
			return
		}
		part := r
		part.Symbol, part.Type, part.Presence = b.fieldSymbol(node, f), f.Type, e.Presence
		if part.Symbol == nil {
			return
		}
		if place, ok := locateNameAfter(e.At, at, name); ok {
			part.Name, at = place, place.End
		}
		b.addReference(part)
		t = f.Type
	}
}

// mentionedNode returns the node that a reference at a place mentions. One to a node of an
// included file mentions the include, if it is in the file that includes.
func (b *builder) mentionedNode(id string, at source.Span) *Symbol {
	s := b.nodes[id]
	if s == nil || !at.IsValid() {
		return s
	}
	for n := s.Node; n.IDSpan.File != at.File; {
		if n = n.Include; n == nil {
			return s
		}
		if outer := b.nodes[n.ID]; outer != nil && n.IDSpan.File == at.File {
			return outer
		}
	}
	return s
}

// FieldOf returns the field of a type, or nil.
func FieldOf(t types.Type, name string) *types.Field {
	if t, ok := types.WithoutNull(t).(*types.Struct); ok {
		return t.Field(name)
	}
	return nil
}

// addAttribute adds a reference to a field of a value.
func (b *builder) addAttribute(r Reference, e *expr.Attr) {
	f := FieldOf(e.X.Type(), e.Name)
	if f == nil {
		return
	}
	r.Symbol, r.Name, r.Presence = b.fieldSymbol(nil, f), e.NameSpan, e.Presence
	if r.Symbol == nil {
		return
	}
	r.Name, _ = locateName(e.NameSpan, e.Name)
	b.addReference(r)
}

// addComparedLabels adds the labels that a comparison with the last label of a node mentions.
func (b *builder) addComparedLabels(in *ir.Node, e *expr.Compare) {
	for _, pair := range [][2]expr.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		last, ok := pair[0].(*expr.LastLabel)
		literal, known := pair[1].(*expr.Literal)
		if !ok || !known || literal.At == (source.Span{}) {
			continue
		}
		node := b.nodes[last.Node]
		if node != nil && node.Node.Label(literal.Text) != nil {
			b.addReference(Reference{Symbol: b.labelSymbol(node.Node, literal.Text), At: literal.At, Role: Reads, Type: types.Text, In: in})
		}
	}
}
