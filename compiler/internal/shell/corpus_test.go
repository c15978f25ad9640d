package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// TestCorpus rewrites the block scripts of the real workflow files, where they
// are at hand: none may be refused.
func TestCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "shared", "corpus", "archon")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no corpus beside the repository")
	}
	scripts, holes := 0, 0
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, src := range blockScripts(string(data)) {
			scripts++
			out, found := rewriteText(src)
			for _, d := range found {
				if d.Severity == diag.Error {
					t.Errorf("%s: %s at %q: %s\n%s", path, d.Code, d.Span.Text(), d.Message, src)
				} else if d.Severity == diag.Warning {
					t.Logf("%s: %s", filepath.Base(path), d.Message)
				}
			}
			if out != nil {
				holes += len(out.Bindings)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d scripts, %d bindings", scripts, holes)
	if scripts == 0 {
		t.Error("the corpus has no scripts")
	}
}

// blockScripts finds `bash: |` blocks by their indentation, which is all that
// these files need.
func blockScripts(yaml string) []string {
	head := regexp.MustCompile(`^( *(?:- )?)(?:bash|until_bash): *\|[-+]?\s*$`)
	var scripts []string
	lines := strings.Split(yaml, "\n")
	for i := 0; i < len(lines); i++ {
		m := head.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var body []string
		indent := -1
		for i++; i < len(lines); i++ {
			trimmed := strings.TrimLeft(lines[i], " ")
			width := len(lines[i]) - len(trimmed)
			if trimmed != "" && width <= len(m[1]) {
				i--
				break
			}
			if indent < 0 && trimmed != "" {
				indent = width
			}
			body = append(body, lines[i][min(len(lines[i]), max(0, indent)):])
		}
		scripts = append(scripts, strings.Join(body, "\n"))
	}
	return scripts
}
