// Package worktree makes separate git worktrees for runs, for all engines.
package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// A run may work in a separate git worktree: a second checkout of the repository, on its
// own branch, in the state folder. Its changes there do not touch the checkout that it
// was started from, so several runs can work side by side.
//
// The content of a worktree is the result of the run. So this package never removes a
// worktree that a run has begun to work in; it tells people where it is and how to remove
// it. It only removes worktrees of runs that could not begin.

// A Tree is the separate git worktree of a run.
type Tree struct {
	// Path is the root of the worktree. The run works there or, if it was started in a
	// subfolder of its repository, in the same subfolder of the worktree.
	Path string `json:"path"`
	// Branch is the branch that was made for it.
	Branch string `json:"branch"`
	// Base is the commit at which the branch began.
	Base string `json:"base"`
	// Repository is the root of the checkout that the run was started in.
	Repository string `json:"repository"`
	// LacksUncommitted means that the checkout had uncommitted changes, which the worktree lacks.
	LacksUncommitted bool `json:"left_out,omitempty"`
	// Worker is the worker of a cluster that has the worktree, or "". A run whose files are on
	// a branch alone has no Path.
	Worker string `json:"worker,omitempty"`
}

// Gone reports whether the worktree no longer exists. It is false for one of another machine.
func (w *Tree) Gone() bool {
	if w.Worker != "" || w.Path == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(w.Path, ".git"))
	return errors.Is(err, os.ErrNotExist)
}

// Adopt returns the worktree of another machine's run as it is to be on this one: at path, and of
// the repository of a folder. It makes nothing.
func (w *Tree) Adopt(ctx context.Context, of git.Folder, path string) (*Tree, error) {
	root, err := of.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("it works in a git worktree, so it can continue only in a clone of its repository: %w", err)
	}
	// Not a short form such as @{-1} or an option: people copy it into commands.
	if name, err := of.Run(ctx, "check-ref-format", "--branch", w.Branch); err != nil || name != w.Branch {
		return nil, fmt.Errorf("`%s` cannot be the name of its branch", plain.Line(w.Branch))
	}
	if strings.Trim(w.Base, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("`%s` cannot be the commit where its branch started", plain.Line(w.Base))
	}
	return &Tree{Path: path, Branch: w.Branch, Base: w.Base, Repository: filepath.FromSlash(root)}, nil
}

// A Site is where worktrees are made: a checkout, the folder in it that runs are
// started in, and the commit that they begin at.
type Site struct {
	git.Folder
	root, folder string
	// Branch is the name that was asked for, or "".
	Branch  string
	commit  string
	leftOut bool
}

// Survey looks at the checkout, and changes nothing.
func (s *Site) Survey(ctx context.Context, base string) error {
	var err error
	if s.root, err = s.Run(ctx, "rev-parse", "--show-toplevel"); err != nil {
		if errors.Is(err, git.ErrMissing) {
			return fmt.Errorf("a separate worktree needs git: %w", err)
		}
		return fmt.Errorf("a separate worktree needs a git repository, and git finds none in %s: %w", s.Path, err)
	}
	s.root = filepath.FromSlash(s.root)
	if s.folder, err = s.Run(ctx, "rev-parse", "--show-prefix"); err != nil {
		return err
	}
	if base == "" {
		base = "HEAD"
		changes, err := s.Status(ctx)
		if err != nil {
			return err
		}
		s.leftOut = changes != ""
	}
	s.commit, err = s.Run(ctx, "rev-parse", "--verify", "--quiet", base+"^{commit}")
	switch {
	case strings.HasPrefix(base, "-"):
		return fmt.Errorf("`%s` cannot be the name of a commit", base)
	case err != nil && base == "HEAD":
		return fmt.Errorf("the repository %s has no commit yet at which a worktree could start", s.root)
	case err != nil:
		return fmt.Errorf("unknown branch, tag or commit `%s` of the repository %s", base, s.root)
	case s.folder != "" && !s.Has(ctx, "rev-parse", "--verify", "--quiet", s.commit+":"+s.folder):
		return fmt.Errorf("a worktree that starts at `%s` would lack the folder %s, in which you start the run; start it in %s, or commit the folder", base, s.folder, s.root)
	}
	return nil
}

// Plan says which worktree a run is to have. The error says why it cannot be
// made; nothing has been changed then.
func (s *Site) Plan(ctx context.Context, dir, id string) (*Tree, error) {
	branch := cmp.Or(s.Branch, "wfc/"+id)
	// The name must be one for a branch, not a short form such as @{-1}.
	if name, err := s.Run(ctx, "check-ref-format", "--branch", branch); err != nil || name != branch {
		return nil, fmt.Errorf("`%s` cannot be the name of a branch: see `git help check-ref-format`", branch)
	}
	if s.Has(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+branch) {
		return nil, fmt.Errorf("the branch `%s` already exists in %s; name another one for the run", branch, s.root)
	}
	// Git keeps refs like files: a/b cannot be beside a.
	for at := path.Dir(branch); at != "."; at = path.Dir(at) {
		if s.Has(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+at) {
			return nil, fmt.Errorf("the branch `%s` cannot be made, because there is a branch `%s` in %s; name another one for the run", branch, at, s.root)
		}
	}
	if below, err := s.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/heads/"+branch+"/"); err != nil || below != "" {
		return nil, errors.Join(err, fmt.Errorf("the branch `%s` cannot be made, because there is a branch `%s` in %s; name another one for the run", branch, below, s.root))
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("the worktree cannot be made: %s already exists", dir)
	}
	return &Tree{Path: dir, Branch: branch, Base: s.commit, Repository: s.root, LacksUncommitted: s.leftOut}, nil
}

// WorkDir is the working folder of a run in its worktree.
func (s *Site) WorkDir(w *Tree) string {
	return filepath.Join(w.Path, filepath.FromSlash(s.folder))
}

// Make makes a worktree and its branch, or nothing.
func (s *Site) Make(ctx context.Context, w *Tree) error {
	if err := os.MkdirAll(filepath.Dir(w.Path), 0o700); err != nil {
		return fmt.Errorf("the run's worktree: %w", err)
	}
	making.Lock()
	defer making.Unlock()
	for try := 1; ; try++ {
		_, err := s.Run(ctx, "worktree", "add", "--quiet", "--no-track", "-b", w.Branch, w.Path, w.Base)
		if err == nil {
			return nil
		}
		s.Unmake(ctx, w)
		if try == 3 || !strings.Contains(err.Error(), "commondir") {
			return fmt.Errorf("the run's worktree: %w", err)
		}
	}
}

// making lets one worktree be made at a time. git reads the entries of all others, and fails at one
// that is half made, for example by another process: at its file commondir.
var making sync.Mutex

// Unmake takes away what Make has just made and nobody has worked in. A branch
// that has moved since is somebody's.
func (s *Site) Unmake(ctx context.Context, w *Tree) {
	_, _ = s.Run(ctx, "worktree", "remove", "--force", w.Path)
	_, _ = s.Run(ctx, "update-ref", "-d", "refs/heads/"+w.Branch, w.Base)
}

// A GoneError says that a run cannot continue because its worktree, if it has one, or its working
// folder does not exist.
type GoneError struct {
	Run      string
	Worktree *Tree
	WorkDir  string
}

// CheckPlace returns a *GoneError unless the worktree of a run, which may be nil, and its working
// folder exist.
func (w *Tree) CheckPlace(run, workDir string) error {
	if w != nil && w.Gone() {
		return &GoneError{run, w, workDir}
	}
	if info, err := os.Stat(workDir); err != nil || !info.IsDir() {
		return &GoneError{Run: run, WorkDir: workDir}
	}
	return nil
}

func (e *GoneError) Error() string {
	w := e.Worktree
	if w == nil {
		return fmt.Sprintf("run %s works in the folder %s, which does not exist; to continue, put the project there and resume the run, or move the run to another folder: `export`, `prune`, then `import` there", e.Run, e.WorkDir)
	}
	repository, branch := plain.ShellWord(w.Repository), plain.ShellWord(w.Branch)
	return fmt.Sprintf("run %s works in the git worktree %s, which does not exist; to continue, fetch its branch from the other machine, or create it again where it started if `prune` has removed it (`git -C %s branch %s %s`), and then: git -C %[3]s worktree add -f %[6]s %[4]s",
		e.Run, w.Path, repository, branch, plain.ShellWord(w.Base), plain.ShellWord(w.Path))
}

// Removal returns the command line that removes the worktree, or "" if there is none. The
// branch stays.
func (w *Tree) Removal() string {
	if w.Path == "" {
		return ""
	}
	return fmt.Sprintf("git -C %s worktree remove %s", plain.ShellWord(w.Repository), plain.ShellWord(w.Path))
}
