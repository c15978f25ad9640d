// Package yamlsrc reads YAML into a tree in which every node has its exact place
// and every scalar can be traced back byte by byte.
//
// It is the only importer of yaml.v3. That library returns a node's starting line
// and code point column, no end, no duplicate keys, no alias limits and errors as
// text; this package adds the rest.
package yamlsrc

import "github.com/wfc-lang/wfc/compiler/source"

// Kind is the kind of a node.
type Kind uint8

const (
	// Scalar is a single value.
	Scalar Kind = iota
	// Sequence is a list.
	Sequence
	// Mapping is a list of key and value pairs.
	Mapping
)

// Style is how a scalar is written.
type Style uint8

// The five scalar styles of YAML.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
)

// Tags of the YAML 1.2 core schema. A scalar's tag follows that schema
// whatever yaml.v3 thinks: yes, no, on and off are strings, and so are dates
// and numbers with underscores.
const (
	TagString = "!!str"
	TagInt    = "!!int"
	TagFloat  = "!!float"
	TagBool   = "!!bool"
	TagNull   = "!!null"
	TagSeq    = "!!seq"
	TagMap    = "!!map"
)

// A Node is one node of a document. An alias is the node it represents, seen from
// the alias's place: see Alias.
type Node struct {
	Kind Kind
	// Style is how a scalar is written.
	Style Style
	// indent is the column of a block scalar's text.
	indent int32
	// Tag is one of the core tags, or another tag as written.
	Tag string
	// Value is a scalar's decoded text.
	Value string
	// Items are a sequence's members.
	Items []*Node
	// Pairs are a mapping's entries in file order; of keys written twice only
	// the last pair is here. Merge keys (<<) are resolved: merged pairs follow
	// the mapping's own.
	Pairs []Pair
	// Span is the place of the node: a scalar with its quotes or block header, a
	// collection from its first to its last byte. Anchors and tags are not part of
	// it. For an alias it is the place of the anchored node.
	Span source.Span
	// Alias is the place of `*name` when the node was reached by an alias, and
	// no place otherwise.
	Alias source.Span

	text *source.Text
}

// A Pair is one entry of a mapping.
type Pair struct {
	Key, Value *Node
	// Merged says that the pair came in by a merge key.
	Merged bool
}

// Place is where the node was written: its alias if it was reached by one,
// else its span.
func (n *Node) Place() source.Span {
	if n.Alias.IsValid() {
		return n.Alias
	}
	return n.Span
}

// Get returns the value of a mapping's key, or nil.
func (n *Node) Get(key string) *Node {
	if p := n.Pair(key); p != nil {
		return p.Value
	}
	return nil
}

// Pair returns a mapping's pair of the given key, or nil.
func (n *Node) Pair(key string) *Pair {
	if n == nil {
		return nil
	}
	for i := range n.Pairs {
		if n.Pairs[i].Key.Value == key {
			return &n.Pairs[i]
		}
	}
	return nil
}

// IsString reports whether the node is a scalar of the string tag.
func (n *Node) IsString() bool { return n != nil && n.Kind == Scalar && n.Tag == TagString }

// IsNull reports whether the node is absent or null.
func (n *Node) IsNull() bool { return n == nil || n.Kind == Scalar && n.Tag == TagNull }

// A Comment is one comment of the file.
type Comment struct {
	// Span runs from the # to the end of the line.
	Span source.Span
	// Text is the comment without # and surrounding spaces.
	Text string
	// Line is the line it is on, counted from 1.
	Line int
	// Alone says that nothing but spaces is before it on its line.
	Alone bool
}

// A Document is one parsed file.
type Document struct {
	File *source.File
	// Root is the first document's root node; nil for an empty file.
	Root *Node
	// Comments are the comments of the file in order.
	Comments []Comment
	// Duplicates are the keys written more than once in one mapping, in file
	// order. Engines disagree on whether that is allowed, so it is for the
	// front end to report them.
	Duplicates []Duplicate
	// More is where a second document of the file starts, if there is one.
	More source.Span

	scalars []*Node // in the order of the file, made when a fix is encoded
}

// A Duplicate is the second occurrence of a key in its mapping.
type Duplicate struct {
	Key string
	// First is the place of the first key, Second of one that repeats it.
	First, Second source.Span
}
