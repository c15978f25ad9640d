package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Types from JSON Schema: the part of draft 7 and 2020-12 that the interfaces of
// language models support. Objects with properties become structs, strings with an
// enum become enums, and a type that may also be null becomes optional. Patterns,
// bounds and unions, which Go types cannot express, loosen the type, in the end to
// Any: the schema itself is kept, and values are validated against it when they
// arrive.
//
// The original engine does not read schemas, and an agent's interface may know
// other keywords, so unknown keywords are not faults. A keyword without a possible
// meaning is a warning, and its type is Any.

// maxSchemaDepth is the maximum depth of schemas, and maxSchemas the maximum number
// of schemas in all: references and aliases can make a small file represent an
// endless schema. The rest is Any.
const (
	maxSchemaDepth = 32
	maxSchemas     = 20_000
)

// FromSchema returns the type that a JSON Schema describes and the schema in
// compact JSON with its keys in file order.
func FromSchema(n *yamlsrc.Node, bag *diag.Bag) (Type, string) {
	r := &schemaReader{root: n, bag: bag}
	return r.readSchema(n, 0), n.JSON()
}

type schemaReader struct {
	root *yamlsrc.Node
	bag  *diag.Bag
	// following are the definitions being read; one met again is Any.
	following []string
	// count is the number of schemas read so far.
	count int
}

func (r *schemaReader) reportBad(n *yamlsrc.Node, format string, args ...any) Type {
	r.bag.Add(codes.BadSchema.New(n.Place(), fmt.Sprintf(format, args...)))
	return Any
}

func (r *schemaReader) readSchema(n *yamlsrc.Node, depth int) Type {
	switch {
	case n.Kind == yamlsrc.Scalar && n.Tag == yamlsrc.TagBool:
		return Any
	case n.Kind != yamlsrc.Mapping:
		return r.reportBad(n, "a schema must be a mapping, `true` or `false`")
	case depth > maxSchemaDepth, r.count >= maxSchemas:
		return Any
	}
	r.count++
	if ref := n.Get("$ref"); ref != nil {
		return r.readReference(ref, depth)
	}
	if fixed := n.Get("const"); fixed != nil {
		return r.fixedValuesType([]*yamlsrc.Node{fixed})
	}
	if list := n.Get("enum"); list != nil {
		return r.readEnum(list)
	}
	names, ok := r.typeNames(n)
	if !ok {
		return Any
	}
	if len(names) == 0 {
		return r.readUntyped(n, depth)
	}
	nullable := slices.Contains(names, "null")
	names = slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "null" })
	if len(names) == 0 {
		return Null
	}
	if slices.Equal(names, []string{"integer", "number"}) || slices.Equal(names, []string{"number", "integer"}) {
		names = []string{"number"}
	}
	if len(names) > 1 {
		// The parts are still read, to report their faults.
		r.readUntyped(n, depth)
		return Any
	}
	return makeOptional(r.readNamed(names[0], n, depth), nullable)
}

func makeOptional(t Type, nullable bool) Type {
	if _, already := t.(*Optional); !nullable || already || t == Any || t == Null {
		return t
	}
	return &Optional{Elem: t}
}

var schemaTypes = []string{"object", "array", "string", "integer", "number", "boolean", "null"}

// typeNames returns the names in a schema's `type`; ok is false when it is
// wrong, which has been reported.
func (r *schemaReader) typeNames(n *yamlsrc.Node) (names []string, ok bool) {
	t := n.Get("type")
	if t == nil {
		return nil, true
	}
	items := []*yamlsrc.Node{t}
	if t.Kind == yamlsrc.Sequence {
		if items = t.Items; len(items) == 0 {
			r.reportBad(t, "`type` must not be empty")
			return nil, false
		}
	}
	ok = true
	for _, item := range items {
		switch {
		case item.Kind == yamlsrc.Scalar && item.Tag == yamlsrc.TagNull:
			r.bag.Add(codes.BadSchema.New(item.Place(), "`null` without quotes is not the name of a type").
				WithSureFix("write \"null\"", item.Place(), "null"))
			names = append(names, "null")
		case !item.IsString():
			r.reportBad(item, "`type` must be a type name or a list of type names")
			ok = false
		case !slices.Contains(schemaTypes, item.Value):
			r.badTypeName(item)
			ok = false
		case !slices.Contains(names, item.Value):
			names = append(names, item.Value)
		}
	}
	return names, ok
}

// foreignTypes are type names of other languages with the one to write.
var foreignTypes = map[string]string{
	"bool": "boolean", "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number",
	"dict": "object", "map": "object", "list": "array", "none": "null", "nil": "null",
}

func (r *schemaReader) badTypeName(item *yamlsrc.Node) {
	d := codes.BadSchema.New(item.Place(), fmt.Sprintf("unknown type `%s`", item.Value))
	near := foreignTypes[strings.ToLower(item.Value)]
	if near == "" {
		near = plain.Nearest(item.Value, schemaTypes)
	}
	if near != "" {
		finding.Meant(d, item.Place(), near, near)
	} else {
		d.WithHelp("use one of `" + strings.Join(schemaTypes, "`, `") + "`")
	}
	r.bag.Add(d)
}

// readNamed reads a schema of one type.
func (r *schemaReader) readNamed(name string, n *yamlsrc.Node, depth int) Type {
	switch name {
	case "string":
		return Text
	case "integer":
		return Int
	case "number":
		return Float
	case "boolean":
		return Bool
	case "array":
		return r.readArray(n, depth)
	}
	return r.readObject(n, depth)
}

func (r *schemaReader) readArray(n *yamlsrc.Node, depth int) Type {
	items := n.Get("items")
	if items == nil || items.Kind == yamlsrc.Sequence {
		return &List{Elem: Any} // a tuple has no Go type
	}
	return &List{Elem: r.readSchema(items, depth+1)}
}

// readUntyped reads a schema without one type; its other keywords may imply a type.
func (r *schemaReader) readUntyped(n *yamlsrc.Node, depth int) Type {
	if n.Get("properties") != nil {
		return r.readObject(n, depth)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if parts := n.Get(key); parts != nil {
			return r.readUnion(key, parts, depth)
		}
	}
	if n.Get("items") != nil {
		r.readArray(n, depth)
	}
	return Any
}

// readUnion reads anyOf and oneOf. One part beside null is that part or null; any
// other union is Any.
func (r *schemaReader) readUnion(key string, parts *yamlsrc.Node, depth int) Type {
	if parts.Kind != yamlsrc.Sequence || len(parts.Items) == 0 {
		return r.reportBad(parts, "`%s` must be a list of schemas", key)
	}
	var rest []Type
	nullable := false
	for _, item := range parts.Items {
		if t := r.readSchema(item, depth+1); t == Null {
			nullable = true
		} else {
			rest = append(rest, t)
		}
	}
	switch {
	case len(rest) == 0:
		return Null
	case len(rest) > 1:
		return Any
	}
	return makeOptional(rest[0], nullable)
}

// readEnum reads a list of values.
func (r *schemaReader) readEnum(list *yamlsrc.Node) Type {
	if list.Kind != yamlsrc.Sequence || len(list.Items) == 0 {
		return r.reportBad(list, "`enum` must be a list of values")
	}
	return r.fixedValuesType(list.Items)
}

// fixedValuesType returns the type of a few fixed values: an enum if all are strings, otherwise
// their common type.
func (r *schemaReader) fixedValuesType(values []*yamlsrc.Node) Type {
	var common Type
	var texts []string
	seen := make(map[string]bool, len(values))
	nullable := false
	for _, v := range values {
		t := valueType(v)
		switch {
		case t == Null:
			nullable = true
			continue
		case common == nil || common == Int && t == Float:
			common = t
		case common == Float && t == Int:
		case common != t:
			common = Any
		}
		if !seen[v.Value] {
			seen[v.Value] = true
			texts = append(texts, v.Value)
		}
	}
	switch common {
	case nil:
		return Null
	case Text:
		common = &Enum{Values: texts}
	}
	return makeOptional(common, nullable)
}

func valueType(v *yamlsrc.Node) Type {
	if v.Kind != yamlsrc.Scalar {
		return Any
	}
	switch v.Tag {
	case yamlsrc.TagInt:
		return Int
	case yamlsrc.TagFloat:
		return Float
	case yamlsrc.TagBool:
		return Bool
	case yamlsrc.TagNull:
		return Null
	}
	return Text
}

// readReference follows `$ref` within the schema: `#`, `#/$defs/x`,
// `#/definitions/x` or any other path.
func (r *schemaReader) readReference(ref *yamlsrc.Node, depth int) Type {
	path, local := strings.CutPrefix(ref.Value, "#")
	if !ref.IsString() || !local {
		return r.reportBad(ref, "a reference must name a definition of this schema, as in `#/$defs/name`")
	}
	if slices.Contains(r.following, path) {
		return Any // a type that holds itself
	}
	target := r.root
	for _, step := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if path == "" || path == "/" {
			break
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if target = target.Get(step); target == nil {
			return r.reportBad(ref, "unknown definition `%s`", ref.Value)
		}
	}
	r.following = append(r.following, path)
	defer func() { r.following = r.following[:len(r.following)-1] }()
	return r.readSchema(target, depth+1)
}

// readObject reads a schema of an object. Without `properties` nothing is known
// of its fields; empty properties are known to be none.
func (r *schemaReader) readObject(n *yamlsrc.Node, depth int) Type {
	list := n.Get("properties")
	if list == nil {
		r.readRequired(n, nil)
		return Any
	}
	if list.Kind != yamlsrc.Mapping {
		return r.reportBad(list, "`properties` must be a mapping of names to schemas")
	}
	s := &Struct{Open: isOpen(n)}
	for _, p := range list.Pairs {
		f := &Field{Name: p.Key.Value, Type: r.readSchema(p.Value, depth+1), Span: p.Key.Span}
		if doc := p.Value.Get("description"); doc.IsString() {
			f.Doc = doc.Value
		}
		s.Fields = append(s.Fields, f)
	}
	r.readRequired(n, s)
	if depth == 0 && len(s.Fields) > 0 && n.Get("required") == nil {
		r.bag.Add(codes.LooseSchema.New(n.Pair("properties").Key.Span, "the schema requires no property: `{}` is a valid reply").
			WithHelp("add `required: [" + strings.Join(s.FieldNames(), ", ") + "]`"))
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

// readRequired reads the list of required properties into the fields of s, which
// is nil for an object without properties.
func (r *schemaReader) readRequired(n *yamlsrc.Node, s *Struct) {
	list := n.Get("required")
	if list == nil {
		return
	}
	if list.Kind != yamlsrc.Sequence {
		r.reportBad(list, "`required` must be a list of property names")
		return
	}
	for _, item := range list.Items {
		switch {
		case !item.IsString():
			r.reportBad(item, "`required` must be a list of property names")
		case s == nil:
		case s.Field(item.Value) != nil:
			s.Field(item.Value).Required = true
		default:
			r.bag.Add(finding.UndeclaredRequired(item.Place(), item.Value, s.FieldNames()))
		}
	}
}

// SchemaKind returns the first type of a JSON Schema that is not null, or "" for a schema that
// has none. Without a `type`, fields make it an object and elements an array.
func SchemaKind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, name := range t {
			if text, ok := name.(string); ok && text != "null" {
				return text
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return ""
}
