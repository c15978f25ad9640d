package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A run may work in a git worktree of its own: a second checkout of the
// repository, on a branch of its own, in the state folder. Nothing that the run
// does there touches the checkout that it was started from, so several runs can
// go on side by side.
//
// What a run leaves in its worktree is the reason for having one. So nothing
// here removes a worktree that a run has begun to work in, by force or
// otherwise; people are told where it is and how it is removed. Only what a run
// made that then could not begin is taken away again.

// A Worktree is the separate git worktree of a run.
type Worktree struct {
	// Path is the root of the worktree. The run works there or, if it was started in a
	// subfolder of its repository, in the same subfolder of the worktree.
	Path string `json:"path"`
	// Branch is the branch that was made for it.
	Branch string `json:"branch"`
	// Base is the commit at which the branch began.
	Base string `json:"base"`
	// Repository is the root of the checkout that the run was started in.
	Repository string `json:"repository"`
	// LeftOut means that the checkout had uncommitted changes, which the worktree lacks.
	LeftOut bool `json:"left_out,omitempty"`
}

// Gone reports whether the worktree no longer exists.
func (w *Worktree) Gone() bool {
	_, err := os.Stat(filepath.Join(w.Path, ".git"))
	return errors.Is(err, os.ErrNotExist)
}

// site is where worktrees are made: a checkout, the folder in it that runs are
// started in, and the commit that they begin at.
type site struct {
	git.Folder
	root, folder string
	// branch is the name that was asked for, or "".
	branch  string
	commit  string
	leftOut bool
}

// siteFor returns where a new run's worktree is made, or nil when it has none.
func (e *Engine) siteFor(ctx context.Context, def *flow.Definition, info flow.RunInfo, opt Options) (*site, error) {
	request := opt.Worktree
	switch {
	case def.Worktree == flow.WorktreeNever && request != nil:
		return nil, fmt.Errorf("runs of workflow %s have no worktree of their own: it says `worktree: {enabled: false}`", def.Name)
	case def.Worktree == flow.WorktreeAlways && request == nil:
		request = &Worktree{}
	case request == nil:
		return nil, nil
	}
	s := &site{Folder: git.Folder{Path: info.WorkDir, Environ: e.cfg.Environ}, branch: request.Branch}
	return s, s.survey(ctx, request.Base)
}

// survey looks at the checkout, and changes nothing.
func (s *site) survey(ctx context.Context, base string) error {
	var err error
	if s.root, err = s.Run(ctx, "rev-parse", "--show-toplevel"); err != nil {
		if errors.Is(err, git.ErrMissing) {
			return fmt.Errorf("a run has a worktree of its own by git: %w", err)
		}
		return fmt.Errorf("a run has a worktree of its own in a git repository, and git finds none in %s: %w", s.Path, err)
	}
	s.root = filepath.FromSlash(s.root)
	if s.folder, err = s.Run(ctx, "rev-parse", "--show-prefix"); err != nil {
		return err
	}
	if base == "" {
		base = "HEAD"
		changes, err := s.Run(ctx, "status", "--porcelain")
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
		return fmt.Errorf("the repository %s has no commit yet that a worktree could begin at", s.root)
	case err != nil:
		return fmt.Errorf("`%s` is no branch, tag or commit of the repository %s", base, s.root)
	case s.folder != "" && !s.Has(ctx, "rev-parse", "--verify", "--quiet", s.commit+":"+s.folder):
		return fmt.Errorf("a worktree that begins at `%s` would lack the folder %s, in which the run is started; start it in %s, or commit the folder", base, s.folder, s.root)
	}
	return nil
}

// plan says which worktree a run is to have. The error says why it cannot be
// made; nothing has been changed then.
func (s *site) plan(ctx context.Context, dir, id string) (*Worktree, error) {
	branch := s.branch
	if branch == "" {
		branch = "wfc/" + id
	}
	// The name must be one for a branch, not a short form such as @{-1}.
	if name, err := s.Run(ctx, "check-ref-format", "--branch", branch); err != nil || name != branch {
		return nil, fmt.Errorf("`%s` cannot be the name of a branch: see `git help check-ref-format`", branch)
	}
	if s.Has(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+branch) {
		return nil, fmt.Errorf("the branch `%s` is there already in %s; name another one for the run", branch, s.root)
	}
	// Git keeps refs like files: a/b cannot be beside a.
	for at := path.Dir(branch); at != "."; at = path.Dir(at) {
		if s.Has(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+at) {
			return nil, fmt.Errorf("the branch `%s` cannot be made, since there is a branch `%s` in %s; name another one for the run", branch, at, s.root)
		}
	}
	if below, err := s.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname:short)", "refs/heads/"+branch+"/"); err != nil || below != "" {
		return nil, errors.Join(err, fmt.Errorf("the branch `%s` cannot be made, since there is a branch `%s` in %s; name another one for the run", branch, below, s.root))
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("the worktree cannot be made: %s is there already", dir)
	}
	return &Worktree{Path: dir, Branch: branch, Base: s.commit, Repository: s.root, LeftOut: s.leftOut}, nil
}

// workDir is the working folder of a run in its worktree.
func (s *site) workDir(w *Worktree) string {
	return filepath.Join(w.Path, filepath.FromSlash(s.folder))
}

// make makes a worktree and its branch, or nothing.
func (s *site) make(ctx context.Context, w *Worktree) error {
	if err := os.MkdirAll(filepath.Dir(w.Path), 0o700); err != nil {
		return fmt.Errorf("the run's worktree: %w", err)
	}
	if _, err := s.Run(ctx, "worktree", "add", "--quiet", "--no-track", "-b", w.Branch, w.Path, w.Base); err != nil {
		s.unmake(ctx, w)
		return fmt.Errorf("the run's worktree: %w", err)
	}
	return nil
}

// unmake takes away what make has just made and nobody has worked in. A branch
// that has moved since is somebody's.
func (s *site) unmake(ctx context.Context, w *Worktree) {
	_, _ = s.Run(ctx, "worktree", "remove", "--force", w.Path)
	_, _ = s.Run(ctx, "update-ref", "-d", "refs/heads/"+w.Branch, w.Base)
}

// Settings of a run that the engine keeps beside those of the command line.
type ownSettings struct {
	Worktree *Worktree          `json:"worktree,omitempty"`
	Graph    *flow.GraphOptions `json:"graph,omitempty"`
	Parent   *parent            `json:"parent,omitempty"`
}

// withOwn returns settings that hold those of the engine, too.
func withOwn(settings json.RawMessage, own ownSettings) (json.RawMessage, error) {
	if own == (ownSettings{}) {
		return settings, nil
	}
	all := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(settings)) > 0 {
		if err := json.Unmarshal(settings, &all); err != nil {
			return nil, fmt.Errorf("the settings of the run are no JSON object: %w", plain.JSONError(err, ""))
		}
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// ownOf reads the engine's settings from those of a run.
func ownOf(settings json.RawMessage) ownSettings {
	var own ownSettings
	if len(settings) == 0 || json.Unmarshal(settings, &own) != nil {
		return ownSettings{}
	}
	return own
}

// worktreeOf reads the worktree from a run's settings; nil is none.
func worktreeOf(settings json.RawMessage) *Worktree { return ownOf(settings).Worktree }

// graphOf reads from a run's settings what its caller said of its state graph.
// Limits that are given now replace those that were given before.
func graphOf(settings json.RawMessage, now *flow.GraphOptions) *flow.GraphOptions {
	kept := ownOf(settings).Graph
	if kept == nil || now == nil || now.Limits == nil {
		if kept == nil {
			return now
		}
		return kept
	}
	all := *kept
	all.Limits = now.Limits
	return &all
}

// A worktreeGoneError says that a run cannot go on because its worktree is not
// there any more.
type worktreeGoneError struct {
	Run      string
	Worktree Worktree
}

func (e *worktreeGoneError) Error() string {
	w := &e.Worktree
	return fmt.Sprintf("run %s works in a git worktree of its own, %s, which is not there any more; to go on, make it again of its branch: git -C %s worktree add -f %s %s",
		e.Run, w.Path, plain.ShellWord(w.Repository), plain.ShellWord(w.Path), plain.ShellWord(w.Branch))
}

// Removal returns the command line that removes the worktree. The branch stays.
func (w *Worktree) Removal() string {
	return fmt.Sprintf("git -C %s worktree remove %s", plain.ShellWord(w.Repository), plain.ShellWord(w.Path))
}
