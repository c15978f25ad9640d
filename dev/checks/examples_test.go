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
	"github.com/wfc-lang/wfc/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite golden texts and docs/checks.md")

// noExample are the codes that no workflow file alone can yield, with the test
// that shows them instead.
var noExample = map[string]string{
	"WFC170": "constants come from the command line: TestConstants in package compiler",
	"WFC171": "constants come from the command line: TestConstants in package compiler",
	"WFC502": "its text is thousands of levels deep: made by a test of package compiler/internal/shell",
	"WFC558": "its text has dozens of branches: made by a test of package compiler/internal/program",
	"WFC565": "its text is too long: made by a test of package compiler/internal/script",
	"WFC199": "no file is known that makes wfc fail: TestPanicBecomesAFinding in package compiler",
}

// compileExample compiles an example of a code as its documentation shows it.
func compileExample(c *diag.Code, text string) []*diag.Diagnostic {
	return explain.Findings(c, explain.File(c, text), testkit.Memory{})
}

// generated are the codes that only generating code can yield.
func generated(c *diag.Code) bool { return strings.HasPrefix(c.ID, "WFC49") }

func TestExamples(t *testing.T) {
	fixtures := fixtureCodes(t)
	for _, c := range diag.Codes() {
		t.Run(c.ID+"-"+c.Slug, func(t *testing.T) {
			if noExample[c.ID] != "" {
				t.Skip(noExample[c.ID])
			}
			if c.Document().Bad == "" {
				if !slices.Contains(fixtures, c.ID) {
					t.Errorf("%s has neither an example nor a fixture", c.ID)
				}
			} else if !generated(c) {
				bad := compileExample(c, c.Document().Bad)
				if !slices.ContainsFunc(bad, func(d *diag.Diagnostic) bool { return d.Code == c }) {
					t.Errorf("the bad example does not yield %s but:%s\n%s", c.ID, listed(bad), c.Document().Bad)
				}
			}
			if c.Document().Good == "" && c.Document().Bad != "" {
				t.Errorf("%s has a bad example but no good one", c.ID)
			}
			if c.Document().Good == "" {
				return
			}
			if good := compileExample(c, c.Document().Good); len(good) > 0 {
				t.Errorf("the good example is not clean:%s\n%s", listed(good), c.Document().Good)
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

func TestCodesAreWellFormed(t *testing.T) {
	ids, slugs := map[string]bool{}, map[string]bool{}
	for _, c := range diag.Codes() {
		if !regexp.MustCompile(`^WFC[1-9]\d\d$`).MatchString(c.ID) || ids[c.ID] {
			t.Errorf("ID %q is malformed or taken twice", c.ID)
		}
		if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(c.Slug) || slugs[c.Slug] {
			t.Errorf("%s: slug %q is malformed or taken twice", c.ID, c.Slug)
		}
		ids[c.ID], slugs[c.Slug] = true, true
		if strings.TrimSpace(c.Document().Text) != c.Document().Text || c.Document().Text == "" {
			t.Errorf("%s: the documentation is empty or has blanks around it", c.ID)
		}
		if c.Portability != (c.ID[3] == '9') {
			t.Errorf("%s: portability codes and no others are of the family 9xx", c.ID)
		}
	}
}

func TestFixtures(t *testing.T) {
	for _, folder := range []string{"checks", "shell", "script"} {
		t.Run(folder, func(t *testing.T) { RunFixtures(t, filepath.Join("..", "..", "testdata", folder), *update) })
	}
}
