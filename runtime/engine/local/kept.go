package local

import (
	"context"
	"strconv"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
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

// persistent returns the key under which the session of an action's agent is
// kept for the next run of the workflow, or "" when it is not kept. Agents do
// not know each other's sessions, so each has its own.
func persistent(a flow.Action) string {
	p, ok := a.Payload.(flow.Prompt)
	if !ok || !p.Persist {
		return ""
	}
	return strconv.Quote(p.Agent) + " " + a.Key
}

// continued returns the action with the session that the last run of the
// workflow left, when it is to go on with that.
func (h *host) continued(ctx context.Context, a flow.Action) (flow.Action, error) {
	key := persistent(a)
	p, _ := a.Payload.(flow.Prompt)
	if key == "" || p.Session != "" || p.FreshSession {
		return a, nil
	}
	session, err := h.engine.cfg.Store.Session(ctx, h.run.info.Workflow, key)
	p.Session = session
	a.Payload = p
	return a, err
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
