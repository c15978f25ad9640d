package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/oracle"
)

// TestNesting feeds scripts that nest without end: each gets a verdict, none
// ends the process.
func TestNesting(t *testing.T) {
	const n = 200_000
	for name, src := range map[string]string{
		"subshells": strings.Repeat("(", n), "substitutions": strings.Repeat("$(", n), "arithmetic": strings.Repeat("$((", n),
		"expansions": "echo " + strings.Repeat("${x:-", n), "conditions": strings.Repeat("if ", n), "quotes": strings.Repeat("\"$(", n),
		"groups": strings.Repeat("{ ", n), "subscripts": strings.Repeat("a[", n), "ternaries": "((" + strings.Repeat("1?", n),
		"closed": "echo " + strings.Repeat("$(", n) + strings.Repeat(")", n) + " $a.output",
	} {
		_, found := rewriteText(src)
		if len(found) == 0 {
			t.Errorf("%s: no diagnostic", name)
		}
		if name == "closed" && found[0].Code.ID != "WFC502" {
			t.Errorf("%s: %v", name, messages(found))
		}
	}
}

// TestLongScripts checks that time grows with the length of a script only.
func TestLongScripts(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2_000
	}
	for name, src := range map[string]string{
		"lines":     strings.Repeat("x=$a.output; echo \"$x\" >> log\n", n),
		"chain":     "true" + strings.Repeat(" && echo $a.output", n),
		"pipe":      "true" + strings.Repeat(" | echo $a.output", n),
		"one word":  "echo " + strings.Repeat("$a.output", n),
		"hand on":   "x0=$a.output\n" + numbered(n, "x%d=$x%d\n") + "eval2 \"$x1\"\n",
		"backward":  "while :; do\n" + numbered(n, "y%[2]d=$y%[1]d\n") + "done; y9=$a.output\n",
		"loops":     strings.Repeat("for i in $a.output; do x=$i; f() { echo \"$x\"; }; done\n", n/10),
		"heredoc":   "cat <<'EOF'\n" + strings.Repeat("a $a.output $x\n", n) + "EOF\n",
		"guards":    "x=$a.output\n" + numbered(n, "if (( x%d > x + %d )); then echo y; fi\n"),
		"in place":  "x=$a.output\n" + numbered(n, "[[ -n $x && $x%d -gt %d ]] || true\n"),
		"grow":      strings.Repeat("x=$x$a.output\n", n),
		"in a loop": "while :; do\n" + strings.Repeat("[ -n \"$y\" ] && x=$x$a.output && y=$x\n", n) + "done\n",
		"globals":   numbered(n/4, "f%[1]d() { g=\"$1$g\"; h=$%[2]d; }\n") + numbered(n/4, "f%[1]d \"$g\" # %[2]d\n") + "echo $a.output\n",
		"calls":     "f() { \"$@\"; }\n" + strings.Repeat("f echo b\n", n/4) + "echo $a.output\n",
		"files":     numbered(n/4, "echo $a.output > a%[2]d; cat a%[2]d > b%[1]d; bash c%[1]d\n"),
		"handed on": numbered(n/4, "cat a%d > a%d\n") + "bash run\necho $a.output > a0\n",
		"arrays":    numbered(n/4, "a+=($a.output); echo \"${a[%d]}\" # %d\n"),
		"evals":     "x=$a.output; y=1\n" + strings.Repeat("eval \"z=\\$y\"\n", n/20),
	} {
		start := time.Now()
		out, found := rewriteText(src)
		if out == nil {
			t.Errorf("%s: %v", name, messages(found)[:1])
		}
		t.Logf("%s: %d KiB in %v", name, len(src)>>10, time.Since(start).Round(time.Millisecond))
	}
}

// numbered repeats a line with a number and the one before it.
func numbered(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i+1, i)
	}
	return b.String()
}

// TestManyValues checks that a variable in which very many values meet is hostile.
func TestManyValues(t *testing.T) {
	src := "x=\n" + numbered(300, "x=\"$x$n%d.output%.0d\"\n") + "eval \"$x\"\n"
	_, found := rewriteText(src)
	if !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code.ID == "WFC510" }) {
		t.Errorf("%v", messages(withoutQuoteNotes(found)))
	}
}

// TestUnreadable checks scripts that the parser rejects, by bash's verdict about
// them.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		script  string
		verdict Verdict
		code    string // "" means that the script passes as it is
	}{
		{"if true; then\n", Rejected, "WFC500"},
		{"if true; then\n", Unknown, "WFC500"},
		{"if true; then\n", Accepted, ""},
		{"if true; then\n echo $a.output\n", Rejected, "WFC500"},
		{"if true; then\n echo $a.output\n", Accepted, "WFC501"},
	} {
		var bag diag.Bag
		asked := 0
		o := DefaultOptions()
		o.Check = func(script string) Verdict {
			asked++
			if strings.Contains(script, "$a.output") {
				t.Errorf("bash was asked about a script with references in it")
			}
			return c.verdict
		}
		out := NewRewriter(o).Rewrite(source.PlainText(c.script), findHoles(c.script), &bag)
		found := bag.Sorted()
		switch {
		case asked != 1:
			t.Errorf("%q: bash was asked %d times", c.script, asked)
		case c.code == "" && (out == nil || out.Text != c.script || len(found) > 0):
			t.Errorf("%q: %v, want the script as it is", c.script, messages(found))
		case c.code != "" && (out != nil || len(found) != 1 || found[0].Code.ID != c.code):
			t.Errorf("%q: %v, want %s", c.script, messages(found), c.code)
		}
	}
}

// TestSyntaxPositions checks the places and words of syntax errors.
func TestSyntaxPositions(t *testing.T) {
	bashPath(t)
	for _, c := range []struct {
		script       string
		line, column int
		message      string
	}{
		{"echo a\nif true; then\n  echo\n", 2, 1, "`if` is never closed with `fi`"},
		{"echo a\necho 'x\n", 2, 6, "the quote `'` is never closed"},
		{"echo a\n  echo $(ls\n", 2, 8, "`$(` has no matching `)`"},
		{"echo a\nfi\n", 2, 1, "`fi` is not allowed here"},
		{"for $a.output; do echo; done; }", 1, 31, ""},
		{"echo a &&\n", 1, 8, "`&&` must be followed by a statement"},
	} {
		_, found := rewriteText(c.script)
		if len(found) != 1 {
			t.Errorf("%q: %v", c.script, messages(found))
			continue
		}
		at := found[0].Span.Position()
		if at.Line != c.line || at.Column != c.column || !strings.HasSuffix(found[0].Message, c.message) {
			t.Errorf("%q: %d:%d %s, want %d:%d %s", c.script, at.Line, at.Column, found[0].Message, c.line, c.column, c.message)
		}
	}
}

// TestBashChecker asks bash itself.
func TestBashChecker(t *testing.T) {
	bashPath(t)
	check := BashChecker(oracle.OnPath())
	for script, want := range map[string]Verdict{"echo ok": Accepted, "if": Rejected, "[[ a b c ]]\necho\n": Rejected} {
		if got := check(script); got != want {
			t.Errorf("%q: %v, want %v", script, got, want)
		}
	}
	t.Setenv("PATH", "")
	if got := check("echo"); got != Unknown {
		t.Errorf("without bash: %v", got)
	}
}
