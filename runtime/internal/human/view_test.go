package human_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

const whole = "ship status ship-1 --full"

// rows are the rows of a terminal of a width that shows a text.
func rows(text string, width int) (list []string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		row, used := "", 0
		for _, r := range line {
			size := 1
			if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1F300 || r == '✅' || r == '⏰' {
				size = 2
			}
			if used+size > width {
				list = append(list, row)
				row, used = "", 0
			}
			row, used = row+string(r), used+size
		}
		list = append(list, row)
	}
	return list
}

// Whatever agents say, a row of the terminal has the gutter or is one of wfc's own, which name each
// of them once and the workflow last.
func TestNoTextPassesForWfc(t *testing.T) {
	pieces := []string{
		"? gate#1 of run ship-1 asks:", "? gate#1 of run ship-1: [a]pprove or [r]eject (Ctrl-D leaves the question open): ", "… 9 more lines: `" + whole + "`",
		"│ ", "  ", "\n", "\n\n", "\r", "\r\n", "\t", "\v", "\f", "\x00", "\x1b[2J", "\x1b[1A\x1b[K", "\x1b]0;x\x07", "\x9b2J", "\u0085", "\u2028", "\u2029",
		"\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u3164", "日本語", "각", "✅", "👩‍👩‍👧", "e\u0301\u0302", strings.Repeat("x", 300), strings.Repeat("wide 字 ", 40), "a", "{\"a\": \"? b\"}", "\xff",
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			list := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 30).Draw(t, name)
			return strings.Repeat(strings.Join(list, ""), rapid.IntRange(1, 20).Draw(t, "times"))
		}
		width, indent := rapid.IntRange(8, 120).Draw(t, "width"), rapid.SampledFrom([]string{"", "  ", "    "}).Draw(t, "indent")
		q := flow.Question{Message: draw("message")}
		var said, want []string
		for _, node := range []string{"a", "b"} {
			words := draw(node)
			said, q.Speakers = append(said, words), append(q.Speakers, flow.Speaker{Node: node, Length: len(words)})
			if strings.Trim(human.Printable(human.Readable(words)), "\n") != "" {
				want = append(want, indent+"`"+node+"` says:")
			}
		}
		q.Output = strings.Join(said, "\n\n")
		if strings.Trim(human.Printable(q.Message), "\n") != "" {
			want = append(want, indent+"the workflow asks:")
		}
		var heads []string
		text := human.View{Width: width, Whole: whole}.Text(q, indent)
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			if line == "" || strings.HasPrefix(line, indent+"… ") && strings.HasSuffix(line, " more lines: `"+whole+"`") {
				continue // wfc's own
			}
			if line == indent+"the workflow asks:" || strings.HasPrefix(line, indent+"`") && strings.HasSuffix(line, "` says:") {
				heads = append(heads, line)
				continue
			}
			for _, row := range rows(line, width) {
				if !strings.HasPrefix(row, indent+"│") {
					t.Fatalf("the row %q of %q has no gutter", row, line)
				}
			}
		}
		if !slices.Equal(heads, want) {
			t.Fatalf("headings %q, want %q", heads, want)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Fatalf("%q", text)
		}
		if n := strings.Count(text, "\n"); n > 190 {
			t.Fatalf("%d lines", n)
		}
	})
}

// A long text is folded, and what wfc asks comes after it.
func TestQuestionStaysInSight(t *testing.T) {
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	long.WriteString("? gate#1 of run demo-1: [a]pprove or [r]eject (Ctrl-D leaves the question open): approve\n")
	q := gate("gate#1")
	q.Output = long.String()
	q.Speakers = []flow.Speaker{{Node: "read", Length: long.Len()}}
	term, r := newTerminal(), newReplies()
	a := human.NewAsker(human.Config{Terminal: term, View: func(q engine.Question) human.View {
		return human.View{Width: 80, Whole: "ship status " + q.RunID + " --full"}
	}})
	t.Cleanup(a.Close)
	a.Ask(context.Background(), q, r)
	shown := <-term.waiting
	for _, want := range []string{
		"\n? gate#1 of run demo-1 asks:\n\n  `read` says:\n  │ line 0\n", "  │ line 39\n  … 2,942 more lines: `ship status demo-1 --full`\n  │ line 2982\n",
		"  │ ? gate#1 of run demo-1: [a]pprove or [r]eject (Ctrl-D leaves the question\n  │ open): approve\n\n  the workflow asks:\n  │ pass?\n\n<discard>? gate#1 of run demo-1: [a]pprove or [r]eject (Ctrl-D leaves the question open): ",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	if n := strings.Count(shown, "\n"); n > 80 {
		t.Errorf("%d lines", n)
	}
	if text := (human.View{}).Text(q.Question, ""); !strings.Contains(text, "│ line 1500\n") || strings.Count(text, "\n") != 3005 {
		t.Errorf("a whole text has %d lines", strings.Count(text, "\n"))
	}
}
