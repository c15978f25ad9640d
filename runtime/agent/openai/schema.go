package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// In strict mode the service cannot but answer by the schema, and takes only a
// part of JSON Schema for it: every object is closed, every property required,
// and the whole is an object. The schemas of workflows are seldom so. They are
// translated where that loses nothing:
//
//   - An object that leaves open whether it has further properties is closed.
//   - An optional property becomes a required one that may be null, and a null
//     that the schema itself does not allow is taken out of the reply (prune.go).
//   - Another value than an object becomes the only property of one.
//   - Limits that strict mode does not know are left out. Whoever asked checks
//     the reply by the whole schema.
//
// What says more than that (values of any type, maps, conditions) is given to
// the service as it is, as a hint.

// wrapper is the property that holds a reply that is no object.
const wrapper = "answer"

// A form is how a reply is asked for and read.
type form struct {
	format format
	// schema is what the service is given; nil in words, or without a schema.
	schema json.RawMessage
	// original is the schema of the prompt, or nil.
	original json.RawMessage
	wrapped  bool
}

// shape returns the surest form for a schema that is no surer than at.
func shape(schema json.RawMessage, at format) form {
	if len(schema) == 0 {
		return form{}
	}
	f := form{format: at, original: schema}
	tree, err := value.Parse(string(schema))
	root, ok := tree.(*value.Object)
	if err != nil || !ok {
		f.format = words
		return f
	}
	whole := isObject(root)
	if f.format == strict {
		if f.schema = translate(root, !whole); f.schema != nil {
			f.wrapped = !whole
			return f
		}
		f.format = loose
	}
	switch {
	case f.format == loose && whole:
		f.schema = schema
	case f.format == loose && !strings.Contains(string(schema), `"$ref"`):
		f.wrapped = true
		f.schema = json.RawMessage(`{"type":"object","properties":{"` + wrapper + `":` + string(schema) + `},"required":["` + wrapper + `"]}`)
	case f.format <= object && !whole:
		f.format = words
	}
	return f
}

// isObject reports whether a schema says of the whole that it is an object, as
// the service wants it.
func isObject(o *value.Object) bool {
	_, choice := o.Get("anyOf")
	_, one := o.Get("oneOf")
	return typeOf(o) == "object" && !choice && !one
}

// typeOf returns the one type that a schema allows, or "".
func typeOf(o *value.Object) string {
	if t, ok := o.Get("type"); ok {
		s, _ := t.(value.String)
		return string(s)
	}
	if _, ok := o.Get("properties"); ok {
		return "object"
	}
	if _, ok := o.Get("items"); ok {
		return "array"
	}
	return ""
}

// translate returns the schema for strict mode, or nil when it says more.
func translate(root *value.Object, wrap bool) json.RawMessage {
	w := &strictWriter{wrapped: wrap}
	if wrap {
		w.text(`{"type":"object","properties":{"` + wrapper + `":`)
	}
	if !w.schema(root, !wrap) {
		return nil
	}
	if wrap {
		w.text(`},"required":["` + wrapper + `"],"additionalProperties":false`)
		if !w.definitions(root) {
			return nil
		}
		w.text(`}`)
	}
	return json.RawMessage(w.b.String())
}

// strictWriter writes schemas for strict mode.
type strictWriter struct {
	b       strings.Builder
	wrapped bool
}

func (w *strictWriter) text(s string) { w.b.WriteString(s) }

// inexpressible are the keywords that strict mode has nothing for and that are
// too much to be left out.
var inexpressible = []string{"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"patternProperties", "propertyNames", "contains", "prefixItems", "additionalItems", "unevaluatedProperties", "unevaluatedItems",
	"$dynamicRef", "$recursiveRef", "$anchor"}

// kept are the keywords that mean the same in strict mode.
var kept = []string{"title", "description", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minItems", "maxItems"}

// formats are the formats that strict mode knows.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// schema writes a schema; it reports false when that cannot be done.
func (w *strictWriter) schema(v value.Value, root bool) bool {
	o, ok := v.(*value.Object)
	if !ok || slices.ContainsFunc(o.Keys(), func(k string) bool { return slices.Contains(inexpressible, k) }) {
		return false
	}
	if ref, ok := o.Get("$ref"); ok {
		return w.reference(o, ref)
	}
	w.text(`{`)
	if !w.body(o) {
		return false
	}
	for _, key := range kept {
		if v, ok := o.Get(key); ok {
			w.text(`,"` + key + `":`)
			write(&w.b, v)
		}
	}
	if f, ok := o.Get("format"); ok {
		if s, _ := f.(value.String); slices.Contains(formats, string(s)) {
			w.text(`,"format":"` + string(s) + `"`)
		}
	}
	if root && !w.definitions(o) {
		return false
	}
	w.text(`}`)
	return true
}

// reference writes a reference to a definition. Nothing may stand beside it but
// words.
func (w *strictWriter) reference(o *value.Object, ref value.Value) bool {
	for _, key := range o.Keys() {
		if key != "$ref" && key != "title" && key != "description" && key != "$defs" && key != "definitions" {
			return false
		}
	}
	target, _ := ref.(value.String)
	name, defined := strings.CutPrefix(string(target), "#/$defs/")
	if !defined {
		name, defined = strings.CutPrefix(string(target), "#/definitions/")
	}
	if !defined && (target != "#" || w.wrapped) || strings.Contains(name, "/") {
		return false
	}
	to := "#"
	if defined {
		to = "#/$defs/" + name
	}
	w.text(`{"$ref":`)
	write(&w.b, value.String(to))
	w.text(`}`)
	return true
}

// definitions writes those of the root.
func (w *strictWriter) definitions(root *value.Object) bool {
	first := true
	for _, keyword := range []string{"$defs", "definitions"} {
		v, _ := root.Get(keyword)
		list, ok := v.(*value.Object)
		if !ok {
			continue
		}
		for _, name := range list.Keys() {
			w.text(map[bool]string{true: `,"$defs":{`, false: `,`}[first])
			first = false
			write(&w.b, value.String(name))
			w.text(`:`)
			if d, _ := list.Get(name); !w.schema(d, false) {
				return false
			}
		}
	}
	if !first {
		w.text(`}`)
	}
	return true
}

// body writes what the schema says of types.
func (w *strictWriter) body(o *value.Object) bool {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if v, ok := o.Get(keyword); ok {
			return w.choice(o, v)
		}
	}
	if v, ok := o.Get("const"); ok {
		return w.enum(o, value.Array{v})
	}
	if v, ok := o.Get("enum"); ok {
		list, ok := v.(value.Array)
		return ok && w.enum(o, list)
	}
	switch t := typeOf(o); t {
	case "object":
		return w.object(o)
	case "array":
		return w.array(o)
	case "":
		return w.types(o)
	default:
		w.text(`"type":`)
		write(&w.b, value.String(t))
		return true
	}
}

// types writes a list of types, of which each says everything by itself.
func (w *strictWriter) types(o *value.Object) bool {
	v, _ := o.Get("type")
	list, ok := v.(value.Array)
	if !ok || len(list) == 0 || slices.Contains(list, value.Value(value.String("object"))) || slices.Contains(list, value.Value(value.String("array"))) {
		return false
	}
	w.text(`"type":`)
	write(&w.b, list)
	return true
}

// choice writes the schemas of which one holds. That more than one may hold is
// no fault of oneOf here: the reply is checked.
func (w *strictWriter) choice(o *value.Object, v value.Value) bool {
	list, ok := v.(value.Array)
	for _, beside := range []string{"type", "properties", "items", "enum", "const", "required"} {
		if _, more := o.Get(beside); more {
			return false
		}
	}
	_, anyOf := o.Get("anyOf")
	_, oneOf := o.Get("oneOf")
	if !ok || len(list) == 0 || anyOf && oneOf {
		return false
	}
	w.text(`"anyOf":[`)
	for i, part := range list {
		if i > 0 {
			w.text(`,`)
		}
		if !w.schema(part, false) {
			return false
		}
	}
	w.text(`]`)
	return true
}

// enum writes a list of values, with their type.
func (w *strictWriter) enum(o *value.Object, list value.Array) bool {
	var types []string
	for _, v := range list {
		t := ""
		switch v.(type) {
		case value.String:
			t = "string"
		case value.Number:
			t = "number"
		case value.Bool:
			t = "boolean"
		case value.Null:
			t = "null"
		default:
			return false
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		return false
	}
	w.text(`"type":`)
	if declared := typeOf(o); len(types) == 1 && types[0] == "number" && declared == "integer" {
		types[0] = declared
	}
	if len(types) == 1 {
		write(&w.b, value.String(types[0]))
	} else {
		w.text(`["` + strings.Join(types, `","`) + `"]`)
	}
	w.text(`,"enum":`)
	write(&w.b, list)
	return true
}

func (w *strictWriter) array(o *value.Object) bool {
	items, ok := o.Get("items")
	w.text(`"type":"array","items":`)
	return ok && w.schema(items, false)
}

func (w *strictWriter) object(o *value.Object) bool {
	v, _ := o.Get("properties")
	properties, _ := v.(*value.Object)
	extra, said := o.Get("additionalProperties")
	if said && extra != value.Value(value.Bool(false)) || properties == nil && !said {
		return false
	}
	var names []string
	if properties != nil {
		names = properties.Keys()
	}
	required := requiredOf(o)
	if slices.ContainsFunc(required, func(k string) bool { return !slices.Contains(names, k) }) {
		return false
	}
	w.text(`"type":"object","properties":{`)
	for i, name := range names {
		if i > 0 {
			w.text(`,`)
		}
		write(&w.b, value.String(name))
		w.text(`:`)
		property, _ := properties.Get(name)
		if !w.property(property, slices.Contains(required, name)) {
			return false
		}
	}
	all := value.Array{}
	for _, name := range names {
		all = append(all, value.String(name))
	}
	w.text(`},"required":`)
	write(&w.b, all)
	w.text(`,"additionalProperties":false`)
	return true
}

func (w *strictWriter) property(v value.Value, required bool) bool {
	o, ok := v.(*value.Object)
	if required || ok && allowsNull(o) {
		return w.schema(v, false)
	}
	w.text(`{"anyOf":[`)
	if !w.schema(v, false) {
		return false
	}
	w.text(`,{"type":"null"}]}`)
	return true
}

func requiredOf(o *value.Object) []string {
	v, _ := o.Get("required")
	list, _ := v.(value.Array)
	var names []string
	for _, name := range list {
		if s, ok := name.(value.String); ok {
			names = append(names, string(s))
		}
	}
	return names
}
