package archon

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// An ordering knows which nodes wait for which. It starts with the declared
// dependencies and grows by the ordering edges that references need.
//
// Every reference that names no direct dependency asks whether a node is an ancestor of
// another, so a search for each would make large workflows slow. Instead one pass over
// the graph computes the ancestors of 64 nodes at once, one bit each, and keeps them for
// later references.
type ordering struct {
	index map[*ir.Node]int
	needs [][]int // declared dependencies
	added [][]int // ordering edges
	// sorted are the nodes behind their dependencies; nil when these form a
	// cycle, which has been reported.
	sorted []int
	blocks map[int][]uint64

	// marks of the last search: seen[i] == round says that node i was reached.
	seen  []int
	round int
}

// maxBlocks bounds the memory of the ancestors kept.
const maxBlocks = 256

func newOrdering(all []*ir.Node) *ordering {
	o := &ordering{
		index: make(map[*ir.Node]int, len(all)),
		needs: make([][]int, len(all)), added: make([][]int, len(all)),
		blocks: map[int][]uint64{}, seen: make([]int, len(all)),
	}
	for i, n := range all {
		o.index[n] = i
	}
	for i, n := range all {
		for _, need := range n.Needs {
			if k, ok := o.index[need.Node]; ok {
				o.needs[i] = append(o.needs[i], k)
			}
		}
	}
	if sorted := slices.Concat(dependencyLayers(o.needs)...); len(sorted) == len(all) {
		o.sorted = sorted
	}
	return o
}

// isAncestor reports whether node i waits for node k by declared dependencies.
func (o *ordering) isAncestor(k, i int) bool {
	if slices.Contains(o.needs[i], k) {
		return true
	}
	if o.sorted == nil {
		return o.waitsFor(i, k)
	}
	return o.blockAncestors(k / 64)[i]>>(k%64)&1 != 0
}

// blockAncestors returns for each node which of 64 nodes are its ancestors.
func (o *ordering) blockAncestors(b int) []uint64 {
	if words, known := o.blocks[b]; known {
		return words
	}
	if len(o.blocks) >= maxBlocks {
		clear(o.blocks)
	}
	words := make([]uint64, len(o.needs))
	for _, i := range o.sorted {
		for _, d := range o.needs[i] {
			words[i] |= words[d]
			if d/64 == b {
				words[i] |= 1 << (d % 64)
			}
		}
	}
	o.blocks[b] = words
	return words
}

// waitsFor reports whether node from waits for node to, by declared
// dependencies or ordering edges.
func (o *ordering) waitsFor(from, to int) bool {
	o.round++
	todo := []int{from}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, list := range [][]int{o.needs[i], o.added[i]} {
			for _, k := range list {
				if k == to {
					return true
				}
				if o.seen[k] != o.round {
					o.seen[k] = o.round
					todo = append(todo, k)
				}
			}
		}
	}
	return false
}

// ensureOrder makes sure that a producer is settled before the node that reads it
// starts; it reports whether that can be.
func (r *resolver) ensureOrder(s *surface, producer *ir.Node, at source.Span) bool {
	reader := r.readerNode(s, producer)
	if reader == producer {
		r.bag.Add(finding.SelfReference(at, reader.ID))
		return false
	}
	if reader == nil {
		return true
	}
	order := r.bodies[reader]
	i, k := order.index[reader], order.index[producer]
	if order.isAncestor(k, i) {
		return true
	}
	if slices.ContainsFunc(reader.Needs, func(n *ir.Need) bool { return n.Order && n.Node == producer }) {
		return true
	}
	switch {
	case order.isAncestor(i, k):
		r.bag.Add(finding.DescendantReference(at, reader.ID, producer.ID, producer.IDSpan))
		return false
	case order.waitsFor(k, i):
		r.bag.Add(finding.OrderCycle(at, reader.ID, producer.ID, orderSpan(producer)))
		return false
	}
	if s.kind == bindingSurface && reader == s.node {
		r.bag.Add(finding.BindingOrder(at, r.nodeName(reader), r.nodeName(producer), addDependency(reader, r.nodeName(producer))))
		return false
	}
	order.added[i] = append(order.added[i], k)
	reader.Needs = append(reader.Needs, &ir.Need{Node: producer, Span: at, Order: true})
	r.bag.Add(finding.UndeclaredDependency(at, r.nodeName(reader), r.nodeName(producer), addDependency(reader, r.nodeName(producer))))
	return true
}

// orderSpan is where a node got its first ordering edge, if it has one.
func orderSpan(n *ir.Node) source.Span {
	if i := slices.IndexFunc(n.Needs, func(need *ir.Need) bool { return need.Order }); i >= 0 {
		return n.Needs[i].Span
	}
	return source.Span{}
}

// addDependency returns the fix, without a title, that adds an entry to a node's
// depends_on, or nil when its text is of a form that no edit is sure about.
func addDependency(n *ir.Node, id string) *diag.Fix {
	at, text := newDependency(n, id)
	if !at.IsValid() {
		return nil
	}
	return &diag.Fix{Edits: []diag.Edit{{Span: at, New: text}}}
}

func newDependency(n *ir.Node, id string) (source.Span, string) {
	if strings.ContainsAny(id, ",[]{}#&*!|>'\"%@`:") || strings.TrimSpace(id) != id || id == "" {
		return source.Span{}, ""
	}
	if last := lastDeclared(n); last != nil {
		return besideEntry(last, id)
	}
	return besideID(n, id)
}

func lastDeclared(n *ir.Node) *ir.Need {
	var last *ir.Need
	for _, need := range n.Needs {
		if !need.Order && (last == nil || need.Span.Start > last.Span.Start) {
			last = need
		}
	}
	return last
}

// besideEntry places an entry behind the last one of a list.
func besideEntry(last *ir.Need, id string) (source.Span, string) {
	at := last.Span
	if !at.IsValid() || strings.Trim(at.Text(), `'"`) != last.Node.Local() {
		return source.Span{}, "" // reached by an alias, or escaped
	}
	end := source.Span{File: at.File, Start: at.End, End: at.End}
	before, _ := lineAround(at)
	if indent, isItem := strings.CutSuffix(before, "- "); isItem && strings.TrimLeft(indent, " ") == "" {
		return end, "\n" + indent + "- " + id
	}
	return end, ", " + id
}

// besideID places a depends_on key behind the node's id.
func besideID(n *ir.Node, id string) (source.Span, string) {
	at := n.IDSpan
	if !at.IsValid() || strings.Contains(n.Span.Text(), "depends_on") {
		return source.Span{}, ""
	}
	before, after := lineAround(at)
	end := source.Span{File: at.File, Start: at.End, End: at.End}
	lead := strings.TrimRight(before, " ")
	lead, found := strings.CutSuffix(lead, ":")
	lead, named := strings.CutSuffix(strings.TrimRight(lead, " "), "id")
	if !found || !named {
		return source.Span{}, ""
	}
	if strings.ContainsAny(lead, "{,") {
		return end, ", depends_on: [" + id + "]"
	}
	if strings.Trim(lead, " -") != "" {
		return source.Span{}, ""
	}
	if rest := strings.TrimLeft(after, " \t\r"); rest != "" && rest[0] != '#' {
		return source.Span{}, ""
	}
	end.Start += len(strings.TrimRight(after, "\r"))
	end.End = end.Start
	return end, "\n" + strings.Repeat(" ", len(lead)) + "depends_on: [" + id + "]"
}

// lineAround returns the text before and after a span on its line.
func lineAround(at source.Span) (before, after string) {
	content := at.File.Content
	line := bytes.LastIndexByte(content[:at.Start], '\n') + 1
	rest, _, _ := bytes.Cut(content[at.End:], []byte("\n"))
	return string(content[line:at.Start]), string(rest)
}
