package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestFailingScriptKeepsItsOutput(t *testing.T) {
	b := newBench(t)
	for keep, want := range map[bool]string{false: "", true: "12 failed"} {
		r := b.perform(flow.Bash{Script: "echo 12 failed; exit 3", TextOnFailure: keep})
		if r.Status != flow.Failed || r.Text != want || r.Failure.ExitCode != 3 {
			t.Errorf("%v: %+v %+v", keep, r, r.Failure)
		}
	}
}

func TestRelativeWorkingDirectory(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(b.work, "sub", "folder")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	want, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.output(flow.Bash{Script: "pwd -P", Dir: "sub/folder"}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
