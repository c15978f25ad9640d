package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostWords are the words, as `wc -w` counts them, of the pages below docs without the list
// of codes, of those about single parts, and of the README. The aims are 55,000, 12,000 and 900.
var mostWords = map[string]int{"docs": 55_000, "docs/internals": 5_200, "README.md": 900}

// TestWords checks that a fact that gets a second place, or an essay, pays with words
// elsewhere.
func TestWords(t *testing.T) {
	words := map[string]int{}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		relative := strings.TrimPrefix(filepath.ToSlash(name), root+"/")
		if relative == "docs/checks.md" {
			return nil
		}
		content, err := os.ReadFile(name)
		n := len(strings.Fields(string(content)))
		words["docs"] += n
		if strings.HasPrefix(relative, "docs/internals/") {
			words["docs/internals"] += n
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	words["README.md"] = len(strings.Fields(page(t, "README.md")))
	for name, most := range mostWords {
		t.Logf("%s: %d words", name, words[name])
		if words[name] > most {
			t.Errorf("%s has %d words, more than %d: say each fact once, and link to it", name, words[name], most)
		}
	}
}
