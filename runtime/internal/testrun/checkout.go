package testrun

import (
	"context"
	"os/exec"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
)

// unchanged performs an action, and fails it if it changed a checkout that it must not
// change. Only a test whose folder is a repository has a checkout.
func (a *action) unchanged(perform func() flow.Result) flow.Result {
	w := a.world
	if !a.ReadOnly || !w.test.Git && (w.test.Stubs == nil || !w.test.Stubs.Exec) {
		return perform()
	}
	before, err := checkout.Read(context.Background(), w.info, w.folder.ask)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	r := perform()
	if r.Status != flow.Completed {
		return r
	}
	after, err := checkout.Read(context.Background(), w.info, w.folder.ask)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	return checkout.Unchanged(a.Key, before, after, r)
}

// ask runs a git command in the working folder.
func (f *folder) ask(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = f.work(), f.environ(true)
	out, err := cmd.Output()
	return strings.TrimRight(string(out), "\r\n"), err
}
