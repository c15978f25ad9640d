package local

import (
	"context"
	"errors"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// ResumeAll continues the runs of Config.Workflows that nobody needs to decide about, and
// returns without waiting for their ends. Call it when the program starts: it continues the
// runs that a crash or Shutdown interrupted. It also continues paused runs if the answer to a
// question has come, or if a wait or a deadline is over. A program with waits longer than
// Config.MaxWait calls it repeatedly.
//
// ResumeAll takes the runs in the order of their creation, oldest first, and calls report,
// unless it is nil, for each one: with nil if this engine works on it now, or will do so as
// soon as no other run works on the same checkout, or with the error of ResumeAsync. Such a
// run keeps its state and stops no other one. With a *BusyError, another process works on the
// run, or died with a lease that ends after BusyError.Left; a later call of ResumeAll can
// resume it.
//
// ResumeAll leaves out the runs that this engine works on, those that failed, were cancelled or
// reached a limit, and in a Go program (Config.Program) those of commands. Its own error says that
// the engine cannot read its store, or wraps ErrShutdown.
func (e *Engine) ResumeAll(ctx context.Context, report func(id string, err error)) error {
	var found []RunStatus
	for _, def := range e.cfg.Workflows {
		runs, err := e.ListRuns(ctx, store.Filter{Workflow: def.Name}, flow.Running, flow.Interrupted, flow.Paused)
		if err != nil {
			return err
		}
		found = append(found, runs...)
	}
	slices.SortStableFunc(found, func(a, b RunStatus) int { return a.Created.Compare(b.Created) })
	for _, r := range found {
		if e.liveRun(r.ID) != nil || e.cfg.Program != "" && EmbeddedIn(r.Settings) == "" {
			continue
		}
		if r.Status == flow.Paused {
			if proceeds, err := e.canProceed(ctx, r.ID); err != nil {
				return err
			} else if !proceeds {
				continue
			}
		}
		err := e.queue.resumeWhenFree(ctx, e, findWorkflow(e.cfg.Workflows, r.Workflow), r.ID)
		if errors.Is(err, ErrShutdown) {
			return err
		}
		if report != nil {
			report(r.ID, err)
		}
	}
	return nil
}

// findWorkflow returns the workflow of a name, or nil.
func findWorkflow(all []*flow.Definition, name string) *flow.Definition {
	i := slices.IndexFunc(all, func(d *flow.Definition) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// canProceed reports whether a paused run, or a child of it, has an answer that it has not
// used, or a wait that is over.
func (e *Engine) canProceed(ctx context.Context, id string) (bool, error) {
	below, err := runstore.Descendants(ctx, e.cfg.Store, id)
	if err != nil {
		return false, err
	}
	ids := []string{id}
	for _, child := range below {
		if !child.Status.Ended() {
			ids = append(ids, child.ID)
		}
	}
	for _, id := range ids {
		s, err := e.Status(ctx, id)
		if err != nil || s.canContinue() {
			return err == nil, err
		}
	}
	return false, nil
}

// continueAnswered continues the run at the top of the family of an answered one, unless a
// process works on it.
func (e *Engine) continueAnswered(ctx context.Context, answered store.Run) error {
	root, err := rootRun(ctx, e.cfg.Store, answered)
	if err != nil {
		return err
	}
	def := findWorkflow(e.cfg.Workflows, root.Workflow)
	if def == nil || root.Status != flow.Paused && root.Status != flow.Running {
		return nil
	}
	err = e.queue.resumeWhenFree(ctx, e, def, root.ID)
	if busy, ok := errors.AsType[*BusyError](err); ok && busy.RunID != "" {
		return nil // that process finds the answer in the store
	}
	return err
}

// continueIfAnswered continues a run that has just paused if an answer came while it did so.
func (e *Engine) continueIfAnswered(r *run) {
	if r.parent.Run != "" || findWorkflow(e.cfg.Workflows, r.def.Name) == nil {
		return
	}
	ctx := context.WithoutCancel(r.host.ctx)
	if proceeds, err := e.canProceed(ctx, r.info.ID); err == nil && proceeds {
		// A process that works on the run by now uses the answer. Other errors remain for
		// the next call of ResumeAll.
		_ = e.queue.resumeWhenFree(ctx, e, r.def, r.info.ID)
	}
}
