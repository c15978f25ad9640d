package checks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite golden texts and docs/checks.md")

// noExample are the codes that no workflow file alone can yield, with the test
// that shows them instead.
var noExample = map[string]string{
	"WFC502": "its text is thousands of levels deep, too long or has dozens of branches: tests of the packages shell, program and script of compiler/internal",
	"WFC199": "no file is known that makes wfc fail: TestPanicBecomesAFinding in package compiler",
}

// compileExample compiles a text of a code's example as its documentation shows it.
func compileExample(c *diag.Code, e codes.Example, text string) []*diag.Diagnostic {
	_, findings := explain.Findings(c, e, text, testkit.Memory{})
	return findings
}

// TestExamples checks that each bad example yields its code and no other error, and that each
// good one is clean.
func TestExamples(t *testing.T) {
	fixtures := fixtureCodes(t)
	for _, c := range codes.All() {
		t.Run(c.ID+"-"+c.Slug, func(t *testing.T) {
			examples := codes.DocumentOf(c).Examples
			if len(examples) == 0 && noExample[c.ID] == "" && !slices.Contains(fixtures, c.ID) {
				t.Errorf("%s has neither an example nor a fixture", c.ID)
			}
			for _, e := range examples {
				bad := compileExample(c, e, e.Bad)
				if !slices.ContainsFunc(bad, func(d *diag.Diagnostic) bool { return d.Code == c }) {
					t.Errorf("the bad example does not yield %s but:%s\n%s", c.ID, listed(bad), e.Bad)
				}
				others := func(d *diag.Diagnostic) bool { return d.Code != c && d.Severity == diag.Error }
				if slices.ContainsFunc(bad, others) && c != codes.YAMLKey { // that leaves a mapping where a string belongs
					t.Errorf("the bad example yields other errors, too:%s\n%s", listed(bad), e.Bad)
				}
				if good := compileExample(c, e, e.Good); len(good) > 0 {
					t.Errorf("the good example is not clean:%s\n%s", listed(good), e.Good)
				}
			}
		})
	}
}

func listed(list []*diag.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "\n  %d: %s %s", d.Span.Position().Line, d.Code.ID, d.Message)
	}
	return b.String()
}

// fixtureCodes are the codes that some fixture expects.
func fixtureCodes(t *testing.T) []string {
	names, err := filepath.Glob(filepath.Join("..", "..", "testdata", "checks", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, regexp.MustCompile(`WFC\d+`).FindAllString(string(content), -1)...)
	}
	return codes
}

func TestFixtures(t *testing.T) {
	for _, folder := range []string{"checks", "shell", "script"} {
		t.Run(folder, func(t *testing.T) { RunFixtures(t, filepath.Join("..", "..", "testdata", folder), *update) })
	}
}
