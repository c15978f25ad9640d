package xprompt

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

var outputLevel = level{Where: "under `output:`", Name: "`output`", Prefix: "output."}

// A longOutput is an output written with the keys type and schema.
type longOutput struct {
	schema *value
}

var outputFields = []field[longOutput]{
	{Name: "type", Shape: decode.OneOf("json_schema"),
		Doc:  "Says that `schema` is a JSON Schema.",
		Read: func(*decoder, value, *longOutput) {}}, // isLong has read it
	{Name: "schema", Shape: decode.MapOf(decode.Any),
		Doc:  "JSON Schema of the output.",
		Read: func(_ *decoder, v value, o *longOutput) { o.schema = &v }},
}

// isLong reports whether a mapping says {type: json_schema, schema: …}, and hence
// is not a list of fields.
func isLong(n *yamlsrc.Node) bool {
	return n.Pair("schema") != nil && n.Get("type").IsString() && n.Get("type").Value == "json_schema"
}

// readOutput decodes the output of a step or a prompt: fields, a list with the
// fields of each item, or a JSON Schema.
func (d *decoder) readOutput(v value) *ir.OutputSpec {
	spec := &ir.OutputSpec{}
	switch {
	case v.Node.Kind == yamlsrc.Mapping && isLong(v.Node):
		d.readSchema(v, spec)
	case v.Node.Kind == yamlsrc.Mapping:
		if !d.HasPairs(v) {
			return nil
		}
		d.readFields(v, spec, false)
	case v.Node.Kind == yamlsrc.Sequence:
		d.readItems(v, spec)
	default:
		d.WrongKind(v, "a mapping of fields to types, or a list with one")
		return nil
	}
	return spec
}

func (d *decoder) readSchema(v value, spec *ir.OutputSpec) {
	o := &longOutput{}
	decode.Fields(d, outputLevel, v, outputFields, o)
	spec.Type, spec.Schema = types.FromSchema(plainSchema(o.schema.Node), d.Bag)
	switch spec.Type.(type) {
	case *types.Struct, *types.List:
	default:
		spec.Type = types.Any
	}
}

// readItems decodes the fields of each item of a list.
func (d *decoder) readItems(v value, spec *ir.OutputSpec) {
	spec.Type = &types.List{Elem: types.Any}
	if !d.HasItems(v) {
		return
	}
	item := value{Node: v.Node.Items[0], Key: v.Key, Path: v.Path}
	if len(v.Node.Items) > 1 {
		d.Bag.Add(finding.NoEffect(v.Node.Items[1].Place(), v.Path, "only the first entry of the list defines the items"))
	}
	if d.HasPairs(item) {
		d.readFields(item, spec, true)
	}
}

// readFields decodes the fields of an object, or of each item of a list.
func (d *decoder) readFields(v value, spec *ir.OutputSpec, list bool) {
	f := &fieldReader{d: d, list: list}
	t := f.readObject(v, spec)
	spec.Type = t
	if list {
		spec.Type = &types.List{Elem: t}
	}
	if f.nested {
		spec.Schema = schemaOf(spec.Type)
	}
}

// A fieldReader reads the fields of one output.
type fieldReader struct {
	d *decoder
	// list says that the fields are those of a list's items, which must have those
	// without a default. Without list, any field may be absent: output that is not
	// data becomes a text in a separate field.
	list bool
	// nested says that a field is an object or a list, which takes a schema.
	nested bool
}

// readObject reads the fields of a mapping. Defaults go to spec unless it is nil.
func (f *fieldReader) readObject(v value, spec *ir.OutputSpec) *types.Struct {
	s := &types.Struct{Open: true}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		field := f.readField(v.Member(p), spec)
		field.Name, field.Span = p.Key.Value, p.Key.Span
		s.Fields = append(s.Fields, field)
	}
	return s
}

// readField reads the declaration of a field: the name of a type, a mapping with type
// and default, or the fields of an object.
func (f *fieldReader) readField(v value, spec *ir.OutputSpec) *types.Field {
	what := "the field `" + v.Key.Value + "`"
	field := &types.Field{Required: f.list, Type: types.Text}
	switch {
	case v.Node.IsNull():
		return field
	case v.Node.Kind == yamlsrc.Scalar:
		field.Type = f.readNamedType(v, what)
		return field
	case v.Node.Kind == yamlsrc.Sequence:
		f.nested = true
		field.Type = &types.List{Elem: types.Any}
		if len(v.Node.Items) == 1 && v.Node.Items[0].Kind == yamlsrc.Mapping {
			inner := *f
			inner.list = true
			field.Type = &types.List{Elem: inner.readObject(value{Node: v.Node.Items[0], Key: v.Key, Path: v.Path}, nil)}
		}
		return field
	case v.Node.Pair("type") == nil || v.Node.Get("type").Kind != yamlsrc.Scalar:
		f.nested = true
		field.Type = f.readObject(v, nil)
		return field
	}
	field.Type = f.readNamedType(value{Node: v.Node.Get("type"), Key: v.Key, Path: v.Path + ".type"}, what)
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		switch p.Key.Value {
		case "type":
		case "description":
			field.Doc, _ = f.d.Text(value{Node: p.Value, Key: p.Key, Path: v.Path + ".description"})
		case "default":
			f.readFieldDefault(value{Node: p.Value, Key: p.Key, Path: v.Path + ".default"}, field, v.Key.Value, spec)
		default:
			f.d.UnknownKey(v, p.Key, level{Where: "on a field of an output"}, []string{"type", "default", "description"})
		}
	}
	return field
}

func (f *fieldReader) readNamedType(v value, what string) types.Type {
	t, _ := f.d.typeNamed(v, what, true)
	if _, basic := t.(types.Basic); !basic {
		f.nested = true
	}
	return t
}

// readFieldDefault reads a field's default, which the field gets when it is not there.
func (f *fieldReader) readFieldDefault(v value, field *types.Field, name string, spec *ir.OutputSpec) {
	json := "null"
	if v.Node.IsNull() {
		field.Required = false
		if field.Type != types.Invalid {
			field.Type = &types.Optional{Elem: field.Type}
		}
	} else {
		var ok bool
		if json, ok = f.defaultJSON(v.Node, field.Type); !ok {
			f.d.Bag.Add(finding.BadDefault(v.Place(), "the field `"+name+"`", reference.DescribeType(field.Type)))
			return
		}
		field.Required = true
	}
	if spec == nil {
		field.Required = false // no default fills in fields of fields
		return
	}
	spec.Defaults = append(spec.Defaults, ir.FieldDefault{Field: name, JSON: json})
}

func (f *fieldReader) defaultJSON(n *yamlsrc.Node, t types.Type) (string, bool) {
	if _, basic := t.(types.Basic); !basic {
		_, isList := t.(*types.List)
		return n.JSON(), isList == (n.Kind == yamlsrc.Sequence) && n.Kind != yamlsrc.Scalar
	}
	if n.Kind != yamlsrc.Scalar {
		return "", false
	}
	text, err := reference.ConvertText(n.Value, t)
	return reference.LiteralJSON(text, t), err == nil
}
