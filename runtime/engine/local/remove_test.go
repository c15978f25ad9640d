package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Removing a run leaves nothing of it, and everything of others.
func TestRemove(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	def := define("demo", step{key: "a"})
	first := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	second := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if err := e.Remove(context.Background(), first.ID, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.folder.RunDir(first.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the run: %v", err)
	}
	if _, err := e.Status(context.Background(), first.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the run's status: %v", err)
	}
	if _, err := e.Status(context.Background(), second.ID); err != nil {
		t.Error(err)
	}
	if err := e.Remove(context.Background(), first.ID, false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := os.Stat(w.folder.RunDir(first.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the second removal made the folder: %v", err)
	}
}

// A run that somebody works on stays.
func TestRemoveOfARunThatIsHeld(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	w.performer.set("a", w.performer.block)
	id, err := e.RunAsync(context.Background(), define("demo", step{key: "a"}), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	var busy *local.BusyError
	if err := e.Remove(context.Background(), id, true); !errors.As(err, &busy) {
		t.Errorf("removed: %v", err)
	}
	if err := e.Cancel(context.Background(), id, "test"); err != nil {
		t.Fatal(err)
	}
	if err := e.Remove(context.Background(), id, false); err != nil {
		t.Error(err)
	}
}

// Of worktrees and branches only work that is kept elsewhere is removed without
// being forced.
func TestRemoveOfAWorktree(t *testing.T) {
	for _, c := range []struct {
		name string
		// work is what is done in the worktree.
		work func(t *testing.T, git func(args ...string) string, w *local.Worktree)
		// unsaved is why the run stays, or "".
		unsaved string
	}{
		{"nothing done", func(*testing.T, func(...string) string, *local.Worktree) {}, ""},
		{"a change that is not committed", func(t *testing.T, _ func(...string) string, w *local.Worktree) {
			write(t, filepath.Join(w.Path, "new"), "x")
		}, "has changes that are not committed"},
		{"a commit", func(t *testing.T, git func(...string) string, w *local.Worktree) {
			commitIn(t, git, w)
		}, "is not merged"},
		{"a commit that is merged", func(t *testing.T, git func(...string) string, w *local.Worktree) {
			commitIn(t, git, w)
			git("merge", "-q", w.Branch)
		}, ""},
		{"a worktree that is gone, with a commit", func(t *testing.T, git func(...string) string, w *local.Worktree) {
			commitIn(t, git, w)
			git("worktree", "remove", w.Path)
		}, "is not merged"},
		{"a worktree that is gone", func(t *testing.T, git func(...string) string, w *local.Worktree) {
			if err := os.RemoveAll(w.Path); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"a branch that is gone", func(t *testing.T, git func(...string) string, w *local.Worktree) {
			git("worktree", "remove", w.Path)
			git("branch", "-D", w.Branch)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			git := w.repository(t)
			e := w.engine(t, nil)
			opt := w.options()
			opt.Worktree = &local.Worktree{}
			r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, opt))
			c.work(t, git, r.Worktree)
			err := e.Remove(context.Background(), r.ID, false)
			var unsaved *runerr.UnsavedError
			if c.unsaved == "" {
				if err != nil {
					t.Fatal(err)
				}
			} else if !errors.As(err, &unsaved) || !strings.Contains(err.Error(), c.unsaved) {
				t.Fatalf("got %v, want one that %s", err, c.unsaved)
			} else if _, err := e.Status(context.Background(), r.ID); err != nil {
				t.Fatalf("the run went: %v", err)
			} else if err := e.Remove(context.Background(), r.ID, true); err != nil {
				t.Fatalf("forced: %v", err)
			}
			if list := git("worktree", "list"); strings.Contains(list, r.ID) {
				t.Errorf("worktrees:\n%s", list)
			}
			if list := git("branch", "--list"); strings.Contains(list, r.ID) {
				t.Errorf("branches:\n%s", list)
			}
			if _, err := os.Stat(r.Worktree.Path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the worktree: %v", err)
			}
		})
	}
}

// commitIn commits a file in a worktree.
func commitIn(t *testing.T, git func(args ...string) string, w *local.Worktree) {
	t.Helper()
	write(t, filepath.Join(w.Path, "new"), "x")
	git("-C", w.Path, "add", ".")
	git("-C", w.Path, "commit", "-q", "-m", "new")
}
