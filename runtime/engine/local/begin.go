package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/tuning"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// beginRun makes a new run and takes its lease.
func (e *Engine) beginRun(ctx context.Context, def *flow.Definition, inputs json.RawMessage, opt Options) (*run, error) {
	if err := sandbox.Check(&e.cfg.Sandbox); err != nil {
		return nil, err
	}
	if s, ok := e.cfg.Store.(interface{ PrepareWrites() }); ok {
		s.PrepareWrites()
	}
	info, err := e.newInfo(ctx, def, inputs, opt)
	if err != nil {
		return nil, err
	}
	at, err := e.siteFor(ctx, def, info, opt)
	if err != nil {
		return nil, err
	}
	for range 5 {
		info.ID = opt.ID
		if info.ID == "" {
			info.ID = runid.New(def.Name)
		}
		info.ArtifactsDir, info.LogDir = e.folder.Artifacts(info.ID), e.folder.RunDir(info.ID)
		var tree *worktree.Tree
		if at != nil {
			if tree, err = at.Plan(ctx, e.folder.WorktreeDir(info.ID), info.ID); err != nil {
				return nil, err
			}
			info.WorkDir = at.WorkDir(tree)
		}
		r, err := e.createRun(ctx, def, info, at, tree, opt)
		if errors.Is(err, store.ErrExists) && opt.ID == "" {
			continue // six random letters met twice
		}
		return r, err
	}
	return nil, fmt.Errorf("no free id for a run of %s was found", def.Name)
}

// newInfo says all of a new run but what depends on its id.
func (e *Engine) newInfo(ctx context.Context, def *flow.Definition, inputs json.RawMessage, opt Options) (info flow.RunInfo, err error) {
	if opt.ID != "" && !runid.Valid(opt.ID) {
		return info, fmt.Errorf("`%s` cannot be the id of a run: it must consist of letters, digits, `.`, `-` and `_`, begin with a letter or digit, and not be `%s`", opt.ID, runid.Latest)
	}
	if def == nil || def.Flow == nil {
		return info, errors.New("the workflow cannot run: its definition has no flow")
	}
	dir, err := workDir(opt.WorkDir)
	if err != nil {
		return info, err
	}
	if inputs, err = input.Complete(def, inputs, dir); err != nil {
		return info, err
	}
	info = flow.RunInfo{
		Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: inputs, WorkDir: dir,
		BaseBranch: opt.BaseBranch, DocsDir: opt.DocsDir, Graph: opt.Graph, DeliverTo: opt.DeliverTo,
	}
	if info.BaseBranch == "" && usesBaseBranch(def) {
		// A node that reads it would fail, after others have cost money or asked a person.
		if info.BaseBranch = git.RemoteHead(ctx, dir); info.BaseBranch == "" {
			return info, fmt.Errorf("workflow %s reads the base branch: %s", def.Name, kernel.UnknownBaseBranch)
		}
	}
	info.DocsDir = cmp.Or(info.DocsDir, "docs/")
	return info, nil
}

// usesBaseBranch reports whether a workflow, or one that its runs can begin, reads the base
// branch.
func usesBaseBranch(def *flow.Definition) bool {
	return slices.ContainsFunc(flow.Reachable(def), func(d *flow.Definition) bool { return d.Uses.BaseBranch })
}

// createRun inserts the run, with its worktree if there is to be one. When it
// cannot, nothing of it is left behind.
func (e *Engine) createRun(ctx context.Context, def *flow.Definition, info flow.RunInfo, at *worktree.Site, tree *worktree.Tree, opt Options) (_ *run, err error) {
	settings, err := withOwn(opt.Settings, ownSettings{(*Worktree)(tree), info.Graph, opt.parent, e.cfg.Program})
	if err != nil {
		return nil, err
	}
	r := e.newRun(ctx, def, info)
	r.tree, r.parent, r.force = (*Worktree)(tree), parentOf(settings), opt.Force
	if err := e.registerRun(r); err != nil {
		r.releaseAll()
		return nil, err
	}
	_, missing := os.Stat(r.stateDir())
	defer func() {
		if err != nil {
			e.releaseRun(r)
			if missing != nil {
				os.RemoveAll(r.stateDir())
			}
		}
	}()
	if err := r.takeLease(); err != nil {
		return nil, err
	}
	if tree != nil {
		if err := at.Make(ctx, tree); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				at.Unmake(ctx, tree)
			}
		}()
	}
	if err := r.prepareFolder(false); err != nil {
		return nil, err
	}
	now := time.Now()
	kept := store.Run{
		RunInfo: info, Status: flow.Running, Executable: e.binary.pinPath(info.ID), Settings: settings,
		Holder: processHolder(), Processes: 1, Created: now, Started: now, Updated: now,
	}
	pinned := func() *pin { return e.binary.pinBinary(info.ID, info.Fingerprint, info.WorkDir) }
	if missing != nil {
		// Beside the commit, which waits for the disk. In the folder of another run, there may
		// be the binary of that one.
		pinned = startConcurrently(pinned)
	}
	r.host.sandbox.Prepare()
	err = r.host.whileLeased(func(ctx context.Context) error {
		return e.cfg.Store.CreateRun(ctx, kept, sched.PendingSteps(def.Nodes))
	})
	if err != nil {
		if missing != nil {
			pinned().discardBinary()
		}
		return nil, err
	}
	r.host.seen.created = true
	r.pinned = pinned()
	r.logBegin(false, "")
	return r, nil
}

// startConcurrently calls a function in another goroutine, and returns a function that waits for the
// result.
func startConcurrently[T any](do func() T) (wait func() T) {
	result := make(chan T, 1)
	go func() {
		tuning.ReserveSmallStack()
		result <- do()
	}()
	return func() T { return <-result }
}

// workDir returns the absolute path of the folder that a run works in.
func workDir(given string) (string, error) {
	dir, err := filepath.Abs(given)
	if err != nil {
		return "", fmt.Errorf("the working folder: %w", err)
	}
	switch info, err := os.Stat(dir); {
	case err != nil:
		return "", fmt.Errorf("the working folder: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("the working folder %s is not a folder", dir)
	}
	return dir, nil
}
