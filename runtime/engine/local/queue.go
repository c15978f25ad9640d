package local

import (
	"context"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// resumeWhenFree continues a run that has not ended as ResumeAsync does. If another run works on
// the checkout, it returns nil, and the engine continues the run when the checkout is free.
func (e *Engine) resumeWhenFree(ctx context.Context, def *flow.Definition, id string) error {
	err := e.ResumeAsync(ctx, def, id, Options{unended: true})
	if !isCheckoutBusy(err) {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrShutdown
	case e.queued[id] != nil:
		return nil
	}
	gone := make(chan struct{})
	e.queued[id] = gone
	e.wait.Add(1)
	go e.resumeQueued(context.WithoutCancel(ctx), def, id, gone)
	return nil
}

// resumeQueued continues a run when its checkout is free. It closes gone when it has, or when the
// run or the engine has ended.
func (e *Engine) resumeQueued(ctx context.Context, def *flow.Definition, id string, gone chan struct{}) {
	defer e.wait.Done()
	defer func() {
		e.mu.Lock()
		delete(e.queued, id)
		e.mu.Unlock()
		close(gone)
	}()
	// Another process may have the checkout, so the engine looks, as it does for answers.
	tick := time.NewTicker(e.cfg.Poll)
	defer tick.Stop()
	for {
		select {
		case <-e.stopping:
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
