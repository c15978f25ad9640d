package xprompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// formSchema is the JSON Schema for an agent's answer, "" for none. A field with a
// default is optional.
func formSchema(spec *ir.OutputSpec) string {
	switch {
	case spec == nil || spec.Type == types.Any && spec.Schema == "":
		return ""
	case spec.Schema != "":
		return spec.Schema
	}
	l, isList := spec.Type.(*types.List)
	if !isList {
		return schemaOf(loosenType(spec.Type))
	}
	item, isObject := l.Elem.(*types.Struct)
	if !isObject {
		return schemaOf(l)
	}
	return schemaOf(&types.List{Elem: requireFields(item, func(f *types.Field) bool {
		return f.Required && !slices.ContainsFunc(spec.Defaults, func(d ir.FieldDefault) bool { return d.Field == f.Name })
	})})
}

// schemaOf is the JSON Schema of a type.
func schemaOf(t types.Type) string {
	switch t := t.(type) {
	case *types.Optional:
		return `{"anyOf":[` + schemaOf(t.Elem) + `,{"type":"null"}]}`
	case *types.List:
		return `{"type":"array","items":` + schemaOf(t.Elem) + `}`
	case *types.Struct:
		return objectSchema(t)
	case types.Basic:
		if t != types.Any && t != types.Invalid {
			return `{"type":"` + plainTypeName(t) + `"}`
		}
	}
	return `{}`
}

func objectSchema(t *types.Struct) string {
	var properties, required []string
	for _, f := range t.Fields {
		name := reference.LiteralJSON(f.Name, types.Text)
		properties = append(properties, name+":"+schemaOf(f.Type))
		if f.Required {
			required = append(required, name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		s += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return s + `}`
}

// plainSchema returns a JSON Schema in which types that only this format has, such
// as word and int, are those of JSON Schema. The format takes them wherever a schema
// names a type; nothing else that reads schemas knows them.
func plainSchema(n *yamlsrc.Node) *yamlsrc.Node {
	p := plainer{done: map[*yamlsrc.Node]*yamlsrc.Node{}}
	return p.simplifySchema(n)
}

// A plainer keeps the result for each schema, because anchors can put one schema in
// many places.
type plainer struct {
	done map[*yamlsrc.Node]*yamlsrc.Node
}

// Keywords that hold schemas: one, a list of them, or a mapping of names to them.
var (
	oneSchema = []string{
		"items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties",
	}
	listOfSchemas  = []string{"items", "prefixItems", "allOf", "anyOf", "oneOf"}
	mapOfSchemas   = []string{"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
	plainTypeNames = map[types.Type]string{types.Int: "integer", types.Float: "number", types.Bool: "boolean"}
)

func (p plainer) simplifySchema(n *yamlsrc.Node) *yamlsrc.Node {
	if n.Kind != yamlsrc.Mapping {
		return n
	}
	if c := p.done[n]; c != nil {
		return c
	}
	c := *n
	p.done[n] = &c
	c.Pairs = slices.Clone(n.Pairs)
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		key, v := pair.Key.Value, pair.Value
		switch {
		case key == "type" && v.Kind == yamlsrc.Sequence:
			pair.Value = p.mapItems(v, plainType)
		case key == "type":
			pair.Value = plainType(v)
		case v.Kind == yamlsrc.Sequence && slices.Contains(listOfSchemas, key):
			pair.Value = p.mapItems(v, p.simplifySchema)
		case slices.Contains(oneSchema, key):
			pair.Value = p.simplifySchema(v)
		case v.Kind == yamlsrc.Mapping && slices.Contains(mapOfSchemas, key):
			named := *v
			named.Pairs = slices.Clone(v.Pairs)
			for j := range named.Pairs {
				named.Pairs[j].Value = p.simplifySchema(named.Pairs[j].Value)
			}
			pair.Value = &named
		}
	}
	return &c
}

func (p plainer) mapItems(n *yamlsrc.Node, do func(*yamlsrc.Node) *yamlsrc.Node) *yamlsrc.Node {
	c := *n
	c.Items = make([]*yamlsrc.Node, len(n.Items))
	for i, item := range n.Items {
		c.Items[i] = do(item)
	}
	return &c
}

// plainType returns the name of a type in JSON Schema. Other names stay.
func plainType(n *yamlsrc.Node) *yamlsrc.Node {
	t, known := reference.TypeNamed(n.Value)
	if !n.IsString() || !known {
		return n
	}
	c := *n
	c.Value = plainTypeName(t)
	return &c
}

// plainTypeName is the name of a scalar type in JSON Schema.
func plainTypeName(t types.Type) string { return cmp.Or(plainTypeNames[t], "string") }
