package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An end is a step and how it ended.
type end[N ~string] struct {
	step *Work[N]
	NodeResult
	err error
}

// run runs one node in its context and journals the node's own record.
func (w *Walk[N, S, L]) run(c *flow.Context, s *Work[N], branches []end[N], onFailure string) (o NodeResult, err error) {
	c.Node().Begin(flow.Running)
	err = w.guard(func() (err error) {
		failure := failed(branches)
		switch {
		case failure == nil:
			o, err = s.Run(c)
		case onFailure != "":
			o, err = Pass(onFailure)(c)
		default:
			err = failure
		}
		return err
	})
	node := c.Node().State()
	w.totals[s.Node] = w.totals[s.Node].Plus(node.Spent)
	w.cost += node.Spent.CostUSD
	r := flow.Record{Key: string(s.Node), Kind: w.info(s.Node).Kind, Status: flow.Completed, Text: o.Text, Meta: w.totals[s.Node]}
	r.Meta.Choice = o.Label
	var stop *kernel.StopError
	switch {
	case errors.Is(err, flow.ErrCancelled):
		r.Status = flow.Cancelled
	case errors.As(err, &stop):
		return o, err // it keeps waiting
	case err != nil:
		r.Status, r.Failure = flow.Failed, flow.AsFailure(err)
	}
	if !node.Repeated {
		c.Engine().Settle(r)
	}
	return o, err
}

// fork runs the branches of a visit, as many at once as the limits allow, and waits for
// all of them.
func (w *Walk[N, S, L]) fork(v *Visit[N]) ([]end[N], error) {
	engine := w.c.Engine()
	list := make([]end[N], len(v.Branches))
	ends := make([]*flow.Future, 0, len(list))
	for i := range list {
		if err := w.slot(ends); err != nil {
			_ = engine.AwaitEnded(ends...)
			return nil, err
		}
		b, over := &list[i], engine.NewFuture()
		b.step = &v.Branches[i]
		w.entered++
		key := fmt.Sprintf("%s@%d", b.step.Node, w.entered)
		ends = append(ends, over)
		engine.Spawn(nil, func(e flow.Engine) {
			c := w.contextOn(e, key, b.step)
			b.NodeResult, b.err = w.run(c, b.step, nil, "")
			var f *flow.Failure
			if v.OnFailure != "" && errors.As(b.err, &f) {
				overlook(c, f)
			}
			over.Settle(flow.Result{Status: flow.Completed})
		})
	}
	if err := engine.AwaitEnded(ends...); err != nil {
		return nil, err
	}
	for _, b := range list {
		var stop *kernel.StopError
		if errors.Is(b.err, flow.ErrCancelled) || errors.As(b.err, &stop) {
			return nil, b.err
		}
	}
	return list, nil
}

// slot waits until another branch may start, given the ends of those that have started.
func (w *Walk[N, S, L]) slot(ends []*flow.Future) error {
	for {
		running := slices.DeleteFunc(slices.Clone(ends), (*flow.Future).Settled)
		if w.limits.Parallel < 1 || len(running) < w.limits.Parallel {
			return nil
		}
		if err := w.c.Engine().AwaitAny(running...); err != nil {
			return err
		}
	}
}

// failed returns the first failure among branches.
func failed[N ~string](list []end[N]) error {
	for _, b := range list {
		if b.err != nil {
			f := *flow.AsFailure(b.err)
			f.Message = fmt.Sprintf("branch '%s' failed: %s", b.step.Node, f.Message)
			return &f
		}
	}
	return nil
}

// overlook journals the failure of the node's last step as one that the walk has taken
// into account: it is not performed again, and fails again in a replay.
func overlook(c *flow.Context, f *flow.Failure) {
	last := c.Node().State().Last
	if last == "" {
		return // it failed without a step, and does so again
	}
	if _, ok := c.Engine().Recorded(last); !ok {
		c.Engine().Settle(flow.Record{Key: last, Status: flow.Completed, Failure: f})
	}
}
