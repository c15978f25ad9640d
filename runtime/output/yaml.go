package output

import (
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// The limits of YAML that is read: bytes of text, and nodes once aliases are
// followed.
const (
	maxYAML  = 1 << 20
	maxNodes = 100_000
	maxDepth = 200
)

// parseYAML reads a text that is one YAML document.
func parseYAML(text string) (v py.Value, err error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("it is longer than %d bytes", maxYAML)
	}
	defer func() {
		if p := recover(); p != nil { // the library has been seen to panic on bad input
			v, err = nil, fmt.Errorf("it cannot be read: %v", p)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("there is nothing in it")
	}
	r := yamlReader{}
	return r.value(doc.Content[0], 0)
}

// yamlReader turns nodes into values.
type yamlReader struct{ nodes int }

func (r *yamlReader) value(n *yaml.Node, depth int) (py.Value, error) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, errors.New("it is too large or too deep")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		items := make([]py.Value, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		return py.NewList(items...), nil
	case yaml.MappingNode:
		d := py.NewDict()
		return d, r.object(d, n, depth)
	}
	return scalar(n)
}

// object puts the fields of a mapping into d.
func (r *yamlReader) object(d *py.Dict, n *yaml.Node, depth int) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], n.Content[i+1]
		v, err := r.value(at, depth+1)
		if err != nil {
			return err
		}
		if key.ShortTag() == "!!merge" {
			if err := merge(d, v); err != nil {
				return err
			}
			continue
		}
		for key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key must be a text", key.Line)
		}
		if err := d.SetStr(key.Value, v); err != nil {
			return err
		}
	}
	return nil
}

// merge adds the fields of what a merge key has that are not there yet.
func merge(d *py.Dict, v py.Value) error {
	list := []py.Value{v}
	if l, ok := v.(*py.List); ok {
		list = l.Items()
	}
	for _, from := range list {
		fields, ok := from.(*py.Dict)
		if !ok {
			return errors.New("what is merged is no object")
		}
		err := fields.Each(func(key, v py.Value) error {
			if _, there, err := d.Get(key); there || err != nil {
				return err
			}
			return d.Set(key, v)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scalar reads a scalar; one of a type that JSON does not have is its text.
func scalar(n *yaml.Node) (py.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return py.None{}, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, err
		}
		return py.Bool(b), nil
	case "!!int":
		if v, err := py.ParseInt(n.Value, 0); err == nil {
			return v, nil
		}
		var i int64
		if err := n.Decode(&i); err != nil {
			return nil, err
		}
		return py.Int(i), nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, err
		}
		return py.Float(f), nil
	}
	return py.Str(n.Value), nil
}
