package archon

import "strings"

// The engine's references: `$`, an id of letters, digits, `_` and `-` that starts
// with a letter or `_`, `.output`, and possibly one `.field`. Ids are read
// greedily, and no boundary is required: `$a.outputs` is `$a.output` and an s,
// `\$a.output` is a backslash and a reference, and `${a.output}` is not a
// reference.

// A nodeRef is one reference in a text; offsets are bytes of that text.
type nodeRef struct {
	start, end int
	node       string
	// field is the name behind `.output.`, or "".
	field string
	// short says that `.output` is not written, as conditions may have it.
	short bool
	// input says that field is the name of an input.
	input bool
	// previous says that the reference is to the previous iteration of a loop_group.
	previous bool
}

const outputSuffix = ".output"

// previousScope is the name by which references read the previous iteration of a
// loop_group: `$LOOP_PREV.node.output`.
const previousScope = "LOOP_PREV"

// nameAt is the offset of the node's id.
func (r nodeRef) nameAt() int {
	if r.previous {
		return r.start + len("$"+previousScope+".")
	}
	return r.start + len("$")
}

// scanRef reads the reference that starts with the `$` at offset.
func scanRef(text string, at int) (nodeRef, bool) {
	if strings.HasPrefix(text[at:], "$"+previousScope+".") {
		if ref, ok := scanOutput(text, nodeRef{start: at, previous: true}); ok {
			return ref, true
		}
	}
	return scanOutput(text, nodeRef{start: at})
}

// scanOutput reads the rest of a reference, from the node's id on.
func scanOutput(text string, ref nodeRef) (nodeRef, bool) {
	i := identEnd(text, ref.nameAt(), true)
	if i == ref.nameAt() || !strings.HasPrefix(text[i:], outputSuffix) {
		return nodeRef{}, false
	}
	ref.node, ref.end = text[ref.nameAt():i], i+len(outputSuffix)
	if ref.end < len(text) && text[ref.end] == '.' {
		if stop := identEnd(text, ref.end+1, false); stop > ref.end+1 {
			ref.field = text[ref.end+1 : stop]
			ref.end = stop
		}
	}
	return ref, true
}

// identEnd returns the end of the identifier that starts at offset, or the
// offset itself when none does.
func identEnd(text string, at int, hyphens bool) int {
	if at >= len(text) || !isIdentStart(text[at]) {
		return at
	}
	i := at + 1
	for i < len(text) && (isIdentPart(text[i]) || hyphens && text[i] == '-') {
		i++
	}
	return i
}

func isIdentStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isIdentPart(c byte) bool { return isIdentStart(c) || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// referable reports whether a node of this id can be named by a reference.
func referable(id string) bool { return id != "" && identEnd(id, 0, true) == len(id) }
