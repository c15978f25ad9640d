package shell

import (
	"testing"
)

// TestFix applies the fixes that are offered.
func TestFix(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`echo ${$a.output}`, `echo $a.output`},
		{`echo $ARGUMENTS x`, `echo "$ARGUMENTS" x`},
		{`echo --x=${CONTEXT}`, `echo --x="${CONTEXT}"`},
	} {
		_, found := rewriteText(c.src)
		if len(found) != 1 || len(found[0].Fixes) != 1 {
			t.Errorf("%s: %v, want one with a fix", c.src, messages(found))
			continue
		}
		e := found[0].Fixes[0].Edits[0]
		if got := c.src[:e.Span.Start] + e.New + c.src[e.Span.End:]; got != c.want {
			t.Errorf("%s becomes %s, want %s", c.src, got, c.want)
		}
	}
}
