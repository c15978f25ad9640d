package local

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// run is a run that this engine works on.
type run struct {
	info     flow.RunInfo
	def      *flow.Definition
	recorded []flow.Record
	// died says that the process before worked on the run and left no end of it.
	died     bool
	host     *host
	folder   state.Folder
	lease    hold // nil until it is taken
	checkout *filelock.Lock
	// task is the folder of a state graph's task, or nil.
	task    *graphstate.Taken
	journal *runLog
	log     *slog.Logger
	pinned  *pin
	tree    *Worktree // nil when it works in the folder where it was started
	// parent is the run that began this one, if any. Its children get force.
	parent parent
	limits settings.Limits
	force  bool
	// repeated counts how often steps were repeated, in runs that may have children.
	repeated map[string]int
	// since is when this process took the run up.
	since time.Time
	// keeper writes the run's artifacts, once there is one; see artifactKeeper.
	keeper *artifact.Keeper
	done   chan struct{} // closed when everything is released
}

// newRun returns a run that holds no lease or files yet. Its actions see the values of
// ctx.
func (e *Engine) newRun(ctx context.Context, def *flow.Definition, info flow.RunInfo) *run {
	if def.Uses.SharedDir {
		info.SharedDir = e.folder.Shared()
	}
	r := &run{info: info, def: def, folder: e.folder, since: time.Now(), done: make(chan struct{})}
	r.journal = &runLog{id: info.ID, secrets: process.Secrets(e.cfg.Environ, e.cfg.SecretVariables)}
	r.host = newHost(ctx, e, r)
	r.host.sandbox = confine.New(&e.cfg.Sandbox, def, &r.info, r.stateDir(), r.processEnviron)
	r.log = slog.New(r.journal.slogHandler(r.host.reportCommitted))
	return r
}

// processEnviron is the environment of the run's processes. Variables that point git to the
// caller's repository must not reach processes that work in another one.
func (r *run) processEnviron() []string {
	if r.tree == nil {
		return r.host.engine.cfg.Environ
	}
	return git.WithoutRepository(r.host.engine.cfg.Environ)
}

// placeRun returns a run with its folders. Those of another machine, which this one doesn't have, are
// in this one's state folder.
func placeRun(e *Engine, r store.Run) store.Run {
	if _, err := os.Stat(r.LogDir); err != nil {
		r.ArtifactsDir, r.LogDir = e.folder.Artifacts(r.ID), e.folder.RunDir(r.ID)
	}
	return r
}

// stateDir is the run's own folder in the state folder.
func (r *run) stateDir() string { return r.folder.RunDir(r.info.ID) }

// takeLease takes the run's lease. Only its holder may change anything of the run.
func (r *run) takeLease() (err error) {
	// Nobody but the user's own processes can have put a link in the folder's place;
	// one of those may be an agent's.
	if err := trust.Folder(filepath.Dir(r.stateDir()), filepath.Base(r.stateDir())); err != nil {
		return fmt.Errorf("the run's folder: %w", err)
	}
	if r.lease, err = r.host.engine.acquireLease(context.Background(), r.info.ID); err == nil {
		r.watchLease()
	}
	return err
}

// prepareFolder takes the checkout and makes what the run needs in its folder.
func (r *run) prepareFolder(resumed bool) error {
	if err := r.takeCheckout(); err != nil {
		return err
	}
	if err := r.takeTask(resumed); err != nil {
		return err
	}
	// On another machine than the run's first the two need not be in one place.
	for _, dir := range []string{r.info.ArtifactsDir, r.stateDir(), r.info.SharedDir} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("the run's folder: %w", err)
		}
	}
	if err := r.journal.openFile(r.folder.LogFile(r.info.ID)); err != nil {
		return fmt.Errorf("the run's log: %w", err)
	}
	r.reportArtifactError("", r.artifactKeeper().List())
	return nil
}

func (r *run) takeCheckout() error {
	if !r.def.ExclusiveCheckout || r.def.PromptsOnly && !agentsMayEdit(r.host.engine.cfg.Performers, r.def.Agents) {
		return nil
	}
	if r.parent.Run != "" {
		if shared, err := r.host.engine.shareCheckout(r); shared || err != nil {
			return err
		}
	}
	root, err := state.Root(r.info.WorkDir)
	if err == nil {
		r.checkout, err = acquireLock(r.folder.CheckoutLock(root), "run "+r.info.ID, busyCheckout(root, r.def, false))
	}
	return err
}

// agentsMayEdit reports whether one of the agents may change files. It is true if the
// performer of prompts cannot say it.
func agentsMayEdit(performers []engine.Performer, agents []string) bool {
	for _, p := range performers {
		if p.Kind() != (flow.Prompt{}).Kind() {
			continue
		}
		prompts, ok := p.(interface{ MayEdit(agent string) bool })
		return !ok || slices.ContainsFunc(agents, prompts.MayEdit)
	}
	return len(agents) > 0
}

// takeTask takes the folder in which the state of a state graph's run is kept.
func (r *run) takeTask(resumed bool) (err error) {
	if r.def.Graph == nil {
		return nil
	}
	for _, p := range r.host.performers {
		keeper, ok := p.(graphstate.Keeper)
		if !ok {
			continue
		}
		if r.task, err = keeper.Take(&r.info, r.def, processHolder(), resumed); err != nil {
			return err
		}
		if r.task.Lost {
			graphstate.SaveAgain(r.recorded)
		}
	}
	return nil
}

// reportArtifactError notes an artifact that was not written. That fails nothing: the output itself is in
// the journal.
func (r *run) reportArtifactError(node string, err error) {
	if err != nil {
		r.log.Warn("the artifact was not written", "node", node, "error", err)
	}
}

// artifactKeeper returns the keeper of the run's artifacts.
func (r *run) artifactKeeper() *artifact.Keeper {
	if r.keeper == nil {
		r.keeper = artifact.New(&r.info, r.def)
	}
	return r.keeper
}

// releaseAll gives everything back.
func (r *run) releaseAll() {
	r.host.close()
	r.journal.close()
	if r.task != nil {
		r.task.Release()
	}
	r.checkout.Release()
	r.host.engine.shared.release(r.info.ID)
	if r.lease != nil {
		r.lease.Release()
	}
}
