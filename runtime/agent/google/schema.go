package google

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// known are the keywords of JSON Schema that the service knows; whoever asked
// checks the reply by the others.
var known = []string{"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
	"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering"}

// Keywords that hold a schema, a list of them, or schemas by name.
var (
	oneSchema    = []string{"items", "additionalProperties"}
	someSchemas  = []string{"prefixItems", "anyOf", "oneOf"}
	namedSchemas = []string{"$defs", "properties"}
)

// simplified returns a schema in the words that the service knows. It is made of
// Go's maps, as the SDK wants it; the order in which the properties are to be
// answered, which maps lose, is said apart.
func simplified(schema json.RawMessage) any {
	v, err := value.Parse(string(schema))
	if err != nil {
		return map[string]any{}
	}
	return simplify(v)
}

func simplify(v value.Value) any {
	o, ok := v.(*value.Object)
	if !ok {
		return plain(v) // true and false are schemas too
	}
	if ref, ok := o.Get("$ref"); ok {
		return map[string]any{"$ref": reference(ref)}
	}
	m := map[string]any{}
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		switch {
		case key == "definitions":
			m["$defs"] = named(v)
		case key == "const":
			m["enum"] = []any{plain(v)}
		case slices.Contains(oneSchema, key):
			m[key] = simplify(v)
		case slices.Contains(someSchemas, key):
			m[key] = several(v)
		case slices.Contains(namedSchemas, key):
			m[key] = named(v)
			if p, ok := v.(*value.Object); ok && key == "properties" && len(p.Keys()) > 1 {
				m["propertyOrdering"] = p.Keys()
			}
		case slices.Contains(known, key):
			m[key] = plain(v)
		}
	}
	return m
}

// reference returns a reference by the newer name of definitions.
func reference(v value.Value) any {
	text, ok := v.(value.String)
	if !ok {
		return plain(v)
	}
	if name, old := strings.CutPrefix(string(text), "#/definitions/"); old {
		return "#/$defs/" + name
	}
	return string(text)
}

func several(v value.Value) any {
	list, ok := v.(value.Array)
	if !ok {
		return plain(v)
	}
	all := make([]any, 0, len(list))
	for _, part := range list {
		all = append(all, simplify(part))
	}
	return all
}

func named(v value.Value) any {
	o, ok := v.(*value.Object)
	if !ok {
		return plain(v)
	}
	all := map[string]any{}
	for _, name := range o.Keys() {
		part, _ := o.Get(name)
		all[name] = simplify(part)
	}
	return all
}

// plain returns a value in Go's own types.
func plain(v value.Value) any {
	switch v := v.(type) {
	case value.Bool:
		return bool(v)
	case value.Number:
		return json.Number(v)
	case value.String:
		return string(v)
	case value.Array:
		all := make([]any, 0, len(v))
		for _, item := range v {
			all = append(all, plain(item))
		}
		return all
	case *value.Object:
		all := map[string]any{}
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			all[key] = plain(item)
		}
		return all
	}
	return nil
}
