package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// A hold is the right to work on a run: a *filelock.Lock, which the system takes
// back when this process dies, or a runstore.Lease where the runs may be worked on
// by processes of other machines.
type hold interface{ Release() }

// acquireLease takes a run's lease. The error is a *BusyError while another
// process has it.
func (e *Engine) acquireLease(ctx context.Context, id string) (hold, error) {
	busy := &BusyError{RunID: id}
	if shared, ok := e.cfg.Store.(runstore.Store); ok {
		l, err := shared.Lease(ctx, id, processHolder())
		if held, ok := errors.AsType[*runstore.HeldError](err); ok {
			busy.Holder, busy.Left = held.Holder, held.Left
			return nil, busy
		}
		if err != nil {
			return nil, err
		}
		return l, nil
	}
	l, err := acquireLock(e.folder.LeaseFile(id), processHolder(), busy)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// HoldRun takes the lease on a run, which need not exist, until release is called: no process
// works on the run meanwhile. The error is a *BusyError while another process has it.
func (e *Engine) HoldRun(ctx context.Context, id string) (release func(), err error) {
	l, err := e.acquireLease(ctx, id)
	if err != nil {
		return nil, err
	}
	return l.Release, nil
}

// heldBy reports whether a process works on a run, and what that said of itself.
func (e *Engine) heldBy(id string) (held bool, holder string, err error) {
	if shared, ok := e.cfg.Store.(runstore.Store); ok {
		return shared.Leased(context.Background(), id)
	}
	return filelock.Held(e.folder.LeaseFile(id))
}

// isRunHeld reports whether a process works on a run. If that is unknown, it returns true, so
// that nobody touches files that may be in use.
func (e *Engine) isRunHeld(id string) bool {
	held, _, err := e.heldBy(id)
	return held || err != nil
}

// watchLease ends the run when its lease is lost: another process may be about to work on
// it. It waits for nobody. The scheduler may be waiting for the store, which may be out
// of reach then; so this function ends the running actions itself, and the end of leased
// releases those that wait for the store.
func (r *run) watchLease() {
	shared, ok := r.lease.(runstore.Lease)
	if !ok {
		return
	}
	go func() {
		select {
		case <-shared.Lost():
			r.abortWork()
			r.log.Error("the run is stopped here", "reason", runstore.ErrLost)
		case <-r.done:
		}
	}()
}

// abortWork ends all work on the run.
func (r *run) abortWork() {
	r.host.sendSignal(sched.Stop{}) // first, so that no end of a step counts
	r.host.lose(runstore.ErrLost)
	r.host.stop()
}

// lostLease reports whether the run's lease is lost.
func (r *run) lostLease() bool {
	shared, ok := r.lease.(runstore.Lease)
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

// whileLeased does something that waits for the store, but no longer than the lease
// lasts. A store that does not heed its context is left to itself.
func (h *host) whileLeased(do func(ctx context.Context) error) error {
	if h.leased.Done() == nil {
		return do(h.leased)
	}
	if h.leased.Err() != nil {
		return runstore.ErrLost
	}
	done := make(chan error, 1)
	go func() { done <- do(h.leased) }()
	select {
	case err := <-done:
		return err
	case <-h.leased.Done():
		return runstore.ErrLost
	}
}

// A BusyError says that another process holds the run or its checkout.
type BusyError struct {
	// RunID is the id of the run, or "" if another run holds the checkout.
	RunID string
	// Checkout is the root of the checkout that another run works on, or "".
	Checkout string
	// Holder describes the other process, for people; "" means unknown.
	Holder string
	// Left is the remaining time of the holder's lease: the run stays taken until then,
	// even if the holder has died. It is 0 if the engine would notice the holder's death at
	// once.
	Left time.Duration

	// folder says that the checkout is a folder without git, and advice how to run without
	// waiting, or is "".
	folder bool
	advice string
}

// busyCheckout returns the error about a checkout that another run works on, with advice for
// a run of def. Without git, the checkout is a folder.
func busyCheckout(root string, def *flow.Definition, child bool) *BusyError {
	_, err := os.Stat(filepath.Join(root, ".git"))
	busy := &BusyError{Checkout: root, folder: err != nil}
	switch {
	case child:
	case busy.folder:
		busy.advice = ", or run in another folder"
	case def.Worktree == flow.WorktreeNever:
		busy.advice = ", or run in another checkout"
	default:
		busy.advice = ", or give this run its own worktree (`--worktree`)"
	}
	if def.Graph == nil {
		busy.advice += " (if the workflow changes no files there, set `mutates_checkout: false`)"
	}
	return busy
}

func (e *BusyError) Error() string {
	holder := cmp.Or(e.Holder, "another process")
	if e.Checkout != "" {
		what := "checkout"
		if e.folder {
			what = "folder"
		}
		return fmt.Sprintf("%s works on the %s %s; wait for it%s", holder, what, e.Checkout, e.advice)
	}
	text := fmt.Sprintf("%s works on run %s", holder, e.RunID)
	if e.Left > 0 {
		text += fmt.Sprintf("; if that process has died, another one can take the run over in %v", max(e.Left, time.Second).Round(time.Second))
	}
	return text
}

// acquireLock takes a lock, or returns busy with its holder.
func acquireLock(path, holder string, busy *BusyError) (*filelock.Lock, error) {
	lock, err := filelock.Acquire(path, holder)
	if held, ok := errors.AsType[*filelock.HeldError](err); ok {
		busy.Holder = held.Holder
		return nil, busy
	}
	return lock, err
}

// processHolder says who works on a run, for people.
func processHolder() string { return holderName(os.Getpid()) }

func holderName(pid int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s", pid, host)
}
