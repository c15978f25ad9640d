package yamlsrc_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// TestCodeExamples reads the examples of the codes that reading YAML raises.
func TestCodeExamples(t *testing.T) {
	seen := 0
	for _, c := range diag.Codes() {
		if !strings.HasPrefix(c.ID, "WFC10") || c.ID == "WFC109" {
			continue
		}
		seen++
		doc, list := parse(c.Document().Bad)
		switch {
		case c.ID == "WFC103":
			if len(list) != 0 || len(doc.Duplicates) == 0 {
				t.Errorf("%s: bad example: %d diagnostics, %d duplicates", c, len(list), len(doc.Duplicates))
			}
		case len(list) != 1 || list[0].Code != c:
			t.Errorf("%s: bad example: %+v", c, list)
		}
		if doc := mustParse(t, c.Document().Good); len(doc.Duplicates) > 0 {
			t.Errorf("%s: good example has duplicate keys", c)
		}
	}
	if seen != 8 {
		t.Errorf("%d codes seen, want 8", seen)
	}
}
