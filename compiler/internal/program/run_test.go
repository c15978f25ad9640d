//go:build unix

package program_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// nasty are values that break programs which splice, split or expand them.
var nasty = []string{
	"harmless", "", `'; touch pwned; "$(touch pwned)" \`, "`touch pwned`", "a\n\nb", "* ?", "-n", `"'"'''"""`, `\ \\ \n \0101 \`,
	"$HOME ${HOME} $((1+1))", "  two  spaces ", "EOF\nEND\n", "{x} {{x}} {% x %} %s {0}", "é 日本 🎉", "'''\"\"\"\n\\", "#x", "]=$(touch pwned)",
}

// runs are programs with their output: «v» at each place of the value. Values are
// v; w is always "w"; yes, no and list have the values that their names suggest.
type runs []struct{ name, text, want string }

func (list runs) each(t *testing.T, run func(t *testing.T, text string, values []map[string]value) []string) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			var values []map[string]value
			for _, v := range nasty {
				values = append(values, map[string]value{
					"v": v, "w": "w", "n": "3", "yes": true, "no": false, "list": []string{"a", v, "c"},
				})
			}
			got := run(t, c.text, values)
			for i, v := range nasty {
				if want := strings.ReplaceAll(c.want, "«v»", v); got[i] != want {
					t.Errorf("%s\nwith %q:\ngot  %q\nwant %q", c.text, v, got[i], want)
				}
			}
		})
	}
}

func clean(t *testing.T, text string, found []*diag.Diagnostic) {
	t.Helper()
	for _, d := range found {
		t.Fatalf("%s\n%s at %q: %s", text, d.Code.ID, d.Span.Text(), d.Message)
	}
}

// runBash runs a script once for each set of values.
func runBash(t *testing.T, text string, values []map[string]value) []string {
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash on PATH")
	}
	p, found := bash(t, text)
	clean(t, text, found)
	dir := t.TempDir()
	var driver strings.Builder
	for i, v := range values {
		m := fixed(p.Script, p.Bindings, v)
		if p.Template != nil {
			m = render(p.Template, v)
		}
		file := ""
		name := strconv.Itoa(i)
		driver.WriteString("( { :; ")
		for _, b := range m.bindings {
			read := "IFS= read -r -d '' "
			if b.Words {
				read = "IFS=$' \\t\\n' read -r -d '' -a "
			}
			driver.WriteString(read + b.Name + " || exit 99; ")
			v := m.values[b.Name]
			if b.Echoed {
				v = strings.ReplaceAll(v, `\`, `\\`)
				if rest, ok := strings.CutPrefix(v, "-"); ok {
					v = `\0055` + rest
				}
			}
			file += v + "\x00"
		}
		driver.WriteString("} <.values" + name + "; . ./.script" + name + " </dev/null ) || exit $?; printf '\\0'\n")
		write(t, filepath.Join(dir, ".values"+name), file)
		write(t, filepath.Join(dir, ".script"+name), m.text)
	}
	return outputs(t, len(values), dir, path, "-O", "xpg_echo", "-c", driver.String())
}

// runPython runs a program once for each set of values.
func runPython(t *testing.T, text string, values []map[string]value) []string {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 on PATH")
	}
	p, found := python(t, text)
	clean(t, text, found)
	var programs []any
	for _, v := range values {
		m := fixed(p.Source, p.Bindings, v)
		if p.Template != nil {
			m = render(p.Template, v)
		}
		given := map[string]any{}
		for _, b := range m.bindings {
			given[b.Name] = []any{m.values[b.Name], b.Literal}
		}
		programs = append(programs, []any{given, m.text})
	}
	encoded, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	const start = `
import ast, json, sys
def literal(text):
    try: return ast.literal_eval(text)
    except Exception: return text
for given, text in json.loads(sys.argv[1]):
    names = {name: literal(value) if is_literal else value for name, (value, is_literal) in given.items()}
    exec(compile(text, "step", "exec", dont_inherit=True), names)
    sys.stdout.write("\0")
`
	return outputs(t, len(values), t.TempDir(), path, "-I", "-S", "-B", "-c", start, string(encoded))
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// outputs runs a command that prints so many texts that each end in a NUL byte.
func outputs(t *testing.T, n int, dir string, command ...string) []string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PYTHONUTF8=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	list := strings.Split(string(out), "\x00")
	if err != nil || len(list) != n+1 {
		t.Fatalf("%v: %d results: %s", err, len(list)-1, stderr.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a value was executed")
	}
	return list[:n]
}
