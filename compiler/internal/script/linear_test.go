package script

import (
	"fmt"
	"strings"
	"testing"
)

// TestGrowth compares the work for programs of two lengths: four times the length
// must not need more than about four times the steps.
func TestGrowth(t *testing.T) {
	for name, c := range map[string]struct {
		lang Language
		make func(n int) string
	}{
		"assignments": {Python, func(n int) string { return strings.Repeat("x = y + '$a.output'\n", n) }},
		"calls":       {Python, func(n int) string { return strings.Repeat("f(x, '$a.output')\n", n) }},
		"brackets":    {JavaScript, func(n int) string { return "f('$a.output', " + strings.Repeat("[", n) + strings.Repeat("]", n) + ")" }},
		"functions": {JavaScript, func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "function f%d(v) { return g%d(v) }\n", i, i)
			}
			return b.String() + "f1('$a.output')"
		}},
		"classes":   {Python, func(n int) string { return strings.Repeat("class A:\n    x = 1\n", n) + "A('$a.output')" }},
		"strings":   {Python, func(n int) string { return "f('$a.output'" + strings.Repeat(" 'x'", n) + ")" }},
		"templates": {JavaScript, func(n int) string { return "f('$a.output'" + strings.Repeat(", `${x}`", n) + ")" }},
		"generics":  {JavaScript, func(n int) string { return "f('$a.output'); x" + strings.Repeat(" < y", n) }},
	} {
		t.Run(name, func(t *testing.T) {
			few, many := steps(t, c.lang, c.make(200)), steps(t, c.lang, c.make(800))
			if many > 6*few {
				t.Errorf("%d steps became %d", few, many)
			}
		})
	}
}

// steps returns how many operands an analysis visits.
func steps(t *testing.T, lang Language, src string) int {
	t.Helper()
	p := newProgram(lang, sourceText(src), findHoles(src))
	p.analyseHoles()
	return p.steps
}

// TestTooLong refuses a script whose parts depend on each other in too many ways,
// instead of taking minutes.
func TestTooLong(t *testing.T) {
	for _, src := range []string{strings.Repeat("a = ", 10000) + "'$a.output'", strings.Repeat("'$a.output'\n", 2001)} {
		for _, lang := range []Language{Python, JavaScript} {
			_, found := rewriteText(lang, src)
			if len(found) != 1 || found[0].Code.ID != "WFC502" {
				t.Errorf("%v: found %v", lang, found)
			}
		}
	}
}
