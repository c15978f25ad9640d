package yamlsrc

import (
	"bytes"
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// MaxSize is the size in bytes of the largest file that Parse reads.
const MaxSize = 2 << 20

const (
	// maxDepth is how deep collections may be in one another.
	maxDepth = 1000
	// maxAliased is how many nodes the aliases of a file may add to it.
	maxAliased = 1_000_000
)

// Parse reads the first YAML document of a file. Faults go to the bag; if no tree
// can be made of the file, the result's Root is nil. Duplicate keys are listed in
// the result only.
func Parse(f *source.File, bag *diag.Bag) *Document {
	doc := &Document{File: f}
	if d := checkBytes(f); d != nil {
		bag.Add(d)
		return doc
	}
	root, patched, err := decodeCompatible(f.Content)
	if err != nil {
		bag.Add(explainError(f, err))
		return doc
	}
	if root == nil {
		doc.Comments = findComments(f, nil, len(f.Content))
		return doc
	}
	r := reader{file: f, src: f.Content, patched: patched, bag: bag, doc: doc, lines: newLineTable(f), anchors: map[*yaml.Node]anchored{}}
	r.scalars = make([]span, 0, len(r.lines.starts)*3/2)
	tree := r.convertNode(root, -1)
	if r.failed {
		doc.Duplicates = nil
		return doc
	}
	doc.Root = tree
	end := len(f.Content)
	more, stray := nextDocument(f, tree.Span.End)
	if stray {
		bag.Add(explainError(f, errStray))
		return &Document{File: f}
	}
	if doc.More = more; doc.More.IsValid() {
		end = doc.More.Start
	}
	doc.Comments = findComments(f, r.scalars, end)
	return doc
}

// decodeYAML runs yaml.v3 over a text and returns the root of its first document,
// or nil if there is none. A panic of the library is an error.
func decodeYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	root = doc.Content[0]
	if isEmpty(root) && !bytes.Contains(text, []byte("---")) {
		return nil, nil // yaml.v3 sees an empty document where there are comments only
	}
	return root, nil
}

// errStray is the error that yaml.v3 would return for text after the root if it
// read the next document.
var errStray = errors.New("did not find expected <document start>")

// nextDocument returns the start of the next document after the one that ends at
// offset i. stray says that the text there is not a document: it has no marker
// before it.
func nextDocument(f *source.File, i int) (at source.Span, stray bool) {
	ended := false
	for {
		i = skipSpace(f.Content, i)
		if i >= len(f.Content) {
			return source.Span{}, false
		}
		marker := isMarker(f.Content, i) && lineStart(f.Content, i) == i
		if marker && f.Content[i] == '.' {
			i, ended = i+3, true
			continue
		}
		at = source.Span{File: f, Start: i, End: min(lineEnd(f.Content, i), i+3)}
		return at, !marker && !ended
	}
}

// anchored is the state of an anchored node for its aliases. node is nil until the
// node is complete.
type anchored struct {
	node *Node
	at   source.Span
	size int // nodes below and including it, through aliases
}

// A reader turns yaml.v3's nodes into ours: it gives them their ends, tags,
// aliases and merged pairs.
type reader struct {
	file    *source.File
	src     []byte
	patched []byte // the text that yaml.v3 read, if it was another
	bag     *diag.Bag
	doc     *Document
	lines   *lineTable
	anchors map[*yaml.Node]anchored
	// scalars are the spans of the scalars in file order: where no comment is.
	scalars []span
	depth   int
	// size counts the nodes read so far, through aliases; aliased those that
	// came in by aliases.
	size, aliased int
	// failed says that the document cannot be used at all.
	failed bool
	// free are nodes not used yet: making them by the dozen is cheaper.
	free []Node
}

// nodeBatch is how many nodes are made at once. A node keeps its batch alive,
// but all nodes of a document live together anyway.
const nodeBatch = 28

func (r *reader) newNode(k Kind) *Node {
	if len(r.free) == 0 {
		r.free = make([]Node, nodeBatch)
	}
	n := &r.free[0]
	r.free = r.free[1:]
	n.Kind = k
	return n
}

type span struct{ start, end int }

func (r *reader) sourceSpan(start, end int) source.Span {
	return source.Span{File: r.file, Start: start, End: max(start, end)}
}

func (r *reader) reportError(d *diag.Diagnostic) {
	if !r.failed {
		r.bag.Add(d)
	}
	r.failed = true
}

// convertNode converts a node; indent is the column of the block collection around it, -1
// if there is none.
func (r *reader) convertNode(n *yaml.Node, indent int) *Node {
	if r.failed {
		return &Node{}
	}
	at := r.lines.offsetOf(n.Line, n.Column)
	if n.Kind == yaml.AliasNode {
		return r.convertAlias(n, at)
	}
	if r.depth++; r.depth > maxDepth {
		r.reportError(finding.YAMLTooLarge(r.sourceSpan(at, at+1), fmt.Sprintf("nested more than %d levels deep", maxDepth)))
		return &Node{}
	}
	before := r.size
	r.size++
	if n.Anchor != "" {
		r.anchors[n] = anchored{at: r.sourceSpan(at, at+1+len(n.Anchor))}
	}
	var out *Node
	switch n.Kind {
	case yaml.MappingNode:
		out = r.convertMapping(n, at, indent)
	case yaml.SequenceNode:
		out = r.convertSequence(n, at, indent)
	default:
		out = r.convertScalar(n, at, indent)
	}
	r.depth--
	if n.Anchor != "" {
		a := r.anchors[n]
		a.node, a.size = out, r.size-before
		r.anchors[n] = a
	}
	return out
}

// convertAlias resolves an alias to a copy of the node it represents.
func (r *reader) convertAlias(n *yaml.Node, at int) *Node {
	place := r.sourceSpan(at, at+1+len(n.Value))
	target := r.anchors[n.Alias]
	if target.node == nil {
		r.reportError(finding.AliasCycle(place, n.Value, target.at))
		return &Node{}
	}
	r.size += target.size
	r.aliased += target.size
	if r.aliased > maxAliased {
		r.reportError(finding.YAMLTooLarge(place, fmt.Sprintf("aliases expand to more than %d values", maxAliased)))
		return &Node{}
	}
	out := *target.node
	out.Alias = place
	return &out
}

func (r *reader) convertScalar(n *yaml.Node, at, indent int) *Node {
	p := readProperties(r.src, at, len(r.src))
	out := r.newNode(Scalar)
	out.Value, out.Style = n.Value, scalarStyle(n.Style)
	explicit := explicitTag(n)
	if p.bareTag {
		explicit = "!"
	}
	out.Tag = scalarTag(explicit, n.Value, out.Style)
	if isEmpty(n) {
		out.Span = r.sourceSpan(p.end, p.end)
		return out
	}
	if out.Style == Literal || out.Style == Folded {
		out.indent = int32(blockIndent(r.src, blockHeader(r.src, p.next), indent)) // at most MaxSize
	}
	out.Span = r.sourceSpan(p.next, scalarEnd(r.parsedText(), p.next, out.Style, int(out.indent), n.Value))
	if r.patched != nil {
		r.unpatchScalar(out)
	}
	start := p.next
	if out.indent > 0 {
		start = blockHeader(r.src, p.next).next // its header may have a comment
	}
	r.scalars = append(r.scalars, span{start, out.Span.End})
	return out
}

func scalarStyle(s yaml.Style) Style {
	switch {
	case s&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case s&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case s&yaml.LiteralStyle != 0:
		return Literal
	case s&yaml.FoldedStyle != 0:
		return Folded
	}
	return Plain
}

// isEmpty reports whether nothing is written for a scalar.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && scalarStyle(n.Style) == Plain
}

// properties are the anchor and tag before a node.
type properties struct {
	// end is the end of the last of them, next the first byte of the node.
	end, next int
	// bareTag says that the tag is a lone !.
	bareTag bool
}

// readProperties reads the properties at i, if there are any, up to stop.
func readProperties(src []byte, i, stop int) properties {
	p := properties{end: i, next: i}
	for p.next < stop {
		start := p.next
		switch src[start] {
		case '&':
			p.end = nameEnd(src, start+1)
		case '!':
			p.end = tagEnd(src, start)
			p.bareTag = p.end == start+1
		default:
			return p
		}
		p.next = skipSpace(src, p.end)
	}
	return p
}

// tagEnd returns the end of the tag at i: yaml.v3 wants a gap after it, in flow
// collections too.
func tagEnd(src []byte, i int) int {
	for !isGap(src, i) {
		i++
	}
	return i
}
