package local

import (
	"context"
	"errors"

	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A lease is the right to work on a run: a *state.Lock, which the system takes
// back when this process dies, or a store.Lease where the runs may be worked on
// by processes of other machines.
type lease interface{ Release() }

// acquireLease takes a run's lease. The error is a *BusyError while another
// process has it.
func (e *Engine) acquireLease(ctx context.Context, id string) (lease, error) {
	busy := &BusyError{Run: id}
	if shared, ok := e.cfg.Store.(store.Lessor); ok {
		l, err := shared.Lease(ctx, id, holder())
		var held *store.HeldError
		if errors.As(err, &held) {
			busy.Holder, busy.Left = held.Holder, held.Left
			return nil, busy
		}
		if err != nil {
			return nil, err
		}
		return l, nil
	}
	l, err := acquire(e.cfg.State.Lease(id), holder(), busy)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// heldBy reports whether a process works on a run, and what that said of itself.
func (e *Engine) heldBy(id string) (held bool, holder string, err error) {
	if shared, ok := e.cfg.Store.(store.Lessor); ok {
		return shared.Leased(context.Background(), id)
	}
	return state.Held(e.cfg.State.Lease(id))
}

// held reports whether a process works on a run. What cannot be told is taken
// for yes: then nobody touches what may be in use.
func (e *Engine) held(id string) bool {
	held, _, err := e.heldBy(id)
	return held || err != nil
}

// heed ends the run when its lease is lost: another process may be about to work
// on it. It waits for nobody. The scheduler may be waiting for the store, which is
// out of reach then; so what is performed is ended here, and what waits for the
// store is let go by the end of leased.
func (r *run) heed() {
	shared, ok := r.lease.(store.Lease)
	if !ok {
		return
	}
	go func() {
		select {
		case <-shared.Lost():
			r.lose()
			r.log.Error("the run is stopped here", "reason", store.ErrLeaseLost)
		case <-r.done:
		}
	}()
}

// lose ends all work on the run.
func (r *run) lose() {
	r.host.signal(sched.Stop{}) // first, so that no end of a step counts
	r.host.lose(store.ErrLeaseLost)
	r.host.stop()
}

// lostLease reports whether the run's lease is lost.
func (r *run) lostLease() bool {
	shared, ok := r.lease.(store.Lease)
	if !ok {
		return false
	}
	select {
	case <-shared.Lost():
		return true
	default:
		return false
	}
}

// letGo does something that waits for the store, but no longer than the lease
// lasts. A store that does not heed its context is left to itself.
func (h *host) letGo(do func(ctx context.Context) error) error {
	if h.leased.Done() == nil {
		return do(h.leased)
	}
	if h.leased.Err() != nil {
		return store.ErrLeaseLost
	}
	done := make(chan error, 1)
	go func() { done <- do(h.leased) }()
	select {
	case err := <-done:
		return err
	case <-h.leased.Done():
		return store.ErrLeaseLost
	}
}
