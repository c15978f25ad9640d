package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// caseNames is a list of names of recorded cases in parentheses.
var caseNames = regexp.MustCompile("\\(((?:`[a-z_]+(?: [a-z_]+)+`(?:, )?)+)\\)")

var codeSpan = regexp.MustCompile("`([^`]+)`")

// TestRecordedDifferences checks the names of recorded cases in the page about archon: the lists
// of deviations have their class, and the page names every class of today's Archon, those of dry
// runs by their first words.
func TestRecordedDifferences(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "dialects", "archon.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, d := range readDeviations(t).classes {
		listed[d.Class] = true
	}
	page, named := strings.Join(strings.Fields(string(content)), " "), 0
	for _, list := range caseNames.FindAllStringSubmatch(page, -1) {
		for _, name := range codeSpan.FindAllStringSubmatch(list[1], -1) {
			named++
			if !listed[name[1]] {
				t.Errorf("no list of deviations has the class %q", name[1])
			}
		}
	}
	if named < 20 {
		t.Errorf("the page names %d classes", named)
	}
	text, err := os.ReadFile(filepath.Join(ownCases, nowFolder, "deviations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	known, err := parseDeviations(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range known.classes {
		name := d.Class
		if strings.HasPrefix(name, "dry run: ") {
			name = "dry run:"
		}
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page about archon does not name the class %q", d.Class)
		}
	}
}
