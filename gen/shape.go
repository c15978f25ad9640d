package gen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// The shape of a step's output is written once, as a struct with tags. The spec by
// which package output converts and checks what a program prints, and the JSON
// Schema that an agent is asked to hold to, are made of that struct when the program
// starts; see output.Of. What a struct cannot say, such as the keywords of a JSON
// Schema of the workflow's own, is a schema in the code, and the struct is a view of it.

// findShape finds the struct that a node's spec can be made of.
func (g *declarer) findShape(n *node) {
	if n.Spec == nil || n.spec == "" {
		return
	}
	of, list := itemType(n.Output)
	want, wantList := itemType(n.Spec.Type)
	object, ok := of.(*types.Struct)
	if !ok || list != wantList {
		return
	}
	declared, ok := want.(*types.Struct)
	d := g.types.structs[object]
	if !ok || d == nil || d.shaped || len(d.fields) != len(object.Fields) {
		return
	}
	shapes := make([]fieldShape, len(d.fields))
	own := slices.Clone(declared.Fields)
	own = slices.DeleteFunc(own, func(f *types.Field) bool { return n.addedField(f) != "" })
	for i, field := range d.fields {
		f := field.field
		if shapes[i].added = n.addedField(f); shapes[i].added != "" {
			continue
		}
		if len(own) == 0 || own[0].Name != f.Name || own[0].Required != f.Required || !types.Identical(own[0].Type, f.Type) {
			return
		}
		own = own[1:]
		if b, basic := f.Type.(types.Basic); basic && (b == types.Word || b == types.Line || b == types.Path) {
			shapes[i].is = b.String()
		} else if o, null := f.Type.(*types.Optional); null && (o.Elem == types.Word || o.Elem == types.Line || o.Elem == types.Path) {
			shapes[i].is = o.Elem.String()
		}
		for _, value := range n.Spec.Defaults {
			if value.Field == f.Name {
				shapes[i].byDefault = value.JSON
			}
		}
	}
	if len(own) > 0 || n.Spec.Schema != "" && g.shapeSchema(d, shapes, list, false) != n.Spec.Schema {
		return
	}
	for i := range d.fields {
		d.fields[i].shape = shapes[i]
	}
	d.shaped = true
	n.shape, n.asked = d, n.Schema != "" && g.shapeSchema(d, shapes, list, true) == n.Schema
}

// shapeSchema is the JSON Schema that package output makes of a shape.
func (g *declarer) shapeSchema(d *structType, shapes []fieldShape, list, asked bool) string {
	s := g.objectSchema(d, shapes, asked)
	if list {
		return `{"type":"array","items":` + s + `}`
	}
	return s
}

func (g *declarer) objectSchema(d *structType, shapes []fieldShape, asked bool) string {
	var properties, required []string
	for i, f := range d.fields {
		shape := f.shape
		if shapes != nil {
			shape = shapes[i]
		}
		if shape.added != "" {
			continue
		}
		t, o := f.field.Type, (*types.Optional)(nil)
		if o, _ = t.(*types.Optional); o != nil {
			t = o.Elem
		}
		schema := g.typeSchema(t, asked)
		if o != nil && !hasNil(o.Elem) && (f.field.Required || shape.byDefault == "null") {
			schema = `{"anyOf":[` + schema + `,{"type":"null"}]}`
		}
		name := strconv.Quote(f.json)
		properties = append(properties, name+":"+schema)
		if f.field.Required && !(asked && shape.byDefault != "") {
			required = append(required, name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + `}`
}

func (g *declarer) typeSchema(t types.Type, asked bool) string {
	switch t := t.(type) {
	case *types.List:
		return `{"type":"array","items":` + g.typeSchema(t.Elem, asked) + `}`
	case *types.Struct:
		if d := g.types.structs[t]; d != nil {
			return g.objectSchema(d, nil, asked)
		}
	case *types.Optional:
		return g.typeSchema(t.Elem, asked)
	case types.Basic:
		switch {
		case types.IsText(t):
			return `{"type":"string"}`
		case t == types.Int:
			return `{"type":"integer"}`
		case t == types.Float:
			return `{"type":"number"}`
		case t == types.Bool:
			return `{"type":"boolean"}`
		}
	case *types.Enum:
		return `{"type":"string"}`
	}
	return `{}`
}
