package schema

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/value"
)

// bodyKeywords say of which form a value is. Strict mode knows one form a
// schema.
var bodyKeywords = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "oneOf"}

// strictBody adds the type of a schema for strict mode, and returns the keyword
// to narrow after it.
func strictBody(o *value.Object, out *members) (follow string, ok bool) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if v, ok := o.Get(keyword); ok {
			return keyword, aloneIn(o, v)
		}
	}
	if v, ok := o.Get("const"); ok {
		return "", strictEnum(o, value.Array{v}, out)
	}
	if v, ok := o.Get("enum"); ok {
		list, ok := v.(value.Array)
		return "", ok && strictEnum(o, list, out)
	}
	t := typeOf(o)
	switch t {
	case "object":
		return strictObject(o, out)
	case "array":
		out.add("type", write(value.String(t)))
		return "items", has(o, "items")
	case "":
		v, _ := o.Get("type")
		list, ok := v.(value.Array)
		out.add("type", write(list))
		return "", ok && len(list) > 0 && !slices.Contains(list, value.Value(value.String("object"))) && !slices.Contains(list, value.Value(value.String("array")))
	}
	out.add("type", write(value.String(t)))
	return "", true
}

// aloneIn reports whether a choice says everything about a value. oneOf becomes
// anyOf: the caller checks the reply.
func aloneIn(o *value.Object, choice value.Value) bool {
	for _, keyword := range []string{"type", "properties", "items", "enum", "const", "required"} {
		if has(o, keyword) {
			return false
		}
	}
	list, ok := choice.(value.Array)
	return ok && len(list) > 0 && !(has(o, "anyOf") && has(o, "oneOf"))
}

// strictEnum adds a list of values with their types.
func strictEnum(o *value.Object, list value.Array, out *members) bool {
	var types value.Array
	for _, v := range list {
		var t value.Value
		switch v.(type) {
		case value.String:
			t = value.String("string")
		case value.Number:
			t = value.String("number")
		case value.Bool:
			t = value.String("boolean")
		case value.Null:
			t = value.String("null")
		default:
			return false
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	switch {
	case len(types) == 0:
		return false
	case len(types) > 1:
		out.add("type", write(types))
	case types[0] == value.Value(value.String("number")) && typeOf(o) == "integer":
		out.add("type", `"integer"`)
	default:
		out.add("type", write(types[0]))
	}
	out.add("enum", write(list))
	return true
}

// strictObject adds the type of an object, which must be closed already or leave
// open whether it is.
func strictObject(o *value.Object, out *members) (follow string, ok bool) {
	properties, _ := propertiesOf(o)
	extra, said := o.Get("additionalProperties")
	if said && extra != value.Value(value.Bool(false)) || properties == nil && !said {
		return "", false
	}
	out.add("type", `"object"`)
	if properties == nil {
		out.add("properties", "{}")
		out.add("required", "[]")
		out.add("additionalProperties", "false")
		return "", len(requiredOf(o)) == 0
	}
	return "properties", !slices.ContainsFunc(requiredOf(o), func(name string) bool { return !has(properties, name) })
}
