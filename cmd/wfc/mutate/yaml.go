package mutate

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A spot is a node of the YAML document with the collection that holds it.
type spot struct {
	node *yamlsrc.Node
	// in is the collection, of which it is item at, or the value of pair at.
	in *spot
	at int
}

// An index finds nodes of a document by their places.
type index struct {
	doc   *yamlsrc.Document
	src   []byte
	spots []*spot
}

func newIndex(doc *yamlsrc.Document) *index {
	x := &index{doc: doc, src: doc.File.Content}
	x.addSpots(&spot{node: doc.Root})
	return x
}

func (x *index) addSpots(s *spot) {
	if s.node == nil || s.node.Alias.IsValid() {
		return
	}
	x.spots = append(x.spots, s)
	for i, item := range s.node.Items {
		x.addSpots(&spot{item, s, i})
	}
	for i, p := range s.node.Pairs {
		if !p.Merged {
			x.addSpots(&spot{p.Value, s, i})
		}
	}
}

// spanCovers reports whether a place is in another one.
func spanCovers(outer, inner source.Span) bool {
	return outer.IsValid() && inner.IsValid() && outer.Start <= inner.Start && inner.End <= outer.End
}

// wholeSpan is the place of a node with all of its text.
func wholeSpan(n *yamlsrc.Node) source.Span {
	at := n.Span
	if n.Kind == yamlsrc.Scalar {
		at.End = max(at.End, n.Text().Whole().End)
	}
	return at
}

// scalarAt returns the smallest scalar around a place, or nil.
func (x *index) scalarAt(at source.Span) *spot {
	for _, s := range x.spots {
		if s.node.Kind == yamlsrc.Scalar && spanCovers(wholeSpan(s.node), at) {
			return s
		}
	}
	return nil
}

// mappingAt returns the mapping at a place, or the largest one in it, or nil.
func (x *index) mappingAt(at source.Span) *spot {
	for _, s := range x.spots {
		if s.node.Kind == yamlsrc.Mapping && spanCovers(at, s.node.Span) {
			return s
		}
	}
	return nil
}

// nodeSpan is the place of a node, or no place.
func (s *spot) nodeSpan() source.Span {
	if s == nil {
		return source.Span{}
	}
	return s.node.Span
}

// nodeDefinition returns the mapping that defines the node whose id is at a place: the value of
// that key, or the mapping with that value.
func (x *index) nodeDefinition(id source.Span) *spot {
	for _, s := range x.spots {
		if s.node.Kind != yamlsrc.Mapping {
			continue
		}
		for i, p := range s.node.Pairs {
			switch {
			case p.Merged:
			case spanCovers(p.Key.Span, id) && p.Value.Kind == yamlsrc.Mapping && !p.Value.Alias.IsValid():
				return &spot{p.Value, s, i}
			case p.Value.Kind == yamlsrc.Scalar && spanCovers(wholeSpan(p.Value), id):
				return s
			}
		}
	}
	return nil
}

// valueForKey returns the spot of the value of a key, or nil.
func (s *spot) valueForKey(key string) *spot {
	if s == nil || s.node.Kind != yamlsrc.Mapping {
		return nil
	}
	for i, p := range s.node.Pairs {
		if p.Key.Value == key && !p.Merged && !p.Value.Alias.IsValid() {
			return &spot{p.Value, s, i}
		}
	}
	return nil
}

func (s *spot) keyNode() *yamlsrc.Node {
	if s.in == nil || s.in.node.Kind != yamlsrc.Mapping {
		return nil
	}
	return s.in.node.Pairs[s.at].Key
}

// elementExtent is the place of an element in its collection: of a pair with its key.
func (s *spot) elementExtent(i int) (start, end int) {
	if s.node.Kind == yamlsrc.Mapping {
		p := s.node.Pairs[i]
		start, end = p.Key.Span.Start, p.Key.Span.End
		if p.Value.Alias.IsValid() {
			return start, p.Value.Alias.End
		}
		if v := wholeSpan(p.Value); v.IsValid() {
			end = max(end, v.End)
		}
		return start, end
	}
	at := wholeSpan(s.node.Items[i])
	return at.Start, at.End
}

func (s *spot) elementCount() int { return len(s.node.Items) + len(s.node.Pairs) }

// removalEdits returns the edit that removes a node from its collection, and a collection that
// would be empty with it; nil if that cannot be written.
func (x *index) removalEdits(s *spot) []edit {
	for s.in != nil && s.in.elementCount() == 1 {
		s = s.in
	}
	if s.in == nil {
		return nil
	}
	start, end := s.in.elementExtent(s.at)
	if x.isFlow(s.in.node) {
		return x.removeFlow(s, start, end)
	}
	line := start
	for line > 0 && x.src[line-1] != '\n' {
		line--
	}
	lead := string(x.src[line:start])
	next := x.lineAfter(end)
	if s.in.node.Kind == yamlsrc.Sequence {
		dash := strings.TrimRight(lead, " ")
		if strings.TrimSpace(dash) != "-" {
			return nil // a sequence in a sequence
		}
		return []edit{{line, next, ""}}
	}
	if strings.TrimSpace(lead) == "" {
		return []edit{{line, next, ""}}
	}
	if s.at+1 < s.in.elementCount() { // the first key behind a dash
		after, _ := s.in.elementExtent(s.at + 1)
		return []edit{{start, after, ""}}
	}
	return nil
}

func (x *index) isFlow(n *yamlsrc.Node) bool {
	c := x.src[n.Span.Start]
	return c == '{' || c == '['
}

func (x *index) removeFlow(s *spot, start, end int) []edit {
	if s.at+1 < s.in.elementCount() {
		next, _ := s.in.elementExtent(s.at + 1)
		return []edit{{start, next, ""}}
	}
	_, before := s.in.elementExtent(s.at - 1)
	return []edit{{before, end, ""}}
}

// lineAfter returns where the line after a place begins.
func (x *index) lineAfter(at int) int {
	if at > 0 && x.src[at-1] == '\n' {
		return at
	}
	for at < len(x.src) && x.src[at] != '\n' {
		at++
	}
	return min(at+1, len(x.src))
}

// insertionEdits returns the edit that adds a pair of plain scalars to a mapping, after the first one.
func (x *index) insertionEdits(m *spot, key, value string) []edit {
	if m == nil || len(m.node.Pairs) == 0 || m.node.Pairs[0].Merged {
		return nil
	}
	start, end := m.elementExtent(0)
	if x.isFlow(m.node) {
		return []edit{{end, end, ", " + key + ": " + value}}
	}
	column := start
	for column > 0 && x.src[column-1] != '\n' {
		column--
	}
	next := x.lineAfter(end)
	if next == len(x.src) && x.src[next-1] != '\n' {
		return nil
	}
	return []edit{{next, next, strings.Repeat(" ", start-column) + key + ": " + value + "\n"}}
}
