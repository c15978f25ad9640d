package conformance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// agreementFile counts the recorded cases of each format, and those in which wfc agrees.
var agreementFile = filepath.Join(ownCases, "agreement.txt")

// byTheClock has the fewest cases in which wfc agrees, for a format whose steps take real time:
// whether a step ends before another one begins is not always the same.
var byTheClock = map[string]int{"lango": 78}

// compareAgreement compares the counts of the formats with the file, or writes it.
func (c tally) compareAgreement(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# The recorded cases of each format. Written by go -C dev test ./conformance -run TestRecordedCases -update\n")
	for _, name := range slices.Sorted(maps.Keys(c)) {
		n := c[name]
		agreed := n[agrees]
		if least := byTheClock[name]; least > 0 {
			if agreed < least {
				t.Errorf("%s agrees in %d cases, want at least %d", name, agreed, least)
			}
			agreed = least
		}
		fmt.Fprintf(&b, "%s agrees %d of %d\n", name, agreed, n[agrees]+n[deviates])
	}
	if *update {
		if err := os.WriteFile(agreementFile, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(agreementFile); err != nil || string(old) != b.String() {
		t.Errorf("%s is out of date; go test -run TestRecordedCases -update writes:\n%s", agreementFile, b.String())
	}
}

// The pages for people who come from another program give the figures of the recorded cases.
func TestAgreementOnPages(t *testing.T) {
	text, err := os.ReadFile(agreementFile)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{"archon": "archon", "archon-now": "archon", "graphloop": "graph-loop", "lango": "lango", "xprompt": "gai-sase"}
	for line := range strings.Lines(string(text)) {
		var name string
		var agree, all int
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%s agrees %d of %d", &name, &agree, &all); err != nil {
			t.Fatalf("%s: %q: %v", agreementFile, line, err)
		}
		page := filepath.Join(root, "docs/coming-from", pages[name]+".md")
		words, err := os.ReadFile(page)
		if err != nil {
			t.Errorf("the format %s has no page: %v", name, err)
			continue
		}
		want := fmt.Sprintf("%d of %d", agree, all)
		if !strings.Contains(strings.ReplaceAll(strings.Join(strings.Fields(string(words)), " "), ",", ""), want) {
			t.Errorf("%s does not say that wfc agrees in %s cases of %s", page, want, name)
		}
	}
}
