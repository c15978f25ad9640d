package yamlsrc_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// reparse parses the text of every node's span again and compares the values:
// a span that is too short or too long gives another one. It returns how many
// nodes that made sense for.
func reparse(t *testing.T, n *yamlsrc.Node) int {
	t.Helper()
	count := 0
	if !n.Alias.IsValid() && !hasAlias(n) && !isTagged(n) {
		count++
		doc, list := parse(dedented(n))
		switch {
		case len(list) > 0:
			t.Errorf("%v: %q: %s", n.Span.Position(), n.Span.Text(), list[0].Message)
		case doc.Root == nil && !n.IsNull() || doc.Root != nil && doc.Root.JSON() != n.JSON():
			t.Errorf("%v: %q parses again to %s, not %s", n.Span.Position(), n.Span.Text(), doc.Root.JSON(), n.JSON())
		}
	}
	for _, item := range n.Items {
		count += reparse(t, item)
	}
	for _, p := range n.Pairs {
		if !p.Merged {
			count += reparse(t, p.Key) + reparse(t, p.Value)
		}
	}
	return count
}

// isTagged reports whether the tag of a scalar comes from outside its span.
func isTagged(n *yamlsrc.Node) bool {
	return n.Kind == yamlsrc.Scalar && n.Style == yamlsrc.Plain && n.Value == "" && n.Tag == yamlsrc.TagString
}

func hasAlias(n *yamlsrc.Node) bool {
	for _, item := range n.Items {
		if item.Alias.IsValid() || hasAlias(item) {
			return true
		}
	}
	for _, p := range n.Pairs {
		if p.Merged || p.Key.Alias.IsValid() || p.Value.Alias.IsValid() || hasAlias(p.Key) || hasAlias(p.Value) {
			return true
		}
	}
	return false
}

// dedented is the span's text standing alone: the first line keeps the column it
// has in the file by spaces before it, and block scalars their final break.
func dedented(n *yamlsrc.Node) string {
	text := n.Span.Text()
	if n.Kind == yamlsrc.Scalar && (n.Style == yamlsrc.Literal || n.Style == yamlsrc.Folded) || strings.Contains(text, "|") || strings.Contains(text, ">") {
		content := n.Span.File.Content
		rest := string(content[n.Span.End:])
		for strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r") {
			text += rest[:1]
			rest = rest[1:]
		}
	}
	column := n.Span.Position().Column - 1
	return strings.Repeat(" ", column) + text
}
