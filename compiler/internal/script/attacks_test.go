package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// samples are the scripts of a file, one a line; § is a line break.
func samples(t *testing.T, name string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "dev", "attacks", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, line := range strings.Split(string(content), "\n") {
		if line != "" && !strings.HasPrefix(line, "#!") {
			list = append(list, strings.ReplaceAll(line, "§", "\n"))
		}
	}
	return list
}

// TestHostileScripts refuses every script in which a value can become code.
func TestHostileScripts(t *testing.T) {
	for lang, name := range map[Language]string{Python: "script-python-hostile.txt", JavaScript: "script-bun-hostile.txt"} {
		for _, src := range samples(t, name) {
			if _, found := rewriteText(lang, src); !diag.HasErrors(found) {
				t.Errorf("accepted:\n%s", src)
			}
		}
	}
}

// TestContainedScripts accepts the scripts of which no line evaluates a value: it becomes
// code through files, the environment, other programs or reflection, which only a sandbox
// contains.
func TestContainedScripts(t *testing.T) {
	for lang, name := range map[Language]string{Python: "script-python-contained.txt", JavaScript: "script-bun-contained.txt"} {
		for _, src := range samples(t, name) {
			if _, found := rewriteText(lang, src); diag.HasErrors(found) {
				t.Errorf("refused, so it belongs to the hostile ones:\n%s", src)
			}
		}
	}
}

// TestSafeScripts accepts every script that uses values as data, without a
// finding.
func TestSafeScripts(t *testing.T) {
	for lang, name := range map[Language]string{Python: "script-python-safe.txt", JavaScript: "script-bun-safe.txt"} {
		for _, src := range samples(t, name) {
			_, found := rewriteText(lang, src)
			for _, d := range found {
				t.Errorf("%s\n\t%s at %q: %s", src, d.Code, d.Span.Text(), d.Message)
			}
		}
	}
}
