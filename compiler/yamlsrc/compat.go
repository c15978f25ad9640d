package yamlsrc

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// yaml.v3 does not know two things of YAML 1.2: the escape \/, which came from
// JSON, and the directive that names the version. A file that it rejects is
// therefore tried again with others of the same length in their place. Nothing
// moves by that, and the scalars concerned are decoded here from the text as it
// really is.

const (
	escapedSlash, otherEscape = `\/`, `\v`
	version12, version11      = "%YAML 1.2", "%YAML 1.1"
)

// decodeCompatible is decodeYAML for a text that needs replacements; it returns
// the text that was read, or nil if none was needed.
func decodeCompatible(text []byte) (root *yaml.Node, read []byte, err error) {
	root, err = decodeYAML(text)
	if err == nil {
		return root, nil, nil
	}
	patched := patch(text)
	if patched == nil {
		return nil, nil, err
	}
	if r, e := decodeYAML(patched); e == nil {
		return r, patched, nil
	}
	return nil, nil, err
}

// patch returns a copy of a text with the replacements, nil if there is nothing
// to replace. It replaces more than escapes; unpatch puts the others back.
func patch(text []byte) []byte {
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

// unpatch gives a scalar of a patched text the value it really has.
func (r *reader) unpatch(n *Node) {
	if !strings.Contains(n.Span.Text(), escapedSlash) {
		return
	}
	read := decoder{src: r.patched}
	read.scalar(n.Span.Start, n.Style, n.indent, n.Value)
	if string(read.out) != n.Value {
		return
	}
	original := decoder{src: r.src}
	original.scalar(n.Span.Start, n.Style, n.indent, n.Value)
	n.Value = string(original.out)
}
