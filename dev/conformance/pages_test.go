package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// TestRecordedDifferences checks the column "recorded" of the page about archon: it names
// classes of the lists of deviations, and the page names every class of today's Archon.
func TestRecordedDifferences(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "dialects", "archon.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, d := range readDeviations(t).classes {
		listed[d.Class] = true
	}
	page, rows, inTable := string(content), 0, false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "|") {
			inTable = false
			continue
		}
		if last := strings.TrimSpace(cells[len(cells)-1]); last == "recorded" && strings.HasPrefix(line, "| topic") {
			inTable = true
		} else if inTable {
			for _, m := range codeSpan.FindAllStringSubmatch(last, -1) {
				rows++
				if !listed[m[1]] {
					t.Errorf("no list of deviations has the class %q", m[1])
				}
			}
		}
	}
	if rows < 20 {
		t.Errorf("the tables name %d classes", rows)
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
		if !strings.Contains(page, "`"+d.Class+"`") {
			t.Errorf("the page about archon does not name the class %q", d.Class)
		}
	}
}
