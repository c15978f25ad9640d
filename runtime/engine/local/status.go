package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/process"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A RunStatus is the state of a run and its steps.
type RunStatus struct {
	store.Run
	// Steps are the steps in definition order; nil in listings.
	Steps []flow.Record
}

// Status returns the state of a run by its whole id. A run whose process is
// gone is shown as interrupted.
func (e *Engine) Status(ctx context.Context, id string) (*RunStatus, error) {
	kept, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	steps, err := e.cfg.Store.Steps(ctx, id)
	if err != nil {
		return nil, err
	}
	return &RunStatus{Run: e.shown(kept), Steps: steps}, nil
}

// ListRuns returns the selected runs, newest first, without their steps.
func (e *Engine) ListRuns(ctx context.Context, f store.Filter) ([]RunStatus, error) {
	// Interrupted is not stored, so it is selected here.
	want := f.Status
	if want == flow.Interrupted || want == flow.Running {
		f.Status = flow.Running
	}
	limit := f.Limit
	if want == flow.Interrupted || want == flow.Running {
		f.Limit = 0
	}
	kept, err := e.cfg.Store.Runs(ctx, f)
	if err != nil {
		return nil, err
	}
	var list []RunStatus
	for _, r := range kept {
		if r = e.shown(r); want == "" || r.Status == want {
			list = append(list, RunStatus{Run: r})
		}
		if limit > 0 && len(list) == limit {
			break
		}
	}
	return list, nil
}

// shown returns the run as it is to be shown.
func (e *Engine) shown(r store.Run) store.Run {
	if r.Status == flow.Running {
		if held, _ := state.Held(e.cfg.State.Lease(r.ID)); !held {
			r.Status = flow.Interrupted
		}
	}
	return r
}

// cancelElsewhere cancels a run that this engine does not hold: its holder is
// asked, and when it has none the run is marked.
func (e *Engine) cancelElsewhere(ctx context.Context, id, by string) error {
	kept, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	if kept.Status.Ended() {
		return fmt.Errorf("run %s has ended: %s", id, kept.Status)
	}
	lease, err := acquire(e.cfg.State.Lease(id), &BusyError{Run: id})
	var busy *BusyError
	switch {
	case err == nil:
		defer lease.Release()
		return e.markCancelled(ctx, id, by)
	case !errors.As(err, &busy):
		return err
	}
	if err := e.cfg.Store.RequestCancel(ctx, id, by); err != nil {
		return err
	}
	return e.awaitEnd(ctx, id, by)
}

// awaitEnd waits until the run's holder has ended it, or has died.
func (e *Engine) awaitEnd(ctx context.Context, id, by string) error {
	tick := time.NewTicker(e.cfg.Poll / 4)
	defer tick.Stop()
	for {
		kept, err := e.cfg.Store.Run(ctx, id)
		if err != nil {
			return err
		}
		if kept.Status.Ended() {
			return nil
		}
		if held, _ := state.Held(e.cfg.State.Lease(id)); !held {
			if kept, err = e.cfg.Store.Run(ctx, id); err == nil && kept.Status.Ended() {
				return nil // it ended between the two looks
			}
			return e.cancelElsewhere(ctx, id, by)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("run %s was asked to end and has not yet: %w", id, ctx.Err())
		}
	}
}

// markCancelled ends a run that no process works on.
func (e *Engine) markCancelled(ctx context.Context, id, by string) error {
	if _, err := process.EndSurvivors(e.cfg.State.Run(id)); err != nil {
		return err
	}
	steps, err := e.cfg.Store.Steps(ctx, id)
	if err != nil {
		return err
	}
	now := time.Now()
	b := flow.Batch{Run: &flow.RunEnd{Status: flow.Cancelled, Reason: cancelReason(by)}}
	for _, s := range steps {
		switch s.Status {
		case flow.Pending:
			s.Status, s.Reason = flow.Skipped, flow.SkipCancelled
		case flow.Running, flow.Waiting:
			s.Status, s.Reason = flow.Cancelled, flow.SkipCancelled
		default:
			continue
		}
		s.Finished = now
		b.Steps = append(b.Steps, s)
	}
	return e.cfg.Store.Commit(ctx, id, b)
}
