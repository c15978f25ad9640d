package human_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/human"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"no width", "one two three", 0, "one two three"},
		{"fits", "one two", 7, "one two"},
		{"breaks at a space", "one two three", 8, "one two\nthree"},
		{"breaks often", "a b c d", 1, "a\nb\nc\nd"},
		{"a long word stays whole", "see https://example.com/long now", 10, "see\nhttps://example.com/long\nnow"},
		{"lines stay", "one two\n\nthree four\n", 8, "one two\n\nthree\nfour\n"},
		{"indented lines stay indented", "- a\n  one two three", 9, "- a\n  one two\n  three"},
		{"counts characters", "äöü äöü", 7, "äöü äöü"},
		{"spaces inside stay", "a  b", 4, "a  b"},
		{"empty", "", 5, ""},
	} {
		if got := human.Wrap(c.text, c.width); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
