package shell

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/types"
)

// findHoles takes `$name.output` and `$name.output.field` for holes, as an archon
// front end would. Fields named urgent are of type bool, count of type int.
func findHoles(src string) []Hole {
	var holes []Hole
	for _, m := range regexp.MustCompile(`\$[a-z][\w-]*\.output(?:\.([a-z]+))?`).FindAllStringSubmatchIndex(src, -1) {
		h := Hole{Start: m[0], End: m[1], Label: src[m[0]:m[1]], Type: types.Text}
		h.Name = strings.NewReplacer(".", "_", "-", "_").Replace(h.Label[1:])
		if m[2] >= 0 {
			switch src[m[2]:m[3]] {
			case "urgent":
				h.Type = types.Bool
			case "count":
				h.Type = types.Int
			}
		}
		holes = append(holes, h)
	}
	return holes
}

// rewriteText rewrites a script that is in a separate file.
func rewriteText(src string) (*Script, []*diag.Diagnostic) {
	var bag diag.Bag
	file := source.NewFile("script.sh", []byte(src))
	options := DefaultOptions()
	options.Check = BashChecker(oracle.OnPath())
	out := NewRewriter(options).Rewrite(source.FileText(file, 0, len(src)), findHoles(src), &bag)
	return out, bag.Sorted()
}

func mustRewrite(t *testing.T, src string) *Script {
	t.Helper()
	out, found := rewriteText(src)
	for _, d := range found {
		if d.Severity != diag.Note {
			t.Fatalf("%s\n%s at %q: %s", src, d.Code, d.Span.Text(), d.Message)
		}
	}
	return out
}

// result is the output of a script and its exit status.
type result struct{ stdout, status string }

// runAll runs a rewritten script once for each value, with all its variables set
// to that value the way the runtime sets them: read from a file into variables
// that are not exported. It fails the test when a script leaves a file behind
// that only an executed value would make.
func runAll(t testing.TB, s *Script, values []string) []result {
	t.Helper()
	return runAfter(t, "", s, values)
}

// runAfter is runAll in a bash that has run some commands before.
func runAfter(t testing.TB, commands string, s *Script, values []string) []result {
	t.Helper()
	dir := t.TempDir()
	var runner, file strings.Builder
	runner.WriteString(standIns + commands + "exec 9< bindings\nwhile ")
	for _, b := range s.Bindings {
		read := "IFS= read -r -d '' "
		if b.Words {
			read = "IFS=$' \\t\\n' read -r -d '' -a "
		}
		runner.WriteString(read + b.Name + " <&9 && ")
	}
	runner.WriteString("true\ndo\n( . ./script ) 9<&- </dev/null\nprintf '\\0%s\\0' $?\ndone\n")
	for _, v := range values {
		for _, b := range s.Bindings {
			file.WriteString(given(b, v) + "\x00")
		}
	}
	if len(s.Bindings) == 0 {
		t.Fatal("a script without bindings would run for ever")
	}
	writeFile(t, dir, "bindings", file.String())
	writeFile(t, dir, "script", s.Text)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bashPath(t), "--norc", "--noprofile", "-c", runner.String())
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=/home/nobody"}
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\nscript: %s", err, stderr.String(), s.Text)
	}
	for _, name := range dirNames(t, dir) {
		if name != "bindings" && name != "script" && name != "out" {
			t.Errorf("the script left %q behind: a value was executed\n%s", name, s.Text)
		}
	}
	parts := strings.Split(stdout.String(), "\x00")
	var results []result
	for i := 0; i+1 < len(parts); i += 2 {
		results = append(results, result{parts[i], parts[i+1]})
	}
	if len(results) != len(values) {
		t.Fatalf("%d results for %d values\n%s\nscript: %s", len(results), len(values), stderr.String(), s.Text)
	}
	return results
}

// standIns replace those of the runtime: a value that is not an integer ends the
// script.
const standIns = "__wfc_int() { while [ $# -gt 0 ]; do case ${2#[-+]} in *[!0-9]*) exit 99 ;; esac; shift 2; done; }\n" +
	"__wfc_num() { __wfc_int \"$@\"; printf %s \"$2\"; }\n"

// given is a value as the runtime hands it over.
func given(b bind.Binding, value string) string {
	if !b.Echoed {
		return value
	}
	value = strings.ReplaceAll(value, `\`, `\\`)
	if rest, ok := strings.CutPrefix(value, "-"); ok {
		return `\0055` + rest
	}
	return value
}

func writeFile(t testing.TB, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func bashPath(t testing.TB) string {
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on PATH")
	}
	return path
}

func dirNames(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
