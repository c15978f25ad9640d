package lsp

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A yamlPlace is a place in the YAML of a file.
type yamlPlace struct {
	// steps lead to the innermost value that contains the place, or whose key it is.
	steps []keytable.Step
	// node is that value, and key its key, or nil for an item of a list.
	node, key *yamlsrc.Node
	// onKey says that the place is in the key.
	onKey bool
}

// names returns the path as package symbols has it: * for an item.
func (p *yamlPlace) names() []string {
	list := make([]string, len(p.steps))
	for i, s := range p.steps {
		if list[i] = s.Key; s.Item {
			list[i] = "*"
		}
	}
	return list
}

// yamlAt returns the place of an offset.
func yamlAt(doc *yamlsrc.Document, offset int) *yamlPlace {
	if doc == nil || doc.Root == nil {
		return nil
	}
	p := &yamlPlace{node: doc.Root}
	for p.enter(offset) {
	}
	return p
}

// enter goes on to the value inside the present one that contains an offset. It reports
// false if there is none.
func (p *yamlPlace) enter(offset int) bool {
	if p.onKey || p.node.Alias.IsValid() {
		return false
	}
	for _, item := range p.node.Items {
		if contains(item.Place(), offset) {
			p.node, p.key = item, nil
			p.steps = append(p.steps, keytable.Step{Item: true, Type: typeOf(item)})
			return true
		}
	}
	for i := range p.node.Pairs {
		pair := &p.node.Pairs[i]
		onKey := contains(pair.Key.Span, offset)
		if pair.Merged || !onKey && !contains(pair.Value.Place(), offset) {
			continue
		}
		p.node, p.key, p.onKey = pair.Value, pair.Key, onKey
		p.steps = append(p.steps, keytable.Step{Key: pair.Key.Value, Type: typeOf(pair.Value)})
		return true
	}
	return false
}

// typeOf returns the value of the key `type` of a mapping, or "".
func typeOf(n *yamlsrc.Node) string {
	if t := n.Get("type"); t != nil && t.Kind == yamlsrc.Scalar {
		return t.Value
	}
	return ""
}

// contains reports whether a span contains an offset, its end included.
func contains(s source.Span, offset int) bool { return s.Start <= offset && offset <= s.End }
