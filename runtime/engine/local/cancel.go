package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Cancel cancels a run: it stops the running steps and skips the others. It returns when
// the run has ended or ctx is done. by names who cancels, for people. Cancel returns an
// error if the run has already ended.
//
// If another process works on the run, Cancel asks that process. If no process does,
// Cancel only marks the run as cancelled, and the steps that clean up (see
// flow.Node.Finally) do not run. To run them, call Resume with Options.CancelBy instead
// of Cancel.
func (e *Engine) Cancel(ctx context.Context, id, by string) error {
	c := &cancellation{id: id, by: by}
	if r := e.liveRun(id); r != nil {
		if r.def.CleansUp() {
			// The process may die while the run cleans up.
			if err := e.cfg.Store.RequestCancel(ctx, id, by); err != nil {
				return err
			}
		}
		c.heard = true
		r.host.sendSignal(sched.CancelRun{Reason: kernel.CancelReason(by)})
		select {
		case <-r.done:
		case <-ctx.Done():
			return notYet(id, ctx.Err())
		}
	}
	tick := time.NewTicker(e.cfg.Poll / 4)
	defer tick.Stop()
	for {
		held, err := e.cancelStored(ctx, c)
		if !held {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return notYet(id, ctx.Err())
		}
	}
}

// cancelReopened cancels a run that was reopened to be cancelled, or whose cancellation
// the process before did not live to complete.
func (e *Engine) cancelReopened(r *run, kept store.Run, opt Options) error {
	by := opt.CancelBy
	if by == "" && r.def.CleansUp() && !kept.CancelRequested.IsZero() && !kept.Status.Ended() {
		by = kept.CancelBy
	} else if by == "" {
		return nil
	}
	err := r.host.whileLeased(func(ctx context.Context) error { return e.cfg.Store.RequestCancel(ctx, r.info.ID, by) })
	r.host.sendSignal(sched.CancelRun{Reason: kernel.CancelReason(by)})
	return err
}

func notYet(id string, err error) error {
	return fmt.Errorf("run %s was asked to end and has not yet: %w", id, err)
}

// cancellation is one call of Cancel.
type cancellation struct {
	id, by string
	// heard says that the run knows of it, so that its end as cancelled is
	// success; asked that the store does.
	heard, asked bool
}

// cancelStored cancels a run that this engine does not hold: it asks the holder, once,
// and reports that there is one, or marks the run.
func (e *Engine) cancelStored(ctx context.Context, c *cancellation) (held bool, err error) {
	if done, err := e.isCancelled(ctx, c); done || err != nil {
		return false, err
	}
	lease, err := e.acquireLease(ctx, c.id)
	var busy *BusyError
	switch {
	case err == nil:
		defer lease.Release()
		// The holder may have ended the run between the look and the lease.
		if done, err := e.isCancelled(ctx, c); done || err != nil {
			return false, err
		}
		return false, e.markCancelled(ctx, c.id, c.by)
	case !errors.As(err, &busy):
		return false, err
	case c.asked:
		return true, nil
	}
	c.heard, c.asked = true, true
	err = e.cfg.Store.RequestCancel(ctx, c.id, c.by)
	return err == nil, err
}

// isCancelled reports whether the run ended as cancelled after it had heard of this call; any other
// end is an error.
func (e *Engine) isCancelled(ctx context.Context, c *cancellation) (bool, error) {
	kept, err := e.cfg.Store.Run(ctx, c.id)
	switch {
	case err != nil:
		return false, err
	case !kept.Status.Ended():
		return false, nil
	case kept.Status == flow.Cancelled && c.heard:
		return true, nil
	}
	return false, fmt.Errorf("run %s has ended: it is %s", c.id, kept.Status)
}

// markCancelled ends a run that no process works on. The caller holds its
// lease.
func (e *Engine) markCancelled(ctx context.Context, id, by string) error {
	steps, _, err := endLeftoversOf(ctx, e, id)
	if err != nil {
		return err
	}
	b := flow.Batch{Run: &flow.RunState{Status: flow.Cancelled, Reason: kernel.CancelReason(by)}}
	for _, s := range steps {
		switch s.Status {
		case flow.Pending:
			s.Status, s.Reason = flow.Skipped, kernel.SkipCancelled
		case flow.Running, flow.Waiting:
			s.Status, s.Reason = flow.Cancelled, kernel.SkipCancelled
		default:
			continue
		}
		s.Finished, s.Deadline = time.Now(), time.Time{}
		b.Steps = append(b.Steps, s)
	}
	if err := e.cfg.Store.Commit(ctx, id, b); err != nil {
		return err
	}
	log := &runLog{id: id, secrets: process.Secrets(e.cfg.Environ, e.cfg.SecretVariables)}
	defer log.close()
	if log.openFile(e.folder.LogFile(id)) == nil { // a log is worth no error here
		log.writeEntries(batchEntries(b)...)
	}
	return e.cancelChildren(ctx, id)
}
