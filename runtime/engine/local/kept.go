package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
)

// kept notes an artifact that was not written. That fails nothing: the output itself is in
// the journal.
func (r *run) kept(node string, err error) {
	if err != nil {
		r.log.Warn("the artifact was not written", "node", node, "error", err)
	}
}

// artifacts returns the keeper of the run's artifacts.
func (r *run) artifacts() *artifact.Keeper {
	if r.keeper == nil {
		r.keeper = artifact.New(&r.info, r.def)
	}
	return r.keeper
}

// continued returns the action with the session that the last run of the
// workflow left, when it is to go on with that.
func (h *host) continued(ctx context.Context, a flow.Action) (flow.Action, error) {
	return attempt.Continue(a, func(key string) (string, error) {
		return h.engine.cfg.Store.Session(ctx, h.run.info.Workflow, key)
	})
}

// keepSessions keeps the sessions of committed steps for the next run. One that
// cannot be kept costs that run its memory, and this one nothing.
func (h *host) keepSessions(steps []flow.Record) {
	for _, s := range steps {
		key := h.persistent[s.Key]
		if key == "" || s.Status != flow.Completed || s.Meta.Session == "" || s.Meta.Replayed.Turns > 0 {
			continue // a session out of a recording is not what the next run goes on with
		}
		delete(h.persistent, s.Key)
		err := h.whileLeased(func(ctx context.Context) error {
			return h.engine.cfg.Store.KeepSession(ctx, h.run.info.Workflow, key, s.Meta.Session)
		})
		if err != nil {
			h.run.log.Warn("the agent's session was not kept for the next run", "node", s.Key, "error", err)
		}
	}
}
