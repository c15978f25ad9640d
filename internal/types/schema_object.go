package types

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// object reads a schema of an object. Without `properties` nothing is known
// of its fields; empty properties are known to be none.
func (r *schemaReader) object(n *yamlsrc.Node, depth int) Type {
	list := n.Get("properties")
	if list == nil {
		r.required(n, nil)
		return Any
	}
	if list.Kind != yamlsrc.Mapping {
		return r.bad(list, "`properties` must be a mapping of names to schemas")
	}
	s := &Struct{Open: isOpen(n)}
	for _, p := range list.Pairs {
		f := &Field{Name: p.Key.Value, Type: r.schema(p.Value, depth+1), Span: p.Key.Span}
		if doc := p.Value.Get("description"); doc.IsString() {
			f.Doc = doc.Value
		}
		s.Fields = append(s.Fields, f)
	}
	r.required(n, s)
	if depth == 0 && len(s.Fields) > 0 && n.Get("required") == nil {
		r.bag.Add(finding.LooseSchema(n.Pair("properties").Key.Span, s.FieldNames()))
	}
	return s
}

// isOpen reports whether an object may hold more than its properties: unless
// additionalProperties is false it may.
func isOpen(n *yamlsrc.Node) bool {
	more := n.Get("additionalProperties")
	return more == nil || more.Kind != yamlsrc.Scalar || more.Tag != yamlsrc.TagBool || !isFalse(more.Value)
}

func isFalse(text string) bool { return slices.Contains([]string{"false", "False", "FALSE"}, text) }

// required reads the list of required properties into the fields of s, which
// is nil for an object without properties.
func (r *schemaReader) required(n *yamlsrc.Node, s *Struct) {
	list := n.Get("required")
	if list == nil {
		return
	}
	if list.Kind != yamlsrc.Sequence {
		r.bad(list, "`required` must be a list of property names")
		return
	}
	for _, item := range list.Items {
		switch {
		case !item.IsString():
			r.bad(item, "`required` must be a list of property names")
		case s == nil:
		case s.Field(item.Value) != nil:
			s.Field(item.Value).Required = true
		default:
			r.bag.Add(finding.UndeclaredRequired(item.Place(), item.Value, s.FieldNames()))
		}
	}
}
