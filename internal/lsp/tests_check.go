package lsp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/symbols"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A testChecker finds the faults and the names of a test file.
type testChecker struct{ *tests }

// keys checks the keys and the values of a mapping, a list or a scalar.
func (c *testChecker) keys(n *yamlsrc.Node, level *keytable.Level, shape *keytable.Shape, where string) {
	if n.Alias.IsValid() {
		return
	}
	for _, item := range n.Items {
		inner := shape.Inner(true)
		if inner == nil {
			inner = shape // one value, or a list of such values
		}
		c.keys(item, inner.Mapping(), inner, where)
	}
	free := shape.Inner(false)
	seen := map[string]bool{}
	for i := range n.Pairs {
		p := &n.Pairs[i]
		seen[p.Key.Value] = true
		key := level.Key(p.Key.Value)
		switch {
		case key != nil:
			c.keys(p.Value, key.Shape.Mapping(), key.Shape, "`"+key.Name+"`")
		case free != nil:
			c.keys(p.Value, free.Mapping(), free, where)
		case level != nil:
			near := plain.Nearest(p.Key.Value, level.Names())
			seen[near] = true // it is not missing too
			c.fault(p.Key.Span, "unknown key `%s` in %s%s", p.Key.Value, where, meant(near))
		}
	}
	if level != nil && n.Kind == yamlsrc.Mapping {
		for _, key := range level.Keys {
			if key.Required && !seen[key.Name] {
				c.fault(firstOf(n), "%s needs the key `%s`", where, key.Name)
			}
		}
	}
	if n.Kind == yamlsrc.Scalar && level == nil && len(shape.Values()) > 0 && !slices.Contains(shape.Values(), n.Value) {
		c.fault(n.Span, "unknown value `%s` of %s%s", n.Value, where, meant(plain.Nearest(n.Value, shape.Values())))
	}
}

// firstOf is the first key of a mapping, or its place.
func firstOf(n *yamlsrc.Node) source.Span {
	if len(n.Pairs) > 0 {
		return n.Pairs[0].Key.Span
	}
	return n.Place()
}

// meant offers a known name in place of an unknown one.
func meant(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean `%s`?", near)
}

// names finds the names of the workflow.
func (c *testChecker) names(n *yamlsrc.Node, path []string) {
	if n.Alias.IsValid() || len(path) > 8 {
		return
	}
	if kind, ok := testPlaceOf(path, false); ok && n.Kind == yamlsrc.Scalar {
		c.name(n, kind)
		return
	}
	for _, item := range n.Items {
		c.names(item, append(path, "*"))
	}
	kind, named := testPlaceOf(path, true)
	for i := range n.Pairs {
		p := &n.Pairs[i]
		if p.Merged {
			continue
		}
		step := p.Key.Value
		if named {
			c.name(p.Key, kind)
			step = "*"
		}
		c.names(p.Value, append(path, step))
	}
}

var (
	// repeated are the attempts at a loop and the repetitions for a reviewer in the key of a
	// step, and iteration the numbers of iterations and items.
	repeated  = regexp.MustCompile(`/(?:attempt|make)[0-9]+(#|$)`)
	iteration = regexp.MustCompile(`[#@][0-9]+|\[[0-9]+\]`)
)

// name adds the references of a name in a test.
func (c *testChecker) name(n *yamlsrc.Node, kind symbols.Kind) {
	x := c.of.index
	add := func(s *symbols.Symbol, from, to int) {
		r := &symbols.Reference{Symbol: s, At: n.Span, Role: symbols.Names, Type: s.Type}
		text := n.Text()
		if at := text.Span(from, to); at.Text() == n.Value[from:to] && n.Value[from:to] == s.Name {
			r.Name = at
		}
		c.refs = append(c.refs, r)
	}
	var known []string
	switch kind {
	case symbols.Input:
		for _, s := range x.Symbols {
			if s.Kind != symbols.Argument && s.Input != nil && s.Input.Name == n.Value {
				add(s, 0, len(n.Value))
				return
			}
		}
		for _, in := range c.of.result.Program.Workflow.Inputs {
			known = append(known, in.Name)
		}
	case symbols.State:
		for _, s := range x.Symbols {
			if s.Kind == symbols.State {
				known = append(known, s.Name)
				if s.Name == n.Value {
					add(s, 0, len(n.Value))
					return
				}
			}
		}
	default:
		if n.Value == "*" || c.address(n.Value, add) {
			return
		}
		for _, s := range x.Symbols {
			if s.Kind == symbols.Node {
				known = append(known, s.Node.ID)
			}
		}
	}
	if !slices.Contains(known, n.Value) {
		c.fault(n.Span, "unknown %s `%s`%s", kind, n.Value, meant(plain.Nearest(n.Value, known)))
	}
}

// address adds the nodes in the key of a step, such as fix, fix#2 or each[1].look. It
// reports whether there is one.
func (c *testChecker) address(address string, add func(s *symbols.Symbol, from, to int)) bool {
	// The offsets of the characters that are left in the address.
	var kept []int
	for i := range len(address) {
		kept = append(kept, i)
	}
	rest := address
	for _, pattern := range []*regexp.Regexp{repeated, iteration} {
		for {
			at := pattern.FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			start, end := at[0], at[1]
			if len(at) > 2 && at[2] >= 0 {
				end = at[2] // what follows the number stays
			}
			rest, kept = rest[:start]+rest[end:], slices.Delete(kept, start, end)
		}
	}
	var best *symbols.Symbol
	nodes := map[string]*symbols.Symbol{}
	for _, s := range c.of.index.Symbols {
		if s.Kind != symbols.Node {
			continue
		}
		id := s.Node.ID
		nodes[id] = s
		tail, ok := strings.CutPrefix(rest, id)
		if ok && (tail == "" || tail[0] == '/') && (best == nil || len(id) > len(best.Node.ID)) {
			best = s
		}
	}
	if best == nil {
		return false
	}
	id := best.Node.ID
	for end := 1; end <= len(id); end++ {
		if end < len(id) && id[end] != '.' {
			continue
		}
		if s := nodes[id[:end]]; s != nil && s.Name != "" {
			start := end - len(s.Name)
			add(s, kept[start], kept[end-1]+1)
		}
	}
	return true
}
