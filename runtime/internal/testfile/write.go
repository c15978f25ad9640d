package testfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// InOrder returns a JSON value for YAML, with its keys in order.
func InOrder(value json.RawMessage) any {
	var doc yaml.Node // JSON is YAML
	var v, again any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	if yaml.Unmarshal(value, &doc) != nil || doc.Decode(&again) != nil {
		return v
	}
	was, err := json.Marshal(v)
	is, err2 := json.Marshal(again)
	if err != nil || err2 != nil || !bytes.Equal(was, is) {
		return v
	}
	unstyled(doc.Content[0])
	return doc.Content[0]
}

// unstyled removes the braces, brackets and quotes of JSON that YAML does not need.
func unstyled(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		unstyled(inner)
	}
}

// An Object is a mapping of YAML with its keys in order.
type Object struct {
	node *yaml.Node
	err  error
}

// NewObject returns an object with keys and strings.
func NewObject(pairs ...string) *Object {
	o := &Object{node: &yaml.Node{Kind: yaml.MappingNode}}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.Add(pairs[i], pairs[i+1])
	}
	return o
}

// Add adds a key with a value.
func (o *Object) Add(key string, value any) {
	var k, v yaml.Node
	err := k.Encode(key)
	if err == nil {
		err = v.Encode(value)
	}
	o.err = errors.Join(o.err, err)
	o.node.Content = append(o.node.Content, &k, &v)
}

// With adds a key with a value and returns the object.
func (o *Object) With(key string, value any) *Object {
	o.Add(key, value)
	return o
}

// MarshalYAML implements yaml.Marshaler.
func (o *Object) MarshalYAML() (any, error) { return o.node, o.err }

// AddObject adds a key with an object, unless that is empty.
func (o *Object) AddObject(key string, m *Object) {
	o.err = errors.Join(o.err, m.err)
	if len(m.node.Content) > 0 {
		var k yaml.Node
		o.err = errors.Join(o.err, k.Encode(key))
		o.node.Content = append(o.node.Content, &k, m.node)
	}
}

// Item returns the object as an item of the list of a test file, indented by two spaces.
func (o *Object) Item() ([]byte, error) {
	if o.err != nil {
		return nil, fmt.Errorf("write the test: %w", o.err)
	}
	var b, indented bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{o.node}}); err != nil {
		return nil, fmt.Errorf("write the test: %w", err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.TrimSpace(line) != "" {
			indented.WriteString("  ")
		}
		indented.WriteString(line)
	}
	return indented.Bytes(), nil
}
