package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// A step can make a repository inside of the work tree and add it to the index. git runs what
// the configuration of such a repository names, so wfc doesn't let git enter it.
func TestInnerRepositoriesAreNotEntered(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	dir, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	inner := filepath.Join(dir, "lib")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	outside, within := git.Folder{Path: dir, Environ: environ}, git.Folder{Path: inner, Environ: environ}
	do := func(g git.Folder, args ...string) {
		t.Helper()
		if _, err := g.Run(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []git.Folder{outside, within} {
		do(g, "init", "--quiet")
		do(g, "commit", "--quiet", "--allow-empty", "--message=start")
	}
	do(outside, "add", "lib")
	do(within, "config", "core.fsmonitor", "touch '"+ran+"'; false")
	// A work tree's own settings could ask git to enter it.
	if err := os.WriteFile(filepath.Join(dir, ".gitmodules"), []byte("[submodule \"lib\"]\n\tpath = lib\n\turl = ./lib\n\tignore = none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if changes, err := outside.Status(t.Context()); err != nil || changes != "A  lib\n?? .gitmodules" {
		t.Errorf("the changes are %q, %v", changes, err)
	}
	if list, err := outside.Inner(t.Context()); err != nil || !slices.Equal(list, []string{"lib"}) {
		t.Errorf("the repositories inside are %q, %v", list, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran a program that the inner repository names")
	}
	do(outside, "status")
	if _, err := os.Stat(ran); err != nil {
		t.Skip("this git runs no such program, so the test shows nothing")
	}
}
