package local

import (
	"context"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A queue has the runs that continue when their checkouts are free, each with a channel that is
// closed when the run no longer waits for that. The engine's mu guards runs; Shutdown closes
// stopping.
type queue struct {
	runs     map[string]chan struct{}
	stopping chan struct{}
}

// resumeWhenFree continues a run that has not ended as ResumeAsync does. If another run works on
// the checkout, it returns nil, and the engine continues the run when the checkout is free.
func (q *queue) resumeWhenFree(ctx context.Context, e *Engine, def *flow.Definition, id string) error {
	err := e.ResumeAsync(ctx, def, id, Options{unended: true})
	if !isCheckoutBusy(err) {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrShutdown
	case q.runs[id] != nil:
		return nil
	}
	gone := make(chan struct{})
	q.runs[id] = gone
	e.wait.Add(1)
	go q.resumeQueued(context.WithoutCancel(ctx), e, def, id, gone)
	return nil
}

// resumeQueued continues a run when its checkout is free. It closes gone when it has, or when the
// run or the engine has ended.
func (q *queue) resumeQueued(ctx context.Context, e *Engine, def *flow.Definition, id string, gone chan struct{}) {
	defer e.wait.Done()
	defer func() {
		e.mu.Lock()
		delete(q.runs, id)
		e.mu.Unlock()
		close(gone)
	}()
	// Another process may have the checkout, so the engine looks, as it does for answers.
	tick := time.NewTicker(e.cfg.Poll)
	defer tick.Stop()
	for {
		select {
		case <-q.stopping:
			return
		case <-tick.C:
		}
		if !isCheckoutBusy(e.ResumeAsync(ctx, def, id, Options{unended: true})) {
			return // it continues, or ResumeAll reports why it can't
		}
	}
}

func isCheckoutBusy(err error) bool {
	busy, ok := errors.AsType[*BusyError](err)
	return ok && busy.Checkout != ""
}
