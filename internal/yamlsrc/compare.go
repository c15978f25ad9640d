package yamlsrc

import (
	"slices"
	"sort"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Damage returns the place of the first value of the document that edits change
// although they are not about it, given the document after them, or no place.
// The edits are in order and do not touch each other. An edit of a scalar is
// about that one; any other is about the nodes that it replaces.
//
// An anchored value that an edit changes counts as damage at its aliases.
func (d *Document) Damage(edits []diag.Edit, after *Document) source.Span {
	var old []leaf
	for _, l := range d.listLeaves() {
		replaced := false
		for _, e := range editsNear(edits, l.at) {
			if !e.Scalar && l.isCut(e.Span) {
				return l.at
			}
			replaced = replaced || !e.Scalar && l.isReplaced(e.Span)
		}
		if !replaced {
			old = append(old, l)
		}
	}
	inserted := insertedPlaces(edits)
	now := slices.DeleteFunc(after.listLeaves(), func(l leaf) bool {
		return slices.ContainsFunc(editsNear(inserted, l.at), func(e diag.Edit) bool { return e.Span.Start <= l.at.Start && l.at.End <= e.Span.End })
	})
	shift := 0
	for i, was := range old {
		for len(edits) > 0 && edits[0].Span.End <= was.at.Start && !changesOnlyValue(edits[0], was) {
			shift += len(edits[0].New) - (edits[0].Span.End - edits[0].Span.Start)
			edits = edits[1:]
		}
		edited := len(edits) > 0 && changesOnlyValue(edits[0], was)
		if i >= len(now) || !was.isUnchanged(now[i], edited, shift) {
			return was.at
		}
	}
	if len(now) > len(old) {
		return source.Span{File: d.File, Start: len(d.File.Content), End: len(d.File.Content)}
	}
	return source.Span{}
}

// editsNear returns the edits, which are in order, that may touch a place.
func editsNear(edits []diag.Edit, at source.Span) []diag.Edit {
	from := sort.Search(len(edits), func(i int) bool { return edits[i].Span.End >= at.Start })
	to := from + sort.Search(len(edits)-from, func(i int) bool { return edits[from+i].Span.Start > at.End })
	return edits[from:to]
}

// insertedPlaces returns, as edits, the places of the text that edits outside scalars
// have written, after the edits.
func insertedPlaces(edits []diag.Edit) (list []diag.Edit) {
	shift := 0
	for _, e := range edits {
		if !e.Scalar && e.New != "" {
			start := e.Span.Start + shift
			list = append(list, diag.Edit{Span: source.Span{Start: start, End: start + len(e.New)}})
		}
		shift += len(e.New) - (e.Span.End - e.Span.Start)
	}
	return list
}

// changesOnlyValue reports whether an edit changes a leaf's value and nothing else.
func changesOnlyValue(e diag.Edit, l leaf) bool {
	return e.Scalar && l.scalar && l.at.Start <= e.Span.Start && e.Span.Start <= l.end
}

// A leaf is a node in the order of the tree: a scalar, an alias, or a collection
// without its content.
type leaf struct {
	at     source.Span
	end    int // of its text, which a block's last line break is part of
	depth  int
	scalar bool
	// full says that it is a collection with something in it.
	full bool
	// kind distinguishes kinds and tags, and value is the content.
	kind, value string
}

func (d *Document) listLeaves() []leaf {
	var list []leaf
	d.Root.walkBelow(0, func(n *Node, depth int) {
		l := leaf{at: n.Place(), end: n.Place().End, depth: depth, kind: n.Tag, value: n.Value, scalar: n.Kind == Scalar}
		switch {
		case n.Alias.IsValid():
			l.kind, l.value, l.scalar = "alias", n.contentDigest(), true
		case n.Kind == Scalar:
			l.end = max(l.end, n.Text().Whole().End)
		default:
			l.full = len(n.Items)+len(n.Pairs) > 0
			l.value = n.mergedDigest() // nodes that merge keys bring in are elsewhere
		}
		list = append(list, l)
	})
	return list
}

// isReplaced reports whether an edit of some bytes replaces the whole of a leaf.
func (l leaf) isReplaced(by source.Span) bool {
	return by.Start <= l.at.Start && l.at.End <= by.End && by.Start < by.End
}

// isCut reports whether an edit of some bytes replaces a part of a leaf.
func (l leaf) isCut(by source.Span) bool {
	return !l.full && by.Start < l.at.End && l.at.Start < by.End && !l.isReplaced(by)
}

// isUnchanged reports whether a leaf is unchanged after edits which moved it, one of
// which may have changed its value.
func (l leaf) isUnchanged(now leaf, edited bool, shift int) bool {
	if l.depth != now.depth || !l.full && now.at.Start != l.at.Start+shift {
		return false
	}
	if edited && l.kind == "alias" {
		return now.kind == TagString
	}
	return l.kind == now.kind && (edited || l.value == now.value)
}

// contentDigest is all that a node represents.
func (n *Node) contentDigest() string {
	var b strings.Builder
	n.digestTo(&b)
	return b.String()
}

func (n *Node) digestTo(b *strings.Builder) {
	for _, part := range []string{n.Tag, n.Value} {
		b.WriteString(part)
		b.WriteByte(0)
	}
	for _, item := range n.Items {
		item.digestTo(b)
	}
	for _, p := range n.Pairs {
		p.Key.digestTo(b)
		p.Value.digestTo(b)
	}
	b.WriteByte(1)
}

// mergedDigest are the nodes that merge keys bring into a mapping.
func (n *Node) mergedDigest() string {
	var b strings.Builder
	for _, p := range n.Pairs {
		if p.Merged {
			p.Key.digestTo(&b)
			p.Value.digestTo(&b)
		}
	}
	return b.String()
}
