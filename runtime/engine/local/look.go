package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// look turns what other processes wrote into signals. A store that cannot be
// read now is asked again later: the run's own commits will tell if it is gone.
func (h *host) look() {
	n := news{of: h.run.info.ID, version: h.version}
	looked := h.looked
	err := h.letGo(func(ctx context.Context) error { return n.read(ctx, h.engine.cfg.Store, looked) })
	switch {
	case h.leased.Err() != nil: // who ended it says so
	case err != nil:
		h.run.log.Warn("the store could not be read for answers and cancel requests", "error", err)
	case n.changed:
		h.deal(&n)
	}
}

// news is what a look at the store finds. What a look that was given up still
// reads, nobody sees.
type news struct {
	of string // the run
	// version is the store's, first at the look before, and changed says that
	// something was written since.
	version int64
	changed bool
	run     store.Run
	answers []store.Answer
}

// read looks at the store; looked says that there was a look before.
func (n *news) read(ctx context.Context, from store.Store, looked bool) error {
	version, err := from.Version(ctx)
	if err != nil || looked && version == n.version {
		return err
	}
	n.version, n.changed = version, true
	if n.run, err = from.Run(ctx, n.of); err == nil {
		n.answers, err = from.Answers(ctx, n.of)
	}
	return err
}

// deal signals what a look has found.
func (h *host) deal(n *news) {
	// The version is older than what was read, so that nothing falls between
	// this look and the next.
	h.looked, h.version = true, n.version
	if !n.run.CancelRequested.IsZero() {
		h.signal(sched.CancelRun{Reason: cancelReason(n.run.CancelBy)})
	}
	for _, a := range n.answers {
		if h.answered[a.Key] {
			continue
		}
		h.answered[a.Key] = true
		h.signal(answered(a))
	}
}
