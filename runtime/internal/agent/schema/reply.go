package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
)

// Instruct returns a prompt that describes the schema to a model in words. It is
// for models that no service holds to schemas. Without a schema it returns the
// prompt unchanged.
func Instruct(prompt string, schema json.RawMessage) string {
	if len(schema) == 0 {
		return prompt
	}
	return prompt + "\n\nAnswer with a single JSON value and nothing else: no words around it, no code fence. It must satisfy this JSON Schema:\n" + string(schema)
}

// mostStarts bounds the places in a text that are tried as the beginning of an
// object.
const mostStarts = 200

// Extract finds the JSON in an agent's answer: the first fenced block that is
// JSON, else the whole text, else the first object in it. It returns nil when
// there is none.
func Extract(text string) json.RawMessage {
	for _, block := range fencedJSONBlocks(text) {
		if json.Valid([]byte(block)) {
			return json.RawMessage(strings.TrimSpace(block))
		}
	}
	if whole := strings.TrimSpace(text); json.Valid([]byte(whole)) {
		return json.RawMessage(whole)
	}
	rest := text
	for range mostStarts {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			return nil
		}
		rest = rest[start:]
		var object json.RawMessage
		if json.NewDecoder(strings.NewReader(rest)).Decode(&object) == nil {
			return object
		}
		rest = rest[1:]
	}
	return nil
}

// fencedJSONBlocks returns the contents of the fenced blocks that have no language or are
// said to be JSON.
func fencedJSONBlocks(text string) []string {
	const fence = "```"
	var blocks, block []string
	in, wanted := false, false
	for line := range strings.Lines(text) {
		mark, isFence := strings.CutPrefix(strings.TrimSpace(line), fence)
		switch {
		case isFence && !in:
			in, wanted = true, mark == "" || strings.EqualFold(mark, "json")
		case isFence && mark == "":
			if wanted {
				blocks = append(blocks, strings.Join(block, ""))
			}
			in, block = false, nil
		case in:
			block = append(block, line)
		}
	}
	return blocks
}

// Read returns the JSON in a model's reply, as the original schema describes it,
// or nil if there is none.
func (f *Form) Read(text string) json.RawMessage {
	reply := json.RawMessage(strings.TrimSpace(text))
	if !json.Valid(reply) {
		reply = Extract(text) // a service that enforces nothing adds words
	}
	return f.Restore(reply)
}

// Restore undoes in a reply what Narrow did to the schema: it takes the reply out
// of the wrapper, and removes nulls in the place of absent properties.
func (f *Form) Restore(reply json.RawMessage) json.RawMessage {
	if f.profile == nil || reply == nil {
		return reply
	}
	if f.wrapped {
		var outer map[string]json.RawMessage
		// A service that enforces nothing may answer without the wrapper.
		if json.Unmarshal(reply, &outer) == nil && len(outer) == 1 && outer[f.profile.wrapper] != nil {
			reply = outer[f.profile.wrapper]
		}
	}
	if !f.profile.allRequired || f.root == nil {
		return reply
	}
	v, err := jsonvalue.Parse(string(reply))
	if err != nil {
		return reply
	}
	p := &pruner{root: f.root, byType: f.profile.nullByType}
	if text := p.prune(v, p.applicableSchemas(f.root, 0)); p.dropped {
		return json.RawMessage(text)
	}
	return reply
}

// A pruner removes properties that are null only because the profile knows no
// optional ones.
type pruner struct {
	root    *jsonvalue.Object
	byType  bool
	dropped bool
}

// prune returns a value to which the schemas may apply, as JSON.
func (p *pruner) prune(v jsonvalue.Value, schemas []*jsonvalue.Object) string {
	switch v := v.(type) {
	case jsonvalue.Array:
		var items []*jsonvalue.Object
		for _, s := range schemas {
			item, _ := s.Get("items")
			items = append(items, p.applicableSchemas(item, 0)...)
		}
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = p.prune(item, items)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *jsonvalue.Object:
		var out members
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			property, optional := p.propertySchemas(schemas, key)
			if item == jsonvalue.Value(jsonvalue.Null{}) && optional &&
				!slices.ContainsFunc(property, func(s *jsonvalue.Object) bool { return allowsNull(s, p.byType) }) {
				p.dropped = true
				continue
			}
			out.addMember(key, p.prune(item, property))
		}
		return out.String()
	}
	return encodeJSON(v)
}

// propertySchemas returns the schemas of a property, and whether it is optional.
func (p *pruner) propertySchemas(schemas []*jsonvalue.Object, key string) (list []*jsonvalue.Object, optional bool) {
	for _, s := range schemas {
		properties, _ := propertiesOf(s)
		if properties == nil || !hasKeyword(properties, key) {
			continue
		}
		property, _ := properties.Get(key)
		list = append(list, p.applicableSchemas(property, 0)...)
		optional = optional || !slices.Contains(requiredOf(s), key)
	}
	return list, optional
}

// mostReferences bounds how deep references and choices are followed.
const mostReferences = 16

// applicableSchemas returns the schemas that may apply in the place of one: itself, the
// target of its reference, or its alternatives.
func (p *pruner) applicableSchemas(v jsonvalue.Value, depth int) []*jsonvalue.Object {
	o, ok := v.(*jsonvalue.Object)
	if !ok || depth > mostReferences {
		return nil
	}
	if ref, ok := o.Get("$ref"); ok {
		target, _ := ref.(jsonvalue.String)
		return p.applicableSchemas(p.resolveReference(string(target)), depth+1)
	}
	if !hasKeyword(o, "anyOf") && !hasKeyword(o, "oneOf") {
		return []*jsonvalue.Object{o}
	}
	var list []*jsonvalue.Object
	for _, keyword := range []string{"anyOf", "oneOf"} {
		v, _ := o.Get(keyword)
		parts, _ := v.(jsonvalue.Array)
		for _, part := range parts {
			list = append(list, p.applicableSchemas(part, depth+1)...)
		}
	}
	return list
}

// resolveReference follows a reference within the schema.
func (p *pruner) resolveReference(ref string) jsonvalue.Value {
	var at jsonvalue.Value = p.root
	if ref == "#" {
		return at
	}
	for key := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		o, ok := at.(*jsonvalue.Object)
		if !ok {
			return nil
		}
		at, _ = o.Get(key)
	}
	return at
}
