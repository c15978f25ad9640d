package script

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
)

var holePattern = regexp.MustCompile(`\$[a-z][a-z-]*\.output(?:\.[a-z]+)?`)

// findHoles takes `$name.output` and `$name.output.field` for holes, as an archon
// front end would.
func findHoles(src string) []Hole {
	var holes []Hole
	for _, m := range holePattern.FindAllStringIndex(src, -1) {
		label := src[m[0]:m[1]]
		holes = append(holes, Hole{
			Start: m[0], End: m[1], Label: label, Type: types.Text,
			Name: strings.NewReplacer(".", "_", "-", "_").Replace(label[1:]),
		})
	}
	return holes
}

func sourceText(src string) source.Text {
	return source.FileText(source.NewFile("script", []byte(src)), 0, len(src))
}

func rewriteText(lang Language, src string) (*Script, []*diag.Diagnostic) {
	var bag diag.Bag
	file := source.NewFile("script", []byte(src))
	out := Rewrite(lang, source.FileText(file, 0, len(src)), findHoles(src), &bag)
	return out, bag.Sorted()
}

func mustRewrite(t testing.TB, lang Language, src string) *Script {
	t.Helper()
	out, found := rewriteText(lang, src)
	for _, d := range found {
		if d.Severity != diag.Note {
			t.Fatalf("%s\n%s at %q: %s", src, d.Code, d.Span.Text(), d.Message)
		}
	}
	return out
}

// needInterpreter returns the interpreter of a language, or skips the test.
func needInterpreter(t testing.TB, lang Language) string {
	name := "node"
	if lang == Python {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("there is no " + name + " on PATH")
	}
	return path
}

// run sets the variables of a script and runs it in an empty folder, which must
// be empty afterwards. Literal variables get the value as JSON has it.
func run(t testing.TB, lang Language, s *Script, value string) string {
	t.Helper()
	dir := t.TempDir()
	values := map[string]any{}
	for _, b := range s.Bindings {
		values[b.Name] = value
		var parsed any
		if b.Literal && json.Unmarshal([]byte(value), &parsed) == nil {
			values[b.Name] = parsed
		}
	}
	content, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "values.json"), string(content))
	var args []string
	if lang == JavaScript {
		writeFile(t, filepath.Join(dir, "first.cjs"), "Object.assign(globalThis, JSON.parse(require('fs').readFileSync(__dirname + '/values.json', 'utf8')))")
		writeFile(t, filepath.Join(dir, "main.mjs"), s.Text)
		args = []string{"--require", "./first.cjs", "main.mjs"}
	} else {
		writeFile(t, filepath.Join(dir, "main.py"), s.Text)
		args = []string{"-W", "ignore", "-c", "import builtins, json; vars(builtins).update(json.load(open('values.json', encoding='utf-8'))); exec(compile(open('main.py', newline='', encoding='utf-8').read(), 'main.py', 'exec', dont_inherit=True))"}
	}
	cmd := exec.Command(needInterpreter(t, lang), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "HOME=" + os.Getenv("HOME")}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\nscript: %s", err, stderr.String(), s.Text)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Errorf("a value was executed\n%s", s.Text)
	}
	return stdout.String()
}

func writeFile(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
