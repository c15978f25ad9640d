package xprompt

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// typeNamed reads the name of a type; what describes its owner, such as "the input
// `n`". Fields of outputs also accept the names of JSON Schema, with lists and
// objects.
func (d *decoder) typeNamed(v value, what string, isField bool) (types.Type, bool) {
	text, ok := d.Text(v)
	if !ok {
		return types.Invalid, false
	}
	named, names := reference.TypeNamed, scalar.Names()
	if d.successor && !isField {
		named, names = reference.SuccessorType, reference.SuccessorTypes()
	}
	if t, known := named(text); known {
		return t, true
	}
	if help := reference.InsteadOfType(text); help != "" && !isField {
		d.Bag.Add(finding.UnsupportedType(v.Place(), what, text, help))
		return types.Invalid, false
	}
	means := types.Line
	switch name := strings.ToLower(strings.TrimSpace(text)); {
	case isField && (name == "array" || name == "list"):
		return &types.List{Elem: types.Any}, true
	case isField && (name == "object" || name == "dict"):
		return &types.Struct{Open: true}, true
	case name != "string" && name != "str":
		d.Bag.Add(finding.UnknownType(v.Place(), what, text, "", names))
		return types.Invalid, false
	}
	if isField {
		means = types.Text
	}
	d.Bag.Add(finding.UnknownType(v.Place(), what, text, means.String(), scalar.Names()))
	return means, true
}

// literalOf converts a scalar of the file to a value of a basic type, as given values are
// converted, and returns it in the form of expr.Literal: strings unchanged, numbers and
// booleans as JSON.
func literalOf(n *yamlsrc.Node, t types.Type) (text string, ok bool) {
	if n.Kind != yamlsrc.Scalar {
		if !types.IsText(t) {
			return "", false
		}
		return n.JSON(), true
	}
	text, err := reference.ConvertText(n.Value, t)
	return text, err == nil
}

// outputType is the type of the output of a step's own action.
func (s *stepDecl) outputType() types.Type {
	typ := types.Type(types.Any)
	if s.spec != nil {
		typ = s.spec.Type
	}
	if s.artifact != nil {
		typ = withArtifact(typ)
	}
	return typ
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
	others := slices.DeleteFunc(slices.Clone(s.Fields), func(f *types.Field) bool { return f.Name == field.Name })
	return &types.Struct{Open: s.Open, Fields: append(others, field)}
}

// artifactField is the field of an output with the path of the file that has the
// program's standard output.
const artifactField = "_artifact"

// withArtifact is the type of an output with the path of the step's artifact. Only
// objects have it.
func withArtifact(t types.Type) types.Type {
	return withField(t, &types.Field{Name: artifactField, Type: types.Text, Doc: "path of the file with what the program printed"})
}

// loosenType is the type of an object of which any field may be missing.
func loosenType(t types.Type) types.Type {
	s, isObject := t.(*types.Struct)
	if !isObject {
		return t
	}
	return requireFields(s, func(*types.Field) bool { return false })
}

// requireFields is an object's type in which required decides what fields it must have.
func requireFields(s *types.Struct, required func(*types.Field) bool) *types.Struct {
	out := &types.Struct{Open: s.Open}
	for _, f := range s.Fields {
		c := *f
		c.Required = required(f)
		out.Fields = append(out.Fields, &c)
	}
	return out
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
		return loosenType(body)
	}
	if _, isObject := body.(*types.Struct); isObject {
		return loosenType(body)
	}
	return types.Any
}

// joinedChildren is the type of the joined outputs of parallel steps.
func joinedChildren(children []*ir.Node, mode ir.JoinMode) types.Type {
	switch mode {
	case ir.JoinText:
		return types.Text
	case ir.JoinArray:
		return &types.List{Elem: commonType(children, func(n *ir.Node) types.Type { return n.Output })}
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

// commonType is the type that all of a list have, or Any.
func commonType[T any](list []T, typeOf func(T) types.Type) types.Type {
	if len(list) == 0 {
		return types.Any
	}
	first := typeOf(list[0])
	if slices.ContainsFunc(list[1:], func(one T) bool { return !types.Identical(typeOf(one), first) }) {
		return types.Any
	}
	return first
}
