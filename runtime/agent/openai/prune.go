package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/value"
)

// read returns the reply to a prompt with a schema as the JSON that was asked
// for, or nil when there is none in it.
func (f *form) read(text string) json.RawMessage {
	if len(f.original) == 0 {
		return nil
	}
	reply := json.RawMessage(strings.TrimSpace(text))
	if !json.Valid(reply) {
		// Only a service that was not held to JSON says more around it.
		reply = agent.Extract(text)
	}
	if reply == nil {
		return nil
	}
	if f.wrapped {
		reply = unwrap(reply)
	}
	if f.format == strict {
		reply = prune(reply, f.original)
	}
	return reply
}

// unwrap takes the reply out of the object that it was asked in. A server that
// did not hold itself to the schema may have answered without one.
func unwrap(reply json.RawMessage) json.RawMessage {
	var outer map[string]json.RawMessage
	if json.Unmarshal(reply, &outer) != nil || len(outer) != 1 || outer[wrapper] == nil {
		return reply
	}
	return outer[wrapper]
}

// prune leaves out the properties that are null only because strict mode knows
// no optional ones.
func prune(reply, schema json.RawMessage) json.RawMessage {
	v, err := value.Parse(string(reply))
	s, err2 := value.Parse(string(schema))
	root, ok := s.(*value.Object)
	if err != nil || err2 != nil || !ok {
		return reply
	}
	p := &pruner{root: root}
	p.value(v, p.expand(root, 0))
	if !p.dropped {
		return reply
	}
	return json.RawMessage(p.b.String())
}

type pruner struct {
	b       strings.Builder
	root    *value.Object
	dropped bool
}

// value writes a value to which the schemas may apply.
func (p *pruner) value(v value.Value, schemas []*value.Object) {
	switch v := v.(type) {
	case value.Array:
		var items []*value.Object
		for _, s := range schemas {
			if item, ok := s.Get("items"); ok {
				items = append(items, p.expand(item, 0)...)
			}
		}
		p.b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				p.b.WriteByte(',')
			}
			p.value(item, items)
		}
		p.b.WriteByte(']')
	case *value.Object:
		p.object(v, schemas)
	default:
		write(&p.b, v)
	}
}

func (p *pruner) object(o *value.Object, schemas []*value.Object) {
	p.b.WriteByte('{')
	first := true
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		property, optional := p.property(schemas, key)
		if v == value.Value(value.Null{}) && optional && !slices.ContainsFunc(property, allowsNull) {
			p.dropped = true
			continue
		}
		if !first {
			p.b.WriteByte(',')
		}
		first = false
		write(&p.b, value.String(key))
		p.b.WriteByte(':')
		p.value(v, property)
	}
	p.b.WriteByte('}')
}

// property returns the schemas of a property, and whether it may be missing.
func (p *pruner) property(schemas []*value.Object, key string) (list []*value.Object, optional bool) {
	for _, s := range schemas {
		v, _ := s.Get("properties")
		properties, ok := v.(*value.Object)
		if !ok {
			continue
		}
		property, ok := properties.Get(key)
		if !ok {
			continue
		}
		list = append(list, p.expand(property, 0)...)
		optional = optional || !slices.Contains(requiredOf(s), key)
	}
	return list, optional
}

// mostReferences bounds how far references and choices within each other are
// followed.
const mostReferences = 16

// expand returns the schemas that a schema stands for: itself, what it refers
// to, and what it lets choose from.
func (p *pruner) expand(v value.Value, depth int) []*value.Object {
	o, ok := v.(*value.Object)
	if !ok || depth > mostReferences {
		return nil
	}
	if ref, ok := o.Get("$ref"); ok {
		target, _ := ref.(value.String)
		return p.expand(p.resolve(string(target)), depth+1)
	}
	var list []*value.Object
	choice := false
	for _, keyword := range []string{"anyOf", "oneOf"} {
		v, _ := o.Get(keyword)
		parts, _ := v.(value.Array)
		for _, part := range parts {
			choice = true
			list = append(list, p.expand(part, depth+1)...)
		}
	}
	if choice {
		return list
	}
	return []*value.Object{o}
}

// resolve follows a reference that strict mode takes.
func (p *pruner) resolve(ref string) value.Value {
	if ref == "#" {
		return p.root
	}
	path := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
	var at value.Value = p.root
	for _, key := range path {
		o, ok := at.(*value.Object)
		if !ok {
			return nil
		}
		at, _ = o.Get(key)
	}
	return at
}

// allowsNull reports whether a schema by itself takes null.
func allowsNull(o *value.Object) bool {
	if v, ok := o.Get("const"); ok {
		return v == value.Value(value.Null{})
	}
	if v, ok := o.Get("enum"); ok {
		list, _ := v.(value.Array)
		return slices.Contains(list, value.Value(value.Null{}))
	}
	if v, ok := o.Get("type"); ok {
		list, _ := v.(value.Array)
		return v == value.Value(value.String("null")) || slices.Contains(list, value.Value(value.String("null")))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if v, ok := o.Get(keyword); ok {
			list, _ := v.(value.Array)
			return slices.ContainsFunc(list, func(v value.Value) bool {
				part, ok := v.(*value.Object)
				return ok && allowsNull(part)
			})
		}
	}
	_, ref := o.Get("$ref")
	return !ref && typeOf(o) == ""
}

// write writes a value as JSON with its numbers as they were.
func write(b *strings.Builder, v value.Value) {
	switch v := v.(type) {
	case value.Number:
		b.WriteString(string(v))
	case value.String:
		text, _ := json.Marshal(string(v)) // a string always encodes
		b.Write(text)
	case value.Array:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, item)
		}
		b.WriteByte(']')
	case *value.Object:
		b.WriteByte('{')
		for i, key := range v.Keys() {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, value.String(key))
			b.WriteByte(':')
			item, _ := v.Get(key)
			write(b, item)
		}
		b.WriteByte('}')
	case value.Bool:
		if v {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	default:
		b.WriteString("null")
	}
}
