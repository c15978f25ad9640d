package textdiff_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/textdiff"
)

func marked(pieces []textdiff.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Old && p.New:
			b.WriteString(p.Text)
		case p.Old:
			b.WriteString("[-" + p.Text + "-]")
		default:
			b.WriteString("{+" + p.Text + "+}")
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"a b c", "a b c", "a b c"},
		{"Fix the bug now", "Fix every bug now", "Fix [-the -]{+every +}bug now"},
		{"one", "one\ntwo", "[-one-]{+one\ntwo+}"},
		{"", "new text", "{+new text+}"},
		{"old", "", "[-old-]"},
		{"a\n\n  b c", "a\n\n  b d", "a\n\n  b [-c-]{+d+}"},
	} {
		if got := marked(textdiff.Words(c.old, c.new)); got != c.want {
			t.Errorf("%q -> %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// The pieces hold both texts whole.
func TestWordsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab\n \té]{0,20}`)
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		var gotOld, gotNew strings.Builder
		for _, p := range textdiff.Words(old, new) {
			if p.Old {
				gotOld.WriteString(p.Text)
			}
			if p.New {
				gotNew.WriteString(p.Text)
			}
		}
		if gotOld.String() != old || gotNew.String() != new {
			t.Fatalf("%q -> %q: %q and %q", old, new, gotOld.String(), gotNew.String())
		}
	})
}

func TestUnified(t *testing.T) {
	if got := textdiff.Unified("a", "b", "1\n2\n", "1\n3\n"); got != "--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n" {
		t.Errorf("%q", got)
	}
	if got := textdiff.Unified("a", "b", "1\n", "1\n"); got != "" {
		t.Errorf("equal texts differ: %q", got)
	}
}
