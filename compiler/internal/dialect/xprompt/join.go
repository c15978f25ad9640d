package xprompt

import (
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// outputType is the type of the output of a step's own action: that of its spec,
// and approved if a person reviews it.
func outputType(spec *ir.OutputSpec, review bool) types.Type {
	if spec == nil {
		return types.Any
	}
	s, isObject := spec.Type.(*types.Struct)
	if !review || !isObject || s.Field("approved") != nil {
		return spec.Type
	}
	return withApproved(s)
}

// withApproved is the type of a reviewed object.
func withApproved(t types.Type) types.Type {
	return withField(t, &types.Field{Name: "approved", Type: types.Bool, Required: true, Doc: "whether a reviewer accepted the output"})
}

// withField is the type of an object with a field that replaces any of its name.
func withField(t types.Type, field *types.Field) types.Type {
	s, isObject := t.(*types.Struct)
	if !isObject {
		return t
	}
	with := &types.Struct{Open: s.Open}
	for _, f := range s.Fields {
		if f.Name != field.Name {
			with.Fields = append(with.Fields, f)
		}
	}
	with.Fields = append(with.Fields, field)
	return with
}

// loosened is the type of an object of which any field may be missing.
func loosened(t types.Type) types.Type {
	s, isObject := t.(*types.Struct)
	if !isObject {
		return t
	}
	loose := &types.Struct{Open: s.Open}
	for _, f := range s.Fields {
		c := *f
		c.Required = false
		loose.Fields = append(loose.Fields, &c)
	}
	return loose
}

// joinedItems is the type of the joined outputs of a loop over a list, which may be
// empty.
func joinedItems(body types.Type, mode ir.JoinMode) types.Type {
	switch mode {
	case ir.JoinArray:
		return &types.List{Elem: body}
	case ir.JoinText:
		return types.Text
	case ir.JoinLast:
		return loosened(body)
	}
	if _, isObject := body.(*types.Struct); isObject {
		return loosened(body)
	}
	return types.Any
}

// joinedChildren is the type of the joined outputs of parallel steps.
func joinedChildren(children []*ir.Node, mode ir.JoinMode) types.Type {
	switch mode {
	case ir.JoinText:
		return types.Text
	case ir.JoinArray:
		return &types.List{Elem: common(children)}
	case ir.JoinLast:
		if n := len(children); n > 0 && children[n-1].When == nil {
			return children[n-1].Output
		}
		return types.Any
	}
	s := &types.Struct{}
	for _, c := range children {
		s.Fields = append(s.Fields, &types.Field{Name: c.ID, Type: c.Output, Required: c.When == nil, Span: c.IDSpan})
	}
	return s
}

// common is the type that all nodes' outputs have, or Any.
func common(nodes []*ir.Node) types.Type {
	if len(nodes) == 0 {
		return types.Any
	}
	for _, n := range nodes[1:] {
		if !types.Identical(n.Output, nodes[0].Output) {
			return types.Any
		}
	}
	return nodes[0].Output
}
