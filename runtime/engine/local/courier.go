package local

import (
	"context"
	"errors"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// startCourier starts to send the notices of the engine's store, if the engine has any to
// send.
func (e *Engine) startCourier() error {
	c := e.cfg.Notices
	if len(c.Notify.Rules) == 0 {
		return nil
	}
	if c.Workflows == nil {
		c.Workflows = e.cfg.Workflows
	}
	o := outbox.New(e.cfg.Store, e.cfg.Performers, c.Workflows, c.Notify.Quiet, e.cfg.Environ, confine.Notices(e.cfg.Sandbox, e.folder.Path, e.cfg.Environ))
	if o == nil {
		return errors.New("Config.Notices needs a performer of deliveries and a store that keeps messages")
	}
	e.courier = outbox.NewCourier(o)
	return nil
}

// FinishNotices sends the notices that are due now or soon, until ctx ends, and stops sending.
// Notices that remain wait in the store for another process. Shutdown does the same; a program that
// exits without Shutdown calls FinishNotices first.
func (e *Engine) FinishNotices(ctx context.Context) error {
	if e.courier == nil {
		return nil
	}
	return e.courier.Finish(ctx)
}

// notices makes the notices about a run's batches. The scheduler's goroutine owns it.
type notices struct {
	maker outbox.Maker
	// costs are those of the steps so far.
	costs map[string]flow.Record
}

// newNotices returns what makes notices about a run, or nil if there are to be none.
func (r *run) newNotices() *notices {
	e := r.host.engine
	if e.courier == nil {
		return nil
	}
	nodes := stepkey.NewNodes(r.def.Nodes)
	n := &notices{costs: map[string]flow.Record{}, maker: outbox.Maker{
		Notify: e.cfg.Notices.Notify, Info: &r.info, Root: r.parent.Run == "", Commands: e.cfg.Notices.Commands, Buttons: e.cfg.Notices.Buttons,
		NodeOf: func(key string) string {
			if node, ok := nodes.Of(key); ok {
				return node.Key
			}
			return key
		},
		Mask: func(text string) string { return process.Mask(r.journal.secrets, text) },
	}}
	n.countCosts(r.recorded)
	return n
}

func (n *notices) countCosts(steps []flow.Record) {
	for _, s := range steps {
		if s.Attempt > 0 {
			n.costs[s.Key] = flow.Record{Attempt: s.Attempt, Meta: s.Meta}
		}
	}
}

// addNotices adds to a batch the notices about it.
func (h *host) addNotices(b *flow.Batch) {
	n := h.notices()
	if n == nil {
		return
	}
	n.countCosts(b.Steps)
	sum := make([]flow.Record, 0, len(n.costs))
	for _, s := range n.costs {
		sum = append(sum, s)
	}
	b.Messages = append(b.Messages, n.maker.Messages(b, sched.Used(sum), h.Now())...)
}
