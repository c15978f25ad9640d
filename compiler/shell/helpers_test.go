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
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/types"
)

// findHoles takes `$name.output` and `$name.output.field` for holes, as an archon
// front end would. Fields named urgent are of type bool, count of type int.
func findHoles(src string) []Hole {
	var holes []Hole
	for _, m := range regexp.MustCompile(`\$[a-z]\w*\.output(?:\.([a-z]+))?`).FindAllStringSubmatchIndex(src, -1) {
		h := Hole{Start: m[0], End: m[1], Label: src[m[0]:m[1]], Type: types.Text}
		h.Name = strings.ReplaceAll(h.Label[1:], ".", "_")
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

// rewriteText rewrites a script that stands in a file of its own.
func rewriteText(src string) (*Script, []*diag.Diagnostic) {
	var bag diag.Bag
	file := source.NewFile("script.sh", []byte(src))
	out := Rewrite(source.FileText(file, 0, len(src)), findHoles(src), &bag)
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

// runBash runs a rewritten script with the same value for each binding, set as
// the runtime sets them: read from a file into unexported variables.
func runBash(t *testing.T, s *Script, values func(hole int) string) (stdout string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	var prelude, file strings.Builder
	prelude.WriteString("exec 9< bindings\n")
	for _, b := range s.Bindings {
		prelude.WriteString("IFS= read -r -d '' " + b.Name + " <&9\n")
		file.WriteString(values(b.Hole) + "\x00")
	}
	prelude.WriteString("exec 9<&-\n")
	if err := os.WriteFile(filepath.Join(dir, "bindings"), []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bashPath(t), "--norc", "--noprofile", "-c", prelude.String()+s.Text)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=/home/nobody"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	entries, readErr := os.ReadDir(dir)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, e := range entries {
		if e.Name() != "bindings" && !strings.HasPrefix(e.Name(), "out") {
			t.Errorf("the script left %q behind: a value was executed\n%s", e.Name(), s.Text)
		}
	}
	if err != nil {
		return out.String() + "\n" + errs.String(), false
	}
	return out.String(), true
}

func bashPath(t testing.TB) string {
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on PATH")
	}
	return path
}
