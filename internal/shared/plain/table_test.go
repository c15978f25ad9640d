package plain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// tables are rows as the commands print them.
var tables = map[string][][]string{
	"runs": {
		{"RUN", "STATUS", "STARTED", "TOOK", "NOTE"},
		{"release-k3x9qz", "failed", "2026-05-31 12:00:01", "1m3s", "node `build`: the command failed with exit code 2 after three attempts"},
		{"", "", "", "", "gate asks: Shall this be published to all customers, after everybody has read it?"},
		{"  release-k3x9qz--items-2", "limit_reached", "2026-05-31 12:00:01", "", ""},
	},
	"agents": {
		{"AGENT", "KIND", "PROGRAM", "VERSION", "INSTALLED", "SIGNED IN", "USABLE"},
		{"reviewer", "claude", "/usr/local/lib/tools/bin/claude", "2.1.7 (Claude Code)", "yes", "unknown", "no"},
	},
	"steps": {
		{"✓", "  items[2]", "bash", "completed", "\"a long text of an item of the list\": 12s, $0.0123, 1,234 tokens in, 567 out"},
		{"?", "gate", "approval", "waiting", ""},
	},
	"codes": {{"WFC101", "error", "invalid-yaml", "A title of a code that says in one line what is wrong"}},
}

func TestTableFitsEveryWidth(t *testing.T) {
	for name, table := range tables {
		for width := 40; width <= 200; width++ {
			got := plain.Table(width, copied(table)...)
			for i, text := range got {
				for line := range strings.SplitSeq(text, "\n") {
					if n := utf8.RuneCountInString(line); n > width || strings.HasSuffix(line, " ") {
						t.Errorf("%s: %d columns of %d: %q", name, n, width, line)
					}
				}
				for _, cell := range table[i] {
					for word := range strings.FieldsSeq(cell) {
						if !strings.Contains(text, word) {
							t.Errorf("%s at %d columns breaks %q: %q", name, width, word, text)
						}
					}
				}
			}
		}
		for i, text := range plain.Table(0, copied(table)...) {
			if strings.Contains(text, "\n") || !strings.Contains(text, strings.TrimSpace(table[i][0])) {
				t.Errorf("%s without a limit: %q", name, text)
			}
		}
	}
	if got, want := strings.Join(plain.Table(20, []string{"a", "one two three four"}, []string{"bcd", "x"}), "|"), "a    one two three\n     four|bcd  x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A row that becomes a paragraph keeps the indentation that shows what it is a part of.
func TestParagraphsAreNested(t *testing.T) {
	got := strings.Join(plain.Table(30, []string{"✓", "each", "workflow"}, []string{"✓", "  each[0]", "a-word-that-is-too-long-for-a-table"}, []string{"✓", "    a", "bash  completed"}), "\n")
	want := "✓  each  workflow\n  ✓  each[0]\n      a-word-that-is-too-long-\n      for-a-table\n    ✓  a  bash  completed"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func copied(table [][]string) [][]string {
	rows := make([][]string, len(table))
	copy(rows, table)
	return rows
}
