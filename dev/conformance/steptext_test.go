package conformance

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// A stepText is a step as its file has it.
type stepText struct {
	name, text, join string
	// conditions are where its conditions and the lists of its loop stand.
	conditions []source.Span
	// falsy says that its condition is a YAML value that is false, and
	// childCondition that a step of the parallel has a condition.
	falsy, childCondition bool

	node *yamlsrc.Node
	keys map[source.Span]string // of conditions
}

// stepTexts are the steps of a file.
func stepTexts(yaml string) (list []stepText) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yml", []byte(yaml)), &bag)
	if doc == nil || doc.Root == nil {
		return nil
	}
	steps := doc.Root.Get("steps")
	if steps == nil {
		return nil
	}
	for _, n := range steps.Items {
		t := stepText{text: n.Span.Text(), node: n, keys: map[source.Span]string{}}
		if name := n.Get("name"); name != nil {
			t.name = name.Value
		}
		if join := n.Get("join"); join != nil {
			t.join = join.Value
		}
		for _, key := range []string{"if", "while", "repeat", "for"} {
			if p := n.Pair(key); p != nil {
				t.conditions = append(t.conditions, p.Value.Span)
				t.keys[p.Value.Span] = key
			}
		}
		if cond := n.Get("if"); cond != nil {
			t.falsy = cond.Kind != yamlsrc.Scalar || cond.Tag != yamlsrc.TagString || cond.Value == ""
		}
		if children := n.Get("parallel"); children != nil {
			t.childCondition = slices.ContainsFunc(children.Items, func(c *yamlsrc.Node) bool { return c.Pair("if") != nil })
		}
		list = append(list, t)
	}
	return list
}

func (t *stepText) has(key string) bool { return t.node.Pair(key) != nil }

func (t *stepText) loops() bool { return t.has("for") || t.has("while") || t.has("repeat") }

func (t *stepText) tests() bool { return t.loops() || t.has("if") }

// key is what a condition stands behind.
func (t *stepText) key(condition source.Span) string { return t.keys[condition] }

// condition is the text of the step's condition.
func (t *stepText) condition() string {
	if n := t.node.Get("if"); n != nil {
		return n.Value
	}
	return ""
}

// holds reports whether something stands in the step. The files are not the same,
// but their text is.
func (t *stepText) holds(s source.Span) bool {
	return t.node.Span.Start <= s.Start && s.End <= t.node.Span.End
}

// textInputs is a file whose inputs are texts, with their defaults as Python prints
// them; differs says that they are others in it. A default that is null is none to
// the engine.
func textInputs(yaml string) (text string, differs bool) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yml", []byte(yaml)), &bag)
	if doc == nil || doc.Root == nil {
		return yaml, false
	}
	p := doc.Root.Pair("input")
	if p == nil {
		return yaml, false
	}
	var inputs []map[string]string
	add := func(name string, n *yamlsrc.Node) {
		in := map[string]string{"name": name, "type": "text"}
		kind := n
		if n.Kind == yamlsrc.Mapping {
			kind = n.Get("type")
			if fallback := n.Get("default"); fallback != nil && !fallback.IsNull() {
				in["default"] = pythonText(fallback)
				differs = differs || !fallback.IsString()
			} else if fallback != nil {
				differs = true
			}
		}
		differs = differs || kind != nil && !slices.Contains([]string{"word", "line", "text", "path"}, strings.ToLower(kind.Value))
		inputs = append(inputs, in)
	}
	for _, pair := range p.Value.Pairs {
		add(pair.Key.Value, pair.Value)
	}
	for _, item := range p.Value.Items {
		if name := item.Get("name"); name != nil {
			add(name.Value, item)
		}
	}
	if !differs {
		return yaml, false
	}
	return yaml[:p.Key.Span.Start] + "input: " + jsonText(inputs) + yaml[p.Value.Span.End:], true
}

// pythonText is a YAML value as Python prints it.
func pythonText(n *yamlsrc.Node) string {
	v, err := py.Loads(n.JSON())
	if err == nil {
		if text, err := py.Text(v); err == nil {
			return text
		}
	}
	return n.Value
}
