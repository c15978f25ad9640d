package markdown_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/markdown"
)

// In each text, code is between angle brackets.
func TestFindCode(t *testing.T) {
	for _, marked := range []string{
		"no code",
		"an <`inline`> span",
		"<`a`> <``b ` c``> and <`d`>",
		"a stray ` backtick",
		"two `` lengths ` of run",
		"<`over\none line break`>",
		"not ` over\n\na blank line `",
		"<```\nfence\n```>\nafter",
		"<```yaml\nid: `x`\n```>\n<`y`>",
		"- item\n  <````\n```\n````>\nafter",
		"<~~~\ntext ` here\n~~~>\nafter",
		"> <```\n> quoted\n> ```>\nafter",
		"```\nnever closed $a.output",
		"a ~~~ in the middle ~~~",
	} {
		text := strings.NewReplacer("<", "", ">", "").Replace(marked)
		if strings.HasPrefix(marked, "> <") {
			text = "> " + strings.NewReplacer("<", "", "```>", "```").Replace(marked[2:])
		}
		code := markdown.FindCode(text)
		inside, at := false, 0
		quoted := strings.HasPrefix(marked, "> <")
		for i := 0; i < len(marked); i++ {
			switch c := marked[i]; {
			case c == '<':
				inside = true
			case c == '>' && inside && (!quoted || strings.HasPrefix(marked[i:], ">\nafter")):
				inside = false
			default:
				if got := code.Contains(at); got != inside {
					t.Fatalf("%q: byte %d (%q) is code: %t", text, at, text[at:], got)
				}
				at++
			}
		}
	}
}

// A text full of unclosed runs takes linear time.
func TestFindCodeIsLinear(t *testing.T) {
	start := time.Now()
	markdown.FindCode(strings.Repeat("` `` ``` x\n\n", 50_000))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}
