package checks

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

// Reports show no text of files outside of the project, whether a workflow names
// them or is a link to one.
func TestTextOutsideIsNotShown(t *testing.T) {
	top := t.TempDir()
	const secret = "root-of-all-secrets"
	for path, text := range map[string]string{
		"outside/secret.md":          "Sum up $" + secret + ".output\n",
		"outside/secret.yaml":        "name: " + secret + "\nnodes: " + secret + "\n",
		"project/.git/HEAD":          "",
		"project/commands/own.md":    "Sum up $unknown.output\n",
		"project/flow.yaml":          "name: w\ndescription: d\nnodes:\n  - {id: a, command: linked}\n",
		"project/own.yaml":           "name: w\ndescription: d\nnodes:\n  - {id: a, command: own}\n",
		"home/.archon/commands/h.md": "Sum up $unknown.output\n",
		"project/home.yaml":          "name: w\ndescription: d\nnodes:\n  - {id: a, command: h}\n",
	} {
		path = filepath.Join(top, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"project/commands/linked.md": "outside/secret.md", "project/linked.yaml": "outside/secret.yaml"} {
		if err := os.Symlink(filepath.Join(top, to), filepath.Join(top, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	for name, shown := range map[string]string{"flow.yaml": "", "linked.yaml": "", "own.yaml": "Sum up $unknown.output", "home.yaml": "Sum up $unknown.output"} {
		path := filepath.Join(top, "project", name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := compiler.Compile(source.NewFile(name, content), compiler.Options{Path: path, Dialect: "archon", Home: filepath.Join(top, "home")})
		if len(r.Diagnostics) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
		for _, format := range report.Formats() {
			var out bytes.Buffer
			if err := report.Write(&out, format, &report.Report{Files: 1, Groups: []report.Group{{Name: name, Diagnostics: r.Diagnostics}}}, report.Options{}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), secret) {
				t.Errorf("%s as %s shows text from outside:\n%s", name, format, &out)
			}
			if format == report.Text && !strings.Contains(out.String(), shown) {
				t.Errorf("%s: the text is not shown:\n%s", name, &out)
			}
		}
	}
}
