package plain_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"fits", "one two", 7, "one two"},
		{"breaks at a space", "one two three", 8, "one two\nthree"},
		{"breaks often", "a b c d", 1, "a\nb\nc\nd"},
		{"a long word breaks anywhere", "see https://example.com/long now", 10, "see\nhttps://ex\nample.com/\nlong now"},
		{"lines stay", "one two\n\nthree four\n", 8, "one two\n\nthree\nfour\n"},
		{"indented lines stay indented", "- a\n  one two three", 9, "- a\n  one two\n  three"},
		{"counts columns", "äöü äöü 日本語 ✅", 7, "äöü äöü\n日本語\n✅"},
		{"wide characters in one column", "日本", 1, "日\n本"},
		{"a deep indentation does not stay", "      abc de", 8, "     \nabc de"},
		{"spaces inside stay", "a  b", 4, "a  b"},
		{"empty", "", 5, ""},
	} {
		if got := plain.Wrap(c.text, c.width); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
