package shell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// The standard output of a script that completed is kept as a file, byte for byte.
func TestArtifact(t *testing.T) {
	b := newBench(t)
	perform := func(script, folder string) (flow.Result, string) {
		call := b.call(flow.Bash{Script: script, SaveStdout: true})
		call.Info.ArtifactsDir, call.Action.Key = folder, "fix[2]/make1"
		r := (&shell.Performer{}).Perform(context.Background(), call)
		return r, call.Info.StdoutPath(call.Action.Key)
	}
	folder := filepath.Join(b.work, "made", "for it")
	r, path := perform(`printf ' a\n\xff\n\n'; echo hidden >&2`, folder)
	content, err := os.ReadFile(path)
	if r.Status != flow.Completed || string(content) != " a\n\xff\n\n" || err != nil || path != filepath.Join(folder, "fix.2.make1.stdout") {
		t.Errorf("%+v, %s has %q, %v", r, path, content, err)
	}
	if r, _ = perform(`echo new; exit 1`, folder); r.Status != flow.Failed {
		t.Errorf("%+v", r)
	}
	if again, _ := os.ReadFile(path); string(again) != string(content) {
		t.Errorf("a failed attempt left %q", again)
	}
	if list, _ := os.ReadDir(folder); len(list) != 1 {
		t.Errorf("there are %v", list)
	}
	if r, _ = perform(`echo x`, path); r.Status != flow.Failed || r.Failure.Reason != "artifact" || !strings.Contains(r.Failure.Message, "its output cannot be kept as a file: ") {
		t.Errorf("a file in the folder's place: %+v", r.Failure)
	}
}
