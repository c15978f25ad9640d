package testfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// Document returns a test file as YAML for people: comments, then the tests of a test file in
// JSON, with the keys in its order, and a blank line between two tests.
func Document(comments string, text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	root, err := nodeOf(d)
	if err != nil {
		return nil, fmt.Errorf("write the tests: %w", err)
	}
	var b bytes.Buffer
	b.WriteString(comments)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value != "tests" {
			if err := yaml.NewEncoder(&b).Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}); err != nil {
				return nil, fmt.Errorf("write the tests: %w", err)
			}
			continue
		}
		b.WriteString("tests:\n")
		for n, test := range value.Content {
			if n > 0 {
				b.WriteByte('\n')
			}
			for _, part := range test.Content {
				compactNode(part)
			}
			item, err := (&Object{node: test}).Item()
			if err != nil {
				return nil, err
			}
			b.Write(item)
		}
	}
	return b.Bytes(), nil
}

// nodeOf reads the next JSON value as YAML.
func nodeOf(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return scalarOf(token)
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if delim == '{' {
		n.Kind = yaml.MappingNode
	}
	for d.More() {
		inner, err := nodeOf(d)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, inner)
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return nil, err
	}
	return n, nil
}

func scalarOf(token any) (*yaml.Node, error) {
	switch v := token.(type) {
	case string:
		return stringOf(v), nil
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}, nil
	}
	n := &yaml.Node{}
	return n, n.Encode(token)
}

// exotic are the characters that a block or a plain string cannot show.
const exotic = "\r\t\u0085\u2028\u2029"

// stringOf returns a string as YAML: one of several lines as a block, unless spaces at its
// edges would be lost.
func stringOf(s string) *yaml.Node {
	n := &yaml.Node{}
	if !strings.ContainsAny(s, "\n"+exotic) && n.Encode(s) == nil {
		return n
	}
	n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	if strings.TrimSpace(s[:1]) == "" || strings.ContainsAny(s, exotic) || strings.HasSuffix(s, "\n\n") {
		return n
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); line != strings.TrimRight(line, " ") {
			return n
		}
	}
	n.Style = yaml.LiteralStyle
	return n
}

// oneLine bounds the lists and mappings that are on one line.
const oneLine = 70

// compactNode writes short lists and mappings on one line, and returns the size of a node.
func compactNode(n *yaml.Node) (size int) {
	size = len(n.Value) + 3
	if strings.Contains(n.Value, "\n") {
		size += oneLine
	}
	for _, inner := range n.Content {
		size += compactNode(inner)
	}
	if (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && size < oneLine {
		n.Style = yaml.FlowStyle
	}
	return size
}

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
	removeStyle(doc.Content[0])
	return doc.Content[0]
}

// removeStyle removes the braces, brackets and quotes of JSON that YAML does not need.
func removeStyle(n *yaml.Node) {
	n.Style = 0
	for _, inner := range n.Content {
		removeStyle(inner)
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
