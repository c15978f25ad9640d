package graph

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An end is a step and how it ended.
type end[N ~string] struct {
	step *Step[N]
	Outcome
	err error
}

// run runs one node in its context and journals the node's own record.
func (w *Walk[N, S, L]) run(c *flow.Context, s *Step[N], branches []end[N], onFailure string) (o Outcome, err error) {
	c.Kernel().Begin(flow.Running)
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
	node := c.Kernel().Node()
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
	if !node.Replayed {
		c.Engine().Settle(r)
	}
	return o, err
}

// fork runs the branches of a visit, as many at once as the limits allow, and waits for
// all of them.
func (w *Walk[N, S, L]) fork(v *Visit[N]) ([]end[N], error) {
	slots := newSlots(w.limits.Parallel)
	list := make([]end[N], len(v.Branches))
	ends := make([]*flow.Future, len(v.Branches))
	for i := range v.Branches {
		b := &list[i]
		b.step = &v.Branches[i]
		w.entered++
		key := fmt.Sprintf("%s@%d", b.step.Node, w.entered)
		end := w.c.Engine().NewFuture()
		ends[i] = end
		w.c.Engine().Spawn(nil, func(e flow.Engine) {
			b.Outcome, b.err = w.branch(w.contextOn(e, key, b.step), b.step, slots, v.OnFailure != "")
			end.Settle(flow.Result{Status: flow.Completed})
		})
	}
	if err := w.c.Engine().Await(kernel.Ended, ends...); err != nil {
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

// branch runs one branch. continues means that the parallel continues after a failure,
// which is journalled as taken into account then.
func (w *Walk[N, S, L]) branch(c *flow.Context, s *Step[N], slots *slots, continues bool) (Outcome, error) {
	leave, err := slots.enter(c.Engine())
	if err != nil {
		return Outcome{}, err
	}
	defer leave()
	o, err := w.run(c, s, nil, "")
	var f *flow.Failure
	if continues && errors.As(err, &f) {
		overlook(c, f)
	}
	return o, err
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
	last := c.Kernel().Node().Last
	if last == "" {
		return // it failed without a step, and does so again
	}
	if _, ok := c.Engine().Recorded(last); !ok {
		c.Engine().Settle(flow.Record{Key: last, Status: flow.Completed, Failure: f})
	}
}

// slots limit the number of tasks in a part of the flow. Tasks enter in the order in
// which they came. Nil slots are unlimited.
type slots struct {
	free  int
	queue []*waiter
}

// A waiter is a task in the queue for a slot.
type waiter struct {
	given *flow.Future
	// gone means that the task stopped waiting: its scope was cancelled.
	gone bool
}

// newSlots returns n slots; n < 1 means no limit.
func newSlots(n int) *slots {
	if n < 1 {
		return nil
	}
	return &slots{free: n}
}

// enter waits for a slot and returns the function that gives it back, which may be called
// more than once. It returns ErrCancelled if the task's scope is cancelled first.
func (s *slots) enter(e flow.Engine) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	if s.free > 0 {
		s.free--
		return s.leaver(), nil
	}
	p := &waiter{given: e.NewFuture()}
	s.queue = append(s.queue, p)
	if err := e.Await(kernel.All, p.given); err != nil {
		p.gone = true
		if p.given.Settled() { // after the cancellation, before this task's turn
			s.handOn()
		}
		return nil, err
	}
	return s.leaver(), nil
}

func (s *slots) leaver() func() {
	left := false
	return func() {
		if !left {
			left = true
			s.handOn()
		}
	}
}

// handOn gives a free slot to the first task that still waits.
func (s *slots) handOn() {
	for len(s.queue) > 0 {
		next := s.queue[0]
		s.queue = s.queue[1:]
		if !next.gone {
			next.given.Settle(flow.Result{Status: flow.Completed})
			return
		}
	}
	s.free++
}
