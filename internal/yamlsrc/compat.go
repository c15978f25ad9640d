package yamlsrc

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// yaml.v3 does not know three things of YAML 1.2: the escape \/, which came from
// JSON, the directive that names the version, and question marks inside plain
// scalars between brackets, as in {ask: sure?}. A file that it rejects is
// therefore tried again with others of the same length in their place. Nothing
// moves by that, and the scalars concerned are decoded here from the text as it
// really is.

const (
	escapedSlash, otherEscape = `\/`, `\v`
	version12, version11      = "%YAML 1.2", "%YAML 1.1"
	// No number and no other word of YAML ends with a tilde after something.
	question, otherMark = '?', '~'
)

// decodeCompatible is decodeYAML for a text that needs replacements; it returns
// the text that was read, or nil if none was needed.
func decodeCompatible(text []byte) (root *yaml.Node, read []byte, err error) {
	root, err = decodeYAML(text)
	if err == nil && !isMisread(text) {
		return root, nil, nil
	}
	patched := patchText(text)
	if patched != nil {
		if r, e := decodeYAML(patched); e == nil {
			return r, patched, nil
		}
		text = patched
	}
	if patched = patchQuestions(text); patched == nil {
		return root, nil, err
	}
	if r, e := decodeYAML(patched); e == nil {
		return r, patched, nil
	}
	return root, nil, err
}

// isMisread reports whether yaml.v3 may take the first character of a plain scalar between
// brackets for the mark of a key, as in [?x].
func isMisread(text []byte) bool {
	for i := range text {
		if text[i] != question || i+1 == len(text) || isGap(text, i+1) || bytes.IndexByte([]byte(",]}"), text[i+1]) >= 0 {
			continue
		}
		before := bytes.TrimRight(text[:i], " \t\r\n")
		if len(before) > 0 && bytes.IndexByte([]byte("{[,"), before[len(before)-1]) >= 0 {
			return true
		}
	}
	return false
}

// patchQuestions replaces question marks that are part of a plain scalar; nil if there is
// none. Others begin a key: they are the first of a value, and a gap follows.
func patchQuestions(text []byte) []byte {
	var out []byte
	start := bomLen(text) // of the line
	for i := range text {
		if n := breakLen(text, i); n > 0 {
			start = i + n
		}
		if text[i] != question {
			continue
		}
		line := text[start:i]
		before := bytes.TrimRight(line, " \t")
		first := len(before) == 0 || bytes.IndexByte([]byte("{[,"), before[len(before)-1]) >= 0 ||
			len(before) < len(line) && bytes.IndexByte([]byte(":-"), before[len(before)-1]) >= 0
		if first && (isGap(text, i+1) || bytes.IndexByte([]byte(",]}"), text[i+1]) >= 0) {
			continue
		}
		if out == nil {
			out = bytes.Clone(text)
		}
		out[i] = otherMark
	}
	return out
}

// patchText returns a copy of a text with the replacements, nil if there is nothing
// to replace. It replaces more than escapes; unpatch puts the others back.
func patchText(text []byte) []byte {
	directive := bytes.Index(text, []byte(version12))
	if !bytes.Contains(text, []byte(escapedSlash)) && directive < 0 {
		return nil
	}
	out := bytes.Clone(text)
	if directive >= 0 && len(bytes.TrimSpace(text[bomLen(text):directive])) == 0 {
		copy(out[directive:], version11)
	}
	return bytes.ReplaceAll(out, []byte(escapedSlash), []byte(otherEscape))
}

// parsedText is the text that yaml.v3 read.
func (r *reader) parsedText() []byte {
	if r.patched != nil {
		return r.patched
	}
	return r.src
}

// unpatchScalar gives a scalar of a patched text the value it really has.
func (r *reader) unpatchScalar(n *Node) {
	if text := n.Span.Text(); !strings.Contains(text, escapedSlash) && strings.IndexByte(text, question) < 0 {
		return
	}
	patched := decoder{src: r.patched}
	patched.decodeScalar(n.Span.Start, n.Style, int(n.indent), n.Value)
	if string(patched.out) != n.Value {
		return
	}
	original := decoder{src: r.src}
	original.decodeScalar(n.Span.Start, n.Style, int(n.indent), n.Value)
	n.Value = string(original.out)
}
