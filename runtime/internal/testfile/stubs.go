package testfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Stubs are the outputs of nodes and the verdict of a fixture of archon: a file
// NAME.stubs.yaml in a folder `fixtures` beside workflows.
type Stubs struct {
	// Nodes are the outputs by node. The key is the node's id; that of a node inside a
	// group or an include may lack the part that names the outer node.
	Nodes Entries[string]
	// Exec runs programs that have no stub, in a copy of the repository.
	Exec bool
	// Status is the expected status of the run.
	Status Name
	// Failing are the exact nodes that fail, and Reached nodes that complete.
	Failing, Reached []Name
	// Resolved has a part of the prompt, script or question of nodes.
	Resolved Entries[string]
	// Ignored are keys of the mapping `fixture` without a meaning.
	Ignored []Name
}

// Kinds of top-level keys that are not stubs.
const (
	metadataKey = "fixture"
	execKey     = "exec-code"
)

// stubStatuses are the statuses that a fixture can expect.
var stubStatuses = []string{string(flow.Completed), string(flow.Failed), string(flow.Paused), string(flow.Cancelled)}

// ParseStubs reads a fixture. The test is not valid if there are faults.
func ParseStubs(text []byte) (*Test, []Fault) {
	d := &decoder{}
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); err != nil {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil, []Fault{{Place{1, 1}, "the fixture is empty; write {} for one without stubs"}}
		}
		return nil, []Fault{syntaxFault(err)}
	}
	root := resolveAlias(doc.Content[0])
	t := &Test{Place: placeOf(root), Stubs: &Stubs{Status: Name{placeOf(root), string(flow.Completed)}}}
	if root.Kind != yaml.MappingNode {
		d.addFault(root, "a fixture must be a mapping of nodes to outputs, not %s", kindOf(root))
		return nil, d.faults
	}
	for key, value := range d.mappingPairs(root) {
		switch value = resolveAlias(value); {
		case key.Value == metadataKey:
			d.decodeMetadata(value, t)
		case key.Value == execKey:
			if value.Tag != "!!bool" {
				d.addFault(value, "`%s` must be true or false", execKey)
				continue
			}
			t.Stubs.Exec = d.decodeBool(value, "`"+execKey+"`")
		default:
			t.Stubs.Nodes = append(t.Stubs.Nodes, Entry[string]{placeOf(key), key.Value, d.decodeStub(value, key.Value)})
		}
	}
	return t, d.faults
}

// decodeStub decodes the output of a node: a string, or a mapping or list whose JSON it is.
func (d *decoder) decodeStub(n *yaml.Node, key string) string {
	switch {
	case n.Kind == yaml.MappingNode, n.Kind == yaml.SequenceNode:
		return string(d.encodeJSON(n))
	case isString(n):
		return n.Value
	}
	d.addFault(n, "the stub of `%s` must be a string, a mapping or a list, not %s", key, kindOf(n))
	return ""
}

// isString reports whether a scalar is a string for archon, to which a date is one.
func isString(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.Tag == "!!str" || n.Tag == "!!timestamp")
}

// decodeString decodes a value that must be a string, not a number.
func (d *decoder) decodeString(n *yaml.Node, what string) string {
	if n = resolveAlias(n); !isString(n) {
		d.addFault(n, "%s must be a string, not %s", what, kindOf(n))
		return ""
	}
	return n.Value
}

// decodeMetadata decodes the mapping `fixture`.
func (d *decoder) decodeMetadata(n *yaml.Node, t *Test) {
	if n.Kind != yaml.MappingNode {
		d.addFault(n, "`%s` must be a mapping, not %s", metadataKey, kindOf(n))
		return
	}
	s, failing := t.Stubs, false
	for key, value := range d.mappingPairs(n) {
		value = resolveAlias(value)
		switch what := "`" + key.Value + "`"; key.Value {
		case "expect":
			s.Status = Name{placeOf(value), d.decodeString(value, what)}
			if !slices.Contains(stubStatuses, s.Status.Name) {
				d.addFault(value, "unknown outcome `%s`%s", s.Status.Name, plain.Instead(s.Status.Name, stubStatuses))
			}
		case "fail-node":
			s.Failing, failing = d.decodeStrings(value, what), true
			if len(s.Failing) == 0 {
				d.addFault(value, "`fail-node` needs a node")
			}
		case "reached":
			s.Reached = d.decodeStrings(value, what)
		case "inputs":
			for _, e := range decodeEntries(d, value, what, func(n *yaml.Node) string { return d.decodeString(n, "an input") }) {
				text, err := json.Marshal(e.Value)
				if err != nil {
					panic(fmt.Sprintf("encode a string: %v", err))
				}
				t.Inputs = append(t.Inputs, Entry[json.RawMessage]{e.Place, e.Key, text})
			}
		case "resolved-text-contains":
			s.Resolved = decodeEntries(d, value, what, func(n *yaml.Node) string { return d.decodeString(n, "a part of a string") })
		default:
			s.Ignored = append(s.Ignored, Name{placeOf(key), key.Value})
		}
	}
	if fails := s.Status.Name == string(flow.Failed); fails != failing {
		if fails {
			d.addFault(n, "`expect: failed` needs `fail-node`")
		} else {
			d.addFault(n, "`fail-node` needs `expect: failed`")
		}
	}
}

func (d *decoder) decodeStrings(n *yaml.Node, what string) []Name {
	return decodeList(n, func(n *yaml.Node) Name { return Name{placeOf(resolveAlias(n)), d.decodeString(n, what)} })
}
