package yamlsrc

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/codes"
	"gopkg.in/yaml.v3"
)

// collectionStart returns where a collection itself starts. yaml.v3 gives the place of
// its properties if it has any; but properties at that place may also be those
// of its first key, and then the place is right as it is.
func (r *reader) collectionStart(n *yaml.Node, at int) int {
	stop := len(r.src)
	switch flow := n.Style&yaml.FlowStyle != 0; {
	case flow && r.isCompact(n, at):
		return at
	case !flow && n.Kind == yaml.MappingNode && len(n.Content) > 0:
		stop = r.lines.offsetOf(n.Content[0].Line, n.Content[0].Column)
	}
	return readProperties(r.src, at, stop).next
}

// isCompact reports whether a flow mapping is a lone pair in a flow sequence,
// without braces: [a: b].
func (r *reader) isCompact(n *yaml.Node, at int) bool {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return false
	}
	first := n.Content[0]
	if first.Line == n.Line && first.Column == n.Column {
		return true
	}
	next := readProperties(r.src, at, len(r.src)).next
	return next >= len(r.src) || r.src[next] != '{'
}

func (r *reader) convertSequence(n *yaml.Node, at, indent int) *Node {
	start := r.collectionStart(n, at)
	out := r.newNode(Sequence)
	out.Tag, out.Items = TagSeq, make([]*Node, 0, len(n.Content))
	flow := n.Style&yaml.FlowStyle != 0
	if !flow {
		// Items may be at the column of the key above them; the text of a block
		// scalar is then measured from there.
		indent = max(indent, r.lines.columnAt(start))
	}
	end := start + 1
	for _, c := range n.Content {
		item := r.convertNode(c, indent)
		out.Items = append(out.Items, item)
		end = max(end, item.Place().End)
	}
	if flow {
		end = r.flowEnd(end, ']')
	}
	out.Span = r.sourceSpan(start, end)
	return out
}

func (r *reader) convertMapping(n *yaml.Node, at, indent int) *Node {
	start := r.collectionStart(n, at)
	out := r.newNode(Mapping)
	out.Tag, out.Pairs = TagMap, make([]Pair, 0, len(n.Content)/2)
	flow := n.Style&yaml.FlowStyle != 0
	if !flow {
		indent = max(indent, r.lines.columnAt(start))
	}
	end := start
	if flow && !r.isCompact(n, at) {
		end++
	}
	keys := newKeySet(out, len(n.Content)/2)
	var merges []Pair
	for i := 0; i+1 < len(n.Content) && !r.failed; i += 2 {
		key := r.convertNode(n.Content[i], indent)
		end = max(end, key.Place().End)
		value := r.convertValue(n.Content[i+1], key.Place().End, indent)
		end = max(end, value.Place().End)
		switch {
		case key.Kind != Scalar:
			r.bag.Add(codes.YAMLKey.New(key.Place(), fmt.Sprintf("a %s cannot be a key: keys are strings", kindName(key.Kind))).
				WithHelp("put quotes around the whole value if the braces or brackets are part of a string"))
		case isMergeKey(n.Content[i]):
			merges = append(merges, Pair{Key: key, Value: value})
		default:
			r.addPair(keys, Pair{Key: key, Value: value})
		}
	}
	if r.failed {
		return out
	}
	for _, m := range merges {
		r.mergePairs(keys, m)
	}
	keys.removeReplaced()
	if flow && !r.isCompact(n, at) {
		end = r.flowEnd(end, '}')
	}
	out.Span = r.sourceSpan(start, end)
	return out
}

// convertValue converts the value of a pair whose key ends at keyEnd. For an absent value,
// yaml.v3 may return the place of the next token; it belongs right after the colon,
// or after the key if there is no colon.
func (r *reader) convertValue(n *yaml.Node, keyEnd, indent int) *Node {
	if !isEmpty(n) {
		return r.convertNode(n, indent)
	}
	given := r.lines.offsetOf(n.Line, n.Column)
	colon := skipSpace(r.src, keyEnd)
	// Past the given place a colon would be that of the next pair.
	hasColon := colon < given && r.src[colon] == ':'
	at := keyEnd
	if hasColon {
		at = colon + 1
	}
	out := r.convertNode(n, indent)
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return out // the span is behind the properties
	}
	if hasColon && out.Tag == TagString && skipSpace(r.src, at) == given {
		return out // a lone ! makes the absent value an empty text
	}
	out.Tag = TagNull
	out.Span = r.sourceSpan(at, at)
	return out
}

// flowEnd returns the offset after the bracket that closes a flow collection
// whose last part ends at i.
func (r *reader) flowEnd(i int, closer byte) int {
	for end := i; ; end++ {
		end = skipSpace(r.src, end)
		if end >= len(r.src) {
			return i
		}
		switch r.src[end] {
		case closer:
			return end + 1
		case ',', ':', '?':
		default:
			return i
		}
	}
}

func kindName(k Kind) string {
	if k == Mapping {
		return "mapping"
	}
	return "list"
}
