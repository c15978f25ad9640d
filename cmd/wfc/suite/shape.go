package suite

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/types"
)

// A shape is a JSON Schema, decoded.
type shape = map[string]any

// deepest bounds schemas inside schemas.
const deepest = 16

// shapeOf returns the schema of an output: the written one, or that of its type. It is nil
// for plain text.
func shapeOf(schema string, t types.Type) shape {
	var s shape
	if schema != "" && json.Unmarshal([]byte(schema), &s) == nil {
		return s
	}
	return typeShape(t, 0)
}

// spaceless marks the schema of a string without spaces.
const spaceless = "x-word"

// typeShape returns the schema of a type, or nil for text and for unknown values.
func typeShape(t types.Type, depth int) shape {
	if depth > deepest {
		return nil
	}
	switch t := t.(type) {
	case *types.Enum:
		values := make([]any, len(t.Values))
		for i, v := range t.Values {
			values[i] = v
		}
		return shape{"type": "string", "enum": values}
	case *types.List:
		return shape{"type": "array", "items": typeShape(t.Elem, depth+1)}
	case *types.Optional:
		s := typeShape(t.Elem, depth+1)
		if s == nil {
			s = shape{"type": "string"}
		}
		return s
	case *types.Struct:
		properties, required := map[string]any{}, []any{}
		for _, f := range t.Fields {
			properties[f.Name] = typeShape(f.Type, depth+1)
			if f.Required {
				required = append(required, f.Name)
			}
		}
		return shape{"type": "object", "properties": properties, "required": required}
	case types.Basic:
		switch t {
		case types.Int:
			return shape{"type": "integer"}
		case types.Float:
			return shape{"type": "number"}
		case types.Bool:
			return shape{"type": "boolean"}
		case types.Null:
			return shape{"type": "null"}
		case types.Any, types.Invalid:
			return nil
		case types.Word, types.Path:
			return shape{"type": "string", spaceless: true}
		}
		return shape{"type": "string"}
	}
	return nil
}

// isNullable reports whether null is one of the types of a schema.
func isNullable(s shape) bool {
	list, _ := s["type"].([]any)
	return slices.Contains(list, any("null"))
}

// resolveUnion returns the schema to use for a union: its first part.
func resolveUnion(s shape) shape {
	for range deepest {
		next := s
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			if list, _ := s[key].([]any); len(list) > 0 && s["type"] == nil {
				next, _ = list[0].(map[string]any)
			}
		}
		if next == nil || len(next) == len(s) && types.SchemaKind(next) == types.SchemaKind(s) {
			return s
		}
		s = next
	}
	return s
}

// schemaAt returns the schema at a path, or nil.
func schemaAt(s shape, path []string) shape {
	for _, name := range path {
		s = resolveUnion(s)
		if name == element {
			s, _ = s["items"].(map[string]any)
			continue
		}
		properties, _ := s["properties"].(map[string]any)
		s, _ = properties[name].(map[string]any)
	}
	return resolveUnion(s)
}

// isRequired reports whether a value must be present at a path.
func isRequired(s shape, path []string) bool {
	if len(path) == 0 {
		return true
	}
	of := schemaAt(s, path[:len(path)-1])
	last := path[len(path)-1]
	list, _ := of["required"].([]any)
	return last == element || slices.Contains(list, any(last))
}

// sampleSchema returns a value of a schema. label names the value in its strings.
func sampleSchema(s shape, label string, depth int) any {
	s = resolveUnion(s)
	for _, key := range []string{"const", "default"} {
		if v, ok := s[key]; ok {
			return v
		}
	}
	if values, ok := s["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	if depth > deepest {
		return nil
	}
	number := func(key string, otherwise float64) float64 {
		if f, ok := s[key].(float64); ok {
			return f
		}
		return otherwise
	}
	switch types.SchemaKind(s) {
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for name, property := range properties {
			of, _ := property.(map[string]any)
			if of == nil {
				of = shape{"type": "string"}
			}
			object[name] = sampleSchema(of, name+" of "+label, depth+1)
		}
		return object
	case "array":
		items, _ := s["items"].(map[string]any)
		if items == nil {
			items = shape{"type": "string"}
		}
		list := []any{}
		n := int(min(max(number("minItems", 0), min(2, number("maxItems", 2))), 100))
		for i := range n {
			v := sampleSchema(items, label, depth+1)
			if items["enum"] == nil && items["const"] == nil {
				v = numberElement(v, i+1)
			}
			list = append(list, v)
		}
		return list
	case "boolean":
		return true
	case "integer":
		return clampToMaximum(s, math.Ceil(number("minimum", 1)))
	case "number":
		return clampToMaximum(s, number("minimum", 1))
	case "null":
		return nil
	}
	text := label
	if s[spaceless] == true {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '.' || r == '/' }), "-")
	}
	if n := int(number("minLength", 0)); n > len(text) {
		text += strings.Repeat("x", min(n-len(text), 1<<16))
	}
	if n := int(number("maxLength", 0)); n > 0 && n < len(text) {
		text = text[:n]
	}
	return text
}

// clampToMaximum moves a number below the maximum of a schema.
func clampToMaximum(s shape, f float64) float64 {
	if low, ok := s["exclusiveMinimum"].(float64); ok && f <= low {
		f = low + 1
	}
	if high, ok := s["maximum"].(float64); ok && f > high {
		f = high
	}
	return f
}

// numberElement returns the value of an element of a list: strings get its number, so that
// elements differ.
func numberElement(v any, n int) any {
	switch v := v.(type) {
	case string:
		separator := " "
		if !strings.Contains(v, " ") {
			separator = "-"
		}
		return v + separator + string(rune('0'+n%10))
	case map[string]any:
		m := map[string]any{}
		for key, value := range v {
			if text, ok := value.(string); ok && (strings.Contains(text, " of ") || strings.Contains(text, "-of-")) {
				value = numberElement(text, n)
			}
			m[key] = value
		}
		return m
	}
	return v
}

// schemaAllows reports whether a schema has a value at all, as far as its type, enum and bounds
// say.
func schemaAllows(s shape, v any) bool {
	s = resolveUnion(s)
	if len(s) == 0 {
		return true
	}
	if values, ok := s["enum"].([]any); ok {
		return slices.ContainsFunc(values, func(x any) bool { return encodeJSON(x) == encodeJSON(v) })
	}
	if c, ok := s["const"]; ok {
		return encodeJSON(c) == encodeJSON(v)
	}
	if v == nil {
		return isNullable(s) || types.SchemaKind(s) == "null" || types.SchemaKind(s) == ""
	}
	ok := true
	switch types.SchemaKind(s) {
	case "object":
		_, ok = v.(map[string]any)
	case "array":
		_, ok = v.([]any)
	case "boolean":
		_, ok = v.(bool)
	case "string":
		_, ok = v.(string)
	case "integer", "number":
		f, is := v.(float64)
		low, hasLow := s["minimum"].(float64)
		high, hasHigh := s["maximum"].(float64)
		ok = is && (!hasLow || f >= low) && (!hasHigh || f <= high) && (types.SchemaKind(s) == "number" || f == math.Trunc(f))
	}
	return ok
}
