package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/state"
)

func TestLocate(t *testing.T) {
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	repo := filepath.Join(base, "My Repo")
	sub := filepath.Join(repo, "a", "b")
	plain := filepath.Join(base, "plain")
	for _, dir := range []string{sub, plain, filepath.Join(repo, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	xdg := filepath.Join(base, "xdg")
	t.Setenv("XDG_STATE_HOME", xdg)
	t.Setenv("WFC_STATE", "")
	locate := func(given, dir string) string {
		t.Helper()
		f, err := state.Locate(given, dir)
		if err != nil {
			t.Fatal(err)
		}
		return f.Path
	}
	ofRepo := locate("", repo)
	if !strings.HasPrefix(ofRepo, filepath.Join(xdg, "wfc", "My_Repo-")) {
		t.Errorf("of a repository: %s", ofRepo)
	}
	if got := locate("", sub); got != ofRepo {
		t.Errorf("below the repository's root: %s", got)
	}
	ofPlain := locate("", plain)
	if !strings.HasPrefix(ofPlain, filepath.Join(xdg, "wfc", "plain-")) {
		t.Errorf("outside of a repository: %s", ofPlain)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(plain, link); err == nil {
		if got := locate("", link); got != ofPlain {
			t.Errorf("by a symbolic link: %s", got)
		}
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", base)
	if got := locate("", plain); !strings.HasPrefix(got, filepath.Join(base, ".local", "state", "wfc", "plain-")) {
		t.Errorf("in the home folder: %s", got)
	}
	t.Setenv("WFC_STATE", filepath.Join(base, "env"))
	if got := locate("", plain); got != filepath.Join(base, "env") {
		t.Errorf("by the variable: %s", got)
	}
	if got := locate(filepath.Join(base, "flag"), plain); got != filepath.Join(base, "flag") {
		t.Errorf("by the flag: %s", got)
	}
	t.Chdir(base)
	if got := locate("here", plain); got != filepath.Join(base, "here") {
		t.Errorf("by a relative path: %s", got)
	}
}

// Two folders of one name have two states.
func TestLocateTellsFoldersApart(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	t.Setenv("WFC_STATE", "")
	seen := map[string]bool{}
	for _, parent := range []string{"x", "y"} {
		dir := filepath.Join(base, parent, "same")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := state.Locate("", dir)
		if err != nil {
			t.Fatal(err)
		}
		seen[f.Path] = true
	}
	if len(seen) != 2 {
		t.Errorf("%v", seen)
	}
}

func TestPaths(t *testing.T) {
	f := state.Folder{Path: "/s"}
	for got, want := range map[string]string{
		f.Database(): "/s/runs.db", f.RunDir("a-1"): "/s/runs/a-1", f.Artifacts("a-1"): "/s/runs/a-1/artifacts", f.LogFile("a-1"): "/s/runs/a-1/log.jsonl",
		f.LeaseFile("a-1"): "/s/runs/a-1/lease", f.Executable("a-1"): "/s/runs/a-1/executable", f.RunDir("../x"): "/s/runs/_x", f.RunDir(".."): "/s/runs/root",
		f.BinaryFile("b"): "/s/builds/b", f.WorktreeDir("a-1"): "/s/worktrees/a-1",
	} {
		if filepath.ToSlash(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if a, b := f.CheckoutLock("/x"), f.CheckoutLock("/y"); a == b || filepath.Dir(a) != filepath.Join("/s", "locks") {
		t.Errorf("checkout locks %s, %s", a, b)
	}
}
