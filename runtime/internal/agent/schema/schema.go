// Package schema brings the JSON Schema of a prompt to a model, and the model's
// reply back.
//
// No service accepts all of JSON Schema for structured replies, and each accepts
// a different part. A [Profile] describes the part of one service. [Profile.Narrow]
// rewrites a schema into that part: it keeps, renames or drops keywords, and it
// turns limits that the service does not know into words. The caller checks the
// reply against the original schema, so a dropped limit still holds.
//
//	form, ok := schema.OpenAI.Narrow(prompt.Schema)
//	if !ok {
//		// The profile cannot express the schema: ask in words (Instruct).
//	}
//	// send form.Schema, receive text
//	reply := form.Read(text)
//
// Services that require an object get any other schema as the only property of
// one. Services without optional properties get them as required properties
// that may be null. [Form.Read] undoes both.
package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
)

// A Form is a schema as one service receives it. The zero Form is that of a
// prompt without a schema.
type Form struct {
	// Schema is the narrowed schema. Its objects keep the order of their
	// properties, unless the profile sorts them.
	Schema json.RawMessage
	// Lost reports whether a limit became words, so that the service does not
	// enforce it.
	Lost bool

	profile *Profile
	// root is the original schema; nil if it is not an object.
	root    *jsonvalue.Object
	wrapped bool
}

// Wrapped reports whether the service gets the schema as the property of an
// object.
func (f *Form) Wrapped() bool { return f.wrapped }

// Narrow rewrites a schema for the service. It reports false if the profile
// cannot express the schema.
func (p *Profile) Narrow(text json.RawMessage) (*Form, bool) {
	v, err := jsonvalue.Parse(string(text))
	if err != nil {
		return nil, false
	}
	f := &Form{Schema: text, profile: p}
	var ok bool
	if f.root, ok = v.(*jsonvalue.Object); !ok {
		return f, p.lenient
	}
	root := f.root
	if p.wrapper != "" {
		if f.wrapped, root = p.ensureObjectRoot(root); root == nil {
			return nil, false
		}
		if root != f.root {
			f.Schema = json.RawMessage(encodeJSON(root))
		}
	} else if _, has := root.Get("properties"); p.objectOnly && !has {
		return nil, false
	}
	if p.rules == nil {
		return f, true
	}
	n := narrower{Profile: p, root: root, wrapped: f.wrapped, following: map[string]bool{}, followed: map[string]bool{}}
	f.Schema, f.Lost = json.RawMessage(n.narrowSchema(root, atRoot)), n.lost
	if p.sorted {
		f.Schema = sortKeys(f.Schema)
	}
	return f, !n.refused
}

// ensureObjectRoot returns a schema whose root is an object, and whether that object wraps
// the schema. It returns nil if the schema cannot be wrapped.
func (p *Profile) ensureObjectRoot(root *jsonvalue.Object) (wrapped bool, object *jsonvalue.Object) {
	declared, hasType := root.Get("type")
	_, hasProperties := root.Get("properties")
	choice := p.plainRoot && (hasKeyword(root, "anyOf") || hasKeyword(root, "oneOf"))
	switch {
	case !choice && declared == jsonvalue.Value(jsonvalue.String("object")):
		return false, root
	case !choice && !hasType && hasProperties && p.hint:
		return false, root
	case !choice && !hasType && hasProperties:
		var out members
		out.addMember("type", `"object"`)
		out.copyFrom(root, nil)
		return false, out.parseObject()
	case p.hint && strings.Contains(encodeJSON(root), `"$ref"`):
		return false, nil // the references would lead nowhere
	}
	var inner, properties, out members
	inner.copyFrom(root, func(key string) bool { return key != "$defs" && key != "definitions" && key != "$schema" })
	properties.addMember(p.wrapper, inner.String())
	out.addMember("type", `"object"`)
	out.addMember("properties", properties.String())
	out.addMember("required", encodeJSON(jsonvalue.Array{jsonvalue.String(p.wrapper)}))
	if p.closed {
		out.addMember("additionalProperties", "false")
	}
	out.copyFrom(root, func(key string) bool { return key == "$defs" || key == "definitions" })
	return true, out.parseObject()
}

// sortKeys returns a JSON value with the keys of its objects in order of their
// names.
func sortKeys(text json.RawMessage) json.RawMessage {
	var tree any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return text
	}
	again, err := json.Marshal(tree)
	if err != nil {
		return text
	}
	return again
}

func hasKeyword(o *jsonvalue.Object, key string) bool {
	_, ok := o.Get(key)
	return ok
}

// typeOf returns the only type that a schema allows, or "". Properties and items
// imply one.
func typeOf(o *jsonvalue.Object) string {
	if t, ok := o.Get("type"); ok {
		s, _ := t.(jsonvalue.String)
		return string(s)
	}
	switch {
	case hasKeyword(o, "properties"):
		return "object"
	case hasKeyword(o, "items"):
		return "array"
	}
	return ""
}

// propertiesOf returns the properties that a schema declares, and whether it
// declares any. They are nil if they are not an object.
func propertiesOf(o *jsonvalue.Object) (properties *jsonvalue.Object, ok bool) {
	v, ok := o.Get("properties")
	properties, _ = v.(*jsonvalue.Object)
	return properties, ok
}

func requiredOf(o *jsonvalue.Object) []string {
	v, _ := o.Get("required")
	list, _ := v.(jsonvalue.Array)
	var names []string
	for _, name := range list {
		if s, ok := name.(jsonvalue.String); ok {
			names = append(names, string(s))
		}
	}
	return names
}

// allowsNull reports whether a schema by itself accepts null. byType ignores
// `const` and `enum`, and rejects null where the schema names no type.
func allowsNull(o *jsonvalue.Object, byType bool) bool {
	null := jsonvalue.Value(jsonvalue.Null{})
	if v, ok := o.Get("const"); ok && !byType {
		return v == null
	}
	if v, ok := o.Get("enum"); ok && !byType {
		list, _ := v.(jsonvalue.Array)
		return slices.Contains(list, null)
	}
	if v, ok := o.Get("type"); ok {
		list, _ := v.(jsonvalue.Array)
		name := jsonvalue.Value(jsonvalue.String("null"))
		return v == name || slices.Contains(list, name)
	}
	choice := false
	for _, keyword := range []string{"anyOf", "oneOf"} {
		v, ok := o.Get(keyword)
		list, _ := v.(jsonvalue.Array)
		choice = choice || ok
		if slices.ContainsFunc(list, func(v jsonvalue.Value) bool {
			part, ok := v.(*jsonvalue.Object)
			return ok && allowsNull(part, byType)
		}) {
			return true
		}
	}
	return !byType && !choice && !hasKeyword(o, "$ref") && typeOf(o) == ""
}
