package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Remove removes a run: its records, its folder, its worktree with the branch, and its
// descendants (see Children). It refuses to remove a child without its root. The error is a
// *BusyError if a process works on the run. Unless force is true, Remove also refuses to
// remove work that exists only in a worktree or on its branch. After an error the run still
// exists.
func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	kept, err := e.cfg.Store.Run(ctx, id) // before the lease, because taking that makes the run's folder
	if err != nil {
		return err
	}
	if up := parentOf(kept.Settings).Run; up != "" {
		return fmt.Errorf("run %s is a part of run %s, and is removed with it", id, up)
	}
	if !force {
		switch unsaved, err := e.unsavedOf(ctx, &kept); {
		case err != nil:
			return err
		case unsaved != "":
			return &runerr.UnsavedError{Run: id, What: unsaved}
		}
	}
	return e.removeRun(ctx, kept, force)
}

func (e *Engine) removeRun(ctx context.Context, kept store.Run, force bool) error {
	id := kept.ID
	lease, err := e.acquireLease(ctx, id)
	if err != nil {
		return err
	}
	defer lease.Release()
	children, err := runstore.Descendants(ctx, e.cfg.Store, id)
	if err != nil {
		return err
	}
	for _, child := range slices.Backward(children) {
		if parentOf(child.Settings).Run != id {
			continue // it goes with its own parent
		}
		if err := e.removeRun(ctx, child, force); err != nil {
			return err
		}
	}
	if _, _, err := endLeftoversOf(ctx, e, id); err != nil {
		return err
	}
	if err := e.removeWorktree(ctx, kept, force); err != nil {
		return err
	}
	if err := e.cfg.Store.DeleteRun(ctx, id); err != nil {
		return err
	}
	lease.Release() // some systems remove no file that is open
	if err := os.RemoveAll(e.folder.RunDir(id)); err != nil {
		return fmt.Errorf("run %s is removed, but not its folder: %w", id, err)
	}
	state.SweepBuilds(filepath.Dir(e.folder.BinaryFile("any")), "", false)
	return nil
}

// Unsaved describes, for people, the work that exists only in the run's worktree or on its
// branch, or in those of its children; "" means that there is none.
func (e *Engine) Unsaved(ctx context.Context, id string) (string, error) {
	kept, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return "", err
	}
	return e.unsavedOf(ctx, &kept)
}

// unsavedOf is Unsaved for a run that was read from the store.
func (e *Engine) unsavedOf(ctx context.Context, r *store.Run) (string, error) {
	text, err := e.unsavedWithoutChildren(ctx, r)
	if err != nil || text != "" {
		return text, err
	}
	children, err := runstore.Descendants(ctx, e.cfg.Store, r.ID)
	for i := range children {
		if text, err = e.unsavedWithoutChildren(ctx, &children[i]); err != nil || text != "" {
			if text != "" {
				text = "run " + children[i].ID + ": " + text
			}
			return text, err
		}
	}
	return "", err
}

// unsavedWithoutChildren is Unsaved for a run without its children.
func (e *Engine) unsavedWithoutChildren(ctx context.Context, r *store.Run) (string, error) {
	w := worktreeOf(r.Settings)
	if w == nil {
		return "", nil
	}
	repository := git.Folder{Path: w.Repository, Environ: e.cfg.Environ}
	if _, err := os.Stat(w.Repository); err != nil {
		return "", nil // the worktree went with its repository
	}
	if !(*worktree.Tree)(w).Gone() {
		tree := git.Folder{Path: w.Path, Environ: e.cfg.Environ}
		changes, err := tree.Status(ctx)
		if err != nil {
			return "", err
		}
		if changes != "" {
			return fmt.Sprintf("its worktree %s has changes that are not committed", w.Path), nil
		}
		inner, err := tree.Inner(ctx)
		if err != nil {
			return "", err
		}
		if len(inner) > 0 {
			return fmt.Sprintf("its worktree %s contains the repository %s, in which changes may not be committed", w.Path, inner[0]), nil
		}
	}
	tip, err := repository.Run(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch)
	if err != nil || tip == w.Base {
		return "", nil // there is no such branch, or nothing on it
	}
	holders, err := repository.Run(ctx, "for-each-ref", "--contains", tip, "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return "", err
	}
	for ref := range strings.Lines(holders) {
		if strings.TrimSpace(ref) != "refs/heads/"+w.Branch {
			return "", nil
		}
	}
	return fmt.Sprintf("its branch %s is not merged", w.Branch), nil
}

// removeWorktree removes a run's worktree and its branch.
func (e *Engine) removeWorktree(ctx context.Context, kept store.Run, force bool) error {
	id, w := kept.ID, worktreeOf(kept.Settings)
	if w == nil {
		return nil
	}
	if !force {
		switch unsaved, err := e.unsavedWithoutChildren(ctx, &kept); {
		case err != nil:
			return err
		case unsaved != "":
			return &runerr.UnsavedError{Run: id, What: unsaved}
		}
	}
	if _, err := os.Stat(w.Repository); errors.Is(err, os.ErrNotExist) {
		return os.RemoveAll(w.Path) // no git knows it any more
	}
	repository := git.Folder{Path: w.Repository, Environ: e.cfg.Environ}
	if (*worktree.Tree)(w).Gone() {
		_, _ = repository.Run(ctx, "worktree", "prune") // git then lets go of the branch
	} else {
		args := []string{"worktree", "remove", w.Path}
		if force {
			args = []string{"worktree", "remove", "--force", w.Path}
		}
		if _, err := repository.Run(ctx, args...); err != nil {
			return fmt.Errorf("run %s is kept: its worktree cannot be removed: %w", id, err)
		}
	}
	if !repository.Has(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+w.Branch) {
		return nil
	}
	if _, err := repository.Run(ctx, "branch", "-D", w.Branch); err != nil {
		return fmt.Errorf("run %s is kept: its branch cannot be removed: %w", id, err)
	}
	return nil
}
