package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// reopenRun takes up a run that nobody works on.
func (e *Engine) reopenRun(ctx context.Context, def *flow.Definition, id string, opt Options) (_ *run, err error) {
	// Before the lease, because taking that makes the run's folder.
	if _, err := e.loadResumable(ctx, def, id, opt); err != nil {
		return nil, err
	}
	if opt.CancelBy == "" {
		if err := sandbox.Check(&e.cfg.Sandbox); err != nil {
			return nil, err
		}
	}
	r := e.newRun(ctx, def, flow.RunInfo{ID: id})
	if opt.parent != nil {
		r.parent = *opt.parent
	}
	if err := e.registerRun(r); err != nil {
		r.releaseAll()
		return nil, err
	}
	defer func() {
		if err != nil {
			e.releaseRun(r)
		}
	}()
	if err := r.takeLease(); err != nil {
		return nil, err
	}
	// Once more: another process may have taken the run further in between.
	kept, err := e.loadResumable(ctx, def, id, opt)
	if err != nil {
		return nil, err
	}
	kept.SharedDir = r.info.SharedDir // which no store has
	r.info, r.died = kept.RunInfo, kept.Status == flow.Running
	r.force = opt.Force
	r.info.Fingerprint = def.Fingerprint
	r.info.Graph = graphOf(kept.Settings, opt.Graph)
	r.tree = worktreeOf(kept.Settings)
	if err := (*worktree.Tree)(r.tree).CheckPlace(id, r.info.WorkDir); err != nil {
		return nil, err
	}
	// A run may have failed because its branch was unknown, and the settings know it now.
	r.info.BaseBranch = cmp.Or(opt.BaseBranch, r.info.BaseBranch, e.cfg.Defaults.BaseBranch)
	if r.info.BaseBranch == "" && usesBaseBranch(def) {
		r.info.BaseBranch = git.RemoteHead(ctx, r.info.WorkDir)
	}
	r.host.sandbox.Prepare()
	if r.recorded, err = e.cfg.Store.Steps(ctx, id); err != nil {
		return nil, err
	}
	moved := kept.Fingerprint != def.Fingerprint
	if moved {
		if err := stepkey.Fits(def, r.recorded); err != nil {
			return nil, err
		}
	}
	if opt.From != "" { // before anything changes
		if _, err := repeat.Steps(def, r.recorded, opt.From); err != nil {
			return nil, fmt.Errorf("run %s: %w", id, err)
		}
	}
	if err := r.prepareFolder(true); err != nil {
		return nil, err
	}
	if program := e.cfg.Program; program != EmbeddedIn(kept.Settings) && (opt.parent != nil || opt.Force && opt.CancelBy == "") {
		// The run moves to this engine. A child belongs to whom its parent belongs.
		owner, _ := json.Marshal(map[string]string{"program": program}) // never fails
		if opt.Settings, err = runstore.Overlay(opt.Settings, owner); err != nil {
			return nil, err
		}
	}
	if err := r.keepSettings(kept.Settings, opt.Settings); err != nil {
		return nil, err
	}
	if err := e.takeUp(r, moved, opt); err != nil {
		return nil, err
	}
	if err := e.cancelReopened(r, kept, opt); err != nil {
		return nil, err
	}
	return r, nil
}

// keepSettings keeps settings with the run, in place of those that it had.
func (r *run) keepSettings(kept, now json.RawMessage) error {
	if len(now) == 0 {
		return nil
	}
	all, err := runstore.Overlay(kept, now)
	if err != nil {
		return err
	}
	return r.host.whileLeased(func(ctx context.Context) error { return r.host.engine.cfg.Store.SetSettings(ctx, r.info.ID, all) })
}

// takeUp makes this process the run's holder in the store.
func (e *Engine) takeUp(r *run, moved bool, opt Options) error {
	// Processes that the process before left running must not act beside those that begin
	// again now.
	survivors, err := endLeftovers(r.stateDir(), r.info.ID, r.recorded)
	if err != nil {
		return err
	}
	if err := e.endLeftoversBelow(r); err != nil {
		return err
	}
	id := r.info.ID
	if moved {
		if err := r.host.whileLeased(func(ctx context.Context) error { return e.cfg.Store.SetFingerprint(ctx, id, r.info.Fingerprint) }); err != nil {
			return err
		}
	}
	err = r.host.whileLeased(func(ctx context.Context) error {
		return e.cfg.Store.Begin(ctx, id, processHolder(), e.binary.pinPath(id))
	})
	if err != nil {
		return err
	}
	r.pinned = e.binary.pinBinary(id, r.info.Fingerprint, r.info.WorkDir)
	r.logBegin(true, opt.By)
	if opt.By != "" && opt.CancelBy == "" {
		b := flow.Batch{Events: []flow.Event{{Time: time.Now(), Type: sched.EventResumed, Message: opt.By}}}
		if err := r.host.whileLeased(func(ctx context.Context) error { return e.cfg.Store.Commit(ctx, id, b) }); err != nil {
			return err
		}
	}
	for _, key := range survivors {
		r.journal.writeEntries(entry{Type: "survivor_ended", Node: key, Message: "a process that outlived the run's last process was ended"})
	}
	if r.task != nil && r.task.Lost {
		message := "the task's folder did not have the state of the run; it is saved again"
		if r.task.Aside != "" {
			message += ", and what was there is in " + r.task.Aside
		}
		r.journal.writeEntries(entry{Type: "task_state_saved_again", Message: message})
	}
	if opt.From != "" {
		if err := r.resetRepeatedSteps(opt); err != nil {
			return err
		}
	}
	if err := r.countRepeats(context.Background()); err != nil {
		return err
	}
	for _, s := range r.recorded {
		if s.Status == flow.Completed {
			r.reportArtifactError(s.Key, r.artifactKeeper().Restore(s))
		}
	}
	return nil
}

// endLeftoversBelow ends what the last process left running in the children of a run that
// no other run began: some steps of the family begin before the run comes to each child.
func (e *Engine) endLeftoversBelow(r *run) error {
	if r.parent.Run != "" || len(r.def.Children) == 0 {
		return nil
	}
	ctx := context.Background()
	below, err := runstore.Descendants(ctx, e.cfg.Store, r.info.ID)
	if err != nil {
		return err
	}
	for _, child := range below {
		if child.Status != flow.Running {
			continue
		}
		_, survivors, err := endLeftoversOf(ctx, e, child.ID)
		if err != nil {
			return err
		}
		for _, key := range survivors {
			r.journal.writeEntries(entry{Type: "survivor_ended", Node: key, Message: "a process of run " + child.ID + " that outlived the run's last process was ended"})
		}
	}
	return nil
}

// loadResumable returns the run if it can be resumed with the definition.
func (e *Engine) loadResumable(ctx context.Context, def *flow.Definition, id string, opt Options) (store.Run, error) {
	kept, err := e.cfg.Store.Run(ctx, id)
	kept = placeRun(e, kept)
	switch {
	case err != nil:
		return kept, err
	case opt.parent == nil && parentOf(kept.Settings).Run != "":
		return kept, fmt.Errorf("run %s is a part of run %s; resume that run", id, parentOf(kept.Settings).Run)
	case (EmbeddedIn(kept.Settings) == "") != (e.cfg.Program == "") && opt.parent == nil && !opt.Force:
		return kept, &runerr.EmbeddedError{Run: id, Program: EmbeddedIn(kept.Settings)}
	case kept.Workflow != def.Name:
		return kept, fmt.Errorf("run %s belongs to workflow %s, and this is %s", id, kept.Workflow, def.Name)
	case opt.unended && kept.Status.Ended():
		return kept, fmt.Errorf("run %s has ended: it is %s", id, kept.Status)
	case kept.Status == flow.Completed && opt.From == "":
		return kept, fmt.Errorf("run %s has completed; there is nothing to resume", id)
	case kept.Fingerprint == def.Fingerprint || opt.Force:
		return kept, nil
	}
	other := &runerr.OtherBuildError{Run: id, Executable: kept.Executable, Embedded: e.cfg.Program != ""}
	if info, err := os.Stat(other.Executable); err != nil || !info.Mode().IsRegular() {
		other.Executable = ""
	}
	return kept, other
}

// endLeftoversOf is endLeftovers for a run in the store, and returns its steps, too.
func endLeftoversOf(ctx context.Context, e *Engine, id string) (steps []flow.Record, survivors []string, err error) {
	if steps, err = e.cfg.Store.Steps(ctx, id); err == nil {
		survivors, err = endLeftovers(e.folder.RunDir(id), id, steps)
	}
	return steps, survivors, err
}

// endLeftovers ends what the last process of a run left running, and returns the
// keys of the steps.
func endLeftovers(dir, id string, recorded []flow.Record) ([]string, error) {
	var running []string
	for _, s := range recorded {
		if s.Status == flow.Running {
			running = append(running, s.Key)
		}
	}
	unrecorded, err := process.EndUnrecorded(dir, id, running)
	if err != nil {
		return nil, err
	}
	survivors, err := process.EndSurvivors(dir)
	return append(survivors, unrecorded...), err
}
