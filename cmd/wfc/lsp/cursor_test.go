package lsp

import (
	"strings"
	"testing"
)

// TestCursor finds places in half-typed files: the cursor is at |.
func TestCursor(t *testing.T) {
	for _, test := range []struct{ text, path, prefix, kind string }{
		{"na|", "", "na", "key"},
		{"|", "", "", "key"},
		{"name: w|", "name", "w", "value"},
		{"name: \"w|", "name", "w", "value"},
		{"nodes:\n  - id: a\n    de|", "nodes.*", "de", "key"},
		{"nodes:\n- id: a\n  de|", "nodes.*", "de", "key"},
		{"nodes:\n  - |", "nodes.*", "", "key"},
		{"nodes:\n  - id: a\n\n    # a comment\n    when: |\n  - id: b\n", "nodes.*.when", "", "value"},
		{"nodes:\n  - id: a\n    depends_on:\n      - f|", "nodes.*.depends_on.*", "f", "key"},
		{"nodes:\n  - id: a\n    depends_on:\n    - f|", "nodes.*.depends_on.*", "f", "key"},
		{"nodes:\n  - id: a\n    depends_on: [b, f|", "nodes.*.depends_on.*", "f", "value"},
		{"nodes:\n  - id: a\n    retry: {max: 2, de|", "nodes.*.retry", "de", "key"},
		{"nodes:\n  - id: a\n    retry: {delay: 2|", "nodes.*.retry.delay", "2", "value"},
		{"nodes:\n  - {id: a, when: x|", "nodes.*.when", "x", "value"},
		{"nodes:\n  - id: a\n    bash: |>\n      echo |", "nodes.*.bash", "", "scalar"},
		{"nodes:\n  - id: a\n    bash: |>\n      if x: y\n\n        deep: |", "nodes.*.bash", "", "scalar"},
		{"nodes:\n  - id: a\n    bash: |>\n      echo\n    wh|", "nodes.*", "wh", "key"},
		{"nodes:\n  a:\n    type: task\n    ag|", "nodes.a", "ag", "key"},
		{"nodes:\n  - id: é\U0001F600\n    na|", "nodes.*", "na", "key"},
		{"nodes:\n  - bash: |>\n      echo\n    with:\n      x: 1|", "nodes.*.with.x", "1", "value"},
		{"nodes:\n  - id: a\n    bash: |>\n      echo\n    with:\n      |", "nodes.*.with", "", "key"},
	} {
		// |> is the header of a block scalar, and not the cursor.
		text := strings.Replace(test.text, "|>", "\x00", 1)
		before, after, _ := strings.Cut(text, "|")
		before = strings.Replace(before, "\x00", "|", 1)
		c := newCursor(before+after, len(before))
		kind := "value"
		switch {
		case c.scalar:
			kind = "scalar"
		case c.onKey:
			kind = "key"
		}
		if path := strings.Join(c.symbolPath(), "."); path != test.path || kind != test.kind || c.prefix != test.prefix && kind != "scalar" {
			t.Errorf("%q: a %s at %q behind %q, want a %s at %q behind %q", test.text, kind, path, c.prefix, test.kind, test.path, test.prefix)
		}
	}
}

// TestCursorEverywhere finds a place at every offset of a text, also inside of characters
// and behind its end.
func TestCursorEverywhere(t *testing.T) {
	const text = "nodes:\n  - {id: é, \"a b\": [x, {y: z\n  - bash: >-\n      a: b\n\t\n- - - k: \"\U0001F600\n"
	for at := -1; at <= len(text)+1; at++ {
		c := newCursor(text, at)
		if !strings.HasSuffix(text[:c.offset], c.prefix) && !strings.Contains(text, c.prefix) {
			t.Errorf("the prefix at %d is %q", at, c.prefix)
		}
	}
}
