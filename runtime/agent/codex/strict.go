package codex

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/value"
)

// The service takes schemas only when each object requires all its keys and
// allows no others. A key that may be absent is required then, and may be null;
// the nulls are taken out of the reply again, unless the schema itself allows
// null there. Keywords that the service does not know are left to it.

// shape is how a schema was changed.
type shape struct {
	// schema is what the reply must satisfy in the end; nil when there is none.
	schema json.RawMessage
	// wrapped says that it was put into an object.
	wrapped bool
}

// A node is a schema, or another value in one.
type node = map[string]any

// makeStrict returns a schema as the service takes it.
func makeStrict(schema json.RawMessage) (json.RawMessage, error) {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return json.Marshal(tighten(root))
}

// Keywords whose value is a schema, a list of schemas, and schemas by name.
var (
	ofOne  = []string{"items", "not", "additionalItems", "contains"}
	ofMany = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	byName = []string{"properties", "$defs", "definitions"}
)

func tighten(schema any) any {
	n, ok := schema.(node)
	if !ok {
		return schema
	}
	for _, key := range ofOne {
		if inner, ok := n[key]; ok {
			n[key] = tighten(inner)
		}
	}
	for _, key := range ofMany {
		list, _ := n[key].([]any)
		for i := range list {
			list[i] = tighten(list[i])
		}
	}
	for _, key := range byName {
		named, _ := n[key].(node)
		for name := range named {
			named[name] = tighten(named[name])
		}
	}
	properties, ok := n["properties"].(node)
	if !ok {
		return n
	}
	required := requiredOf(n)
	all := make([]string, 0, len(properties))
	for name := range properties {
		all = append(all, name)
		if !slices.Contains(required, name) {
			properties[name] = orNull(properties[name])
		}
	}
	slices.Sort(all)
	n["required"], n["additionalProperties"] = all, false
	return n
}

func requiredOf(n node) []string {
	var names []string
	list, _ := n["required"].([]any)
	for _, name := range list {
		if text, ok := name.(string); ok {
			names = append(names, text)
		}
	}
	return names
}

// orNull returns a schema that null satisfies too.
func orNull(schema any) any {
	n, ok := schema.(node)
	if !ok || takesNull(n) {
		return schema
	}
	switch kind := n["type"].(type) {
	case string:
		n["type"] = []any{kind, "null"}
	case []any:
		n["type"] = append(slices.Clone(kind), "null")
	default:
		return node{"anyOf": []any{n, node{"type": "null"}}}
	}
	if list, ok := n["enum"].([]any); ok {
		n["enum"] = append(slices.Clone(list), nil)
	}
	if _, ok := n["const"]; ok {
		return node{"anyOf": []any{n, node{"type": "null"}}}
	}
	return n
}

// takesNull reports whether a schema says by itself that null satisfies it.
func takesNull(n node) bool {
	switch kind := n["type"].(type) {
	case string:
		return kind == "null"
	case []any:
		return slices.Contains(kind, any("null"))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := n[key].([]any)
		for _, inner := range list {
			if m, ok := inner.(node); ok && takesNull(m) {
				return true
			}
		}
	}
	return false
}

// restore returns a reply without what the changes of the schema added to it,
// with its keys in the agent's order.
func (s shape) restore(reply json.RawMessage) json.RawMessage {
	var root node
	if len(s.schema) == 0 || json.Unmarshal(s.schema, &root) != nil {
		return reply
	}
	v, err := value.Parse(string(reply))
	if err != nil {
		return reply
	}
	p := pruner{root: root}
	p.write(v, root)
	reply = json.RawMessage(p.out.String())
	if s.wrapped {
		reply = stream.Unwrap(reply)
	}
	return reply
}

// pruner writes a value without the nulls that stand for absent keys.
type pruner struct {
	root node
	out  strings.Builder
}

func (p *pruner) write(v value.Value, schema node) {
	schema = p.resolve(schema)
	switch v := v.(type) {
	case value.Array:
		items, _ := schema["items"].(node)
		p.out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				p.out.WriteByte(',')
			}
			p.write(item, items)
		}
		p.out.WriteByte(']')
	case *value.Object:
		p.object(v, schema)
	default:
		p.out.WriteString(value.JSON(v))
	}
}

func (p *pruner) object(o *value.Object, schema node) {
	properties, _ := schema["properties"].(node)
	required := requiredOf(schema)
	first := true
	p.out.WriteByte('{')
	for _, key := range o.Keys() {
		item, _ := o.Get(key)
		inner, declared := properties[key].(node)
		if _, null := item.(value.Null); null && declared && !slices.Contains(required, key) && !takesNull(p.resolve(inner)) {
			continue
		}
		if !first {
			p.out.WriteByte(',')
		}
		first = false
		p.out.WriteString(value.JSON(value.String(key)) + ":")
		p.write(item, inner)
	}
	p.out.WriteByte('}')
}

// mostReferences bounds how many references are followed from one to the next.
const mostReferences = 20

// resolve follows references to definitions. Of alternatives, the one that is an
// object counts when there is only one.
func (p *pruner) resolve(schema node) node {
	for range mostReferences {
		ref, ok := schema["$ref"].(string)
		if !ok {
			break
		}
		path, local := strings.CutPrefix(ref, "#/")
		if !local {
			return nil
		}
		schema = p.root
		for _, part := range strings.Split(path, "/") {
			schema, _ = schema[part].(node)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		var only node
		for _, inner := range list {
			m, ok := inner.(node)
			if !ok || m["type"] == "null" {
				continue
			}
			if only != nil {
				return schema
			}
			only = m
		}
		if only != nil {
			return only
		}
	}
	return schema
}
