package shell

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// exampleScripts returns the block scripts of a workflow text, without their
// indentation.
func exampleScripts(workflow string) []string {
	var scripts []string
	block := regexp.MustCompile(`(?m)^    bash: \|\n((?:      .*\n|\n)*)`)
	for _, m := range block.FindAllStringSubmatch(workflow, -1) {
		scripts = append(scripts, regexp.MustCompile(`(?m)^      `).ReplaceAllString(m[1], ""))
	}
	return scripts
}

// TestExamples checks the examples in the documentation of this family's codes:
// the bad one yields its code, the good one nothing but notes.
func TestExamples(t *testing.T) {
	bashPath(t)
	seen := 0
	for _, c := range diag.Codes() {
		if !strings.HasPrefix(c.ID, "WFC50") && !strings.HasPrefix(c.ID, "WFC51") && !strings.HasPrefix(c.ID, "WFC52") && !strings.HasPrefix(c.ID, "WFC53") && !strings.HasPrefix(c.ID, "WFC95") || len(exampleScripts(c.Document().Good)) == 0 {
			continue
		}
		if strings.Contains(c.Document().Bad, "{%") {
			continue // needs a template engine; package program has tests of it
		}
		seen++
		for _, src := range exampleScripts(c.Document().Bad) {
			_, found := rewriteText(src)
			if !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code == c }) {
				t.Errorf("%s: the bad example yields %v", c.ID, messages(found))
			}
		}
		for _, src := range exampleScripts(c.Document().Good) {
			out, found := rewriteText(src)
			if found = withoutQuoteNotes(found); out == nil || len(found) > 0 {
				t.Errorf("%s: the good example yields %v", c.ID, messages(found))
			}
		}
	}
	if seen < 9 {
		t.Errorf("examples of %d codes, want 9", seen)
	}
}

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
