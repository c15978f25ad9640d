package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow/sched"
)

// look turns what other processes wrote into signals. A store that cannot be
// read now is asked again later: the run's own commits will tell if it is gone.
func (h *host) look() {
	ctx := context.Background()
	version, err := h.engine.cfg.Store.Version(ctx)
	switch {
	case err == nil && h.looked && version == h.version:
		return // nothing was written
	case err == nil:
		err = h.read(ctx)
	}
	if err != nil {
		h.run.log.Warn("the store could not be read for answers and cancel requests", "error", err)
		return
	}
	// The version is older than what was read, so that nothing falls between
	// this look and the next.
	h.looked, h.version = true, version
}

func (h *host) read(ctx context.Context) error {
	id := h.run.info.ID
	kept, err := h.engine.cfg.Store.Run(ctx, id)
	if err != nil {
		return err
	}
	answers, err := h.engine.cfg.Store.Answers(ctx, id)
	if err != nil {
		return err
	}
	if !kept.CancelRequested.IsZero() {
		h.signal(sched.CancelRun{Reason: cancelReason(kept.CancelBy)})
	}
	for _, a := range answers {
		if h.answered[a.Key] {
			continue
		}
		h.answered[a.Key] = true
		h.signal(answered(a))
	}
	return nil
}
