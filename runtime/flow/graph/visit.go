package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Visit visits a node and returns the next one. It returns the end when the walk is over,
// also after an error, which Finish returns.
func (w *Walk[N, S, L]) Visit(v Visit[N]) N {
	next, err := w.visit(&v)
	if err == nil {
		return next
	}
	w.verdict = err
	return ""
}

func (w *Walk[N, S, L]) visit(v *Visit[N]) (N, error) {
	w.entered++
	w.at, w.key = v.Node, fmt.Sprintf("%s@%d", v.Node, w.entered)
	w.steps[v.Node] = &v.Work
	for i := range v.Branches {
		w.steps[v.Branches[i].Node] = &v.Branches[i]
	}
	_, w.replayed = w.c.Scheduler().Recorded(w.key + "/state")
	skipTo, skipped, err := w.interrupts("before", v.Before, v.Node)
	switch {
	case err != nil:
		return "", w.broke(v, err)
	case skipped && skipTo == "":
		return "", w.finish(kernel.ReasonCompleted)
	case skipped:
		return skipTo, nil
	}
	failure := w.place(w.key + "/failed")
	if err := w.pass(failure, v.Node); err != nil {
		return "", err
	}
	next, err := w.perform(v)
	if err != nil {
		return "", w.broke(v, err)
	}
	return next, nil
}

// broke ends the walk with an error and saves it as the cause.
func (w *Walk[N, S, L]) broke(v *Visit[N], err error) error {
	var stop *kernel.StopError
	switch {
	case errors.As(err, &stop) && stop.Reason != kernel.ReasonStopped:
		if saving := w.halt(w.place(w.key+"/failed"), v.Node, kernel.StateStopped, stop.Reason, err); saving != nil {
			return saving
		}
		return err
	case halted(err):
		return err
	}
	f := flow.AsFailure(err)
	reason := cmp.Or(f.Reason, "failed")
	if saving := w.halt(w.place(w.key+"/failed"), v.Node, kernel.StateFailed, reason, err); saving != nil {
		return saving
	}
	if f.Reason == kernel.ReasonNoEdge {
		return err
	}
	return fmt.Errorf("node `%s`: %w", v.Node, err)
}

// perform does the node's work and its consequences.
func (w *Walk[N, S, L]) perform(v *Visit[N]) (N, error) {
	list, err := w.execute(v)
	if err != nil {
		return "", err
	}
	ended := w.count(list)
	if err := w.handle(list); err != nil {
		w.unmake(v, flow.AsFailure(err))
		return "", err
	}
	next, on, err := w.choose(v.Edges)
	if err != nil {
		w.unmake(v, flow.AsFailure(err))
		return "", err
	}
	promised := w.last.Promised
	if !on && !promised {
		// A node without an edge that holds is an end if a goal holds. Otherwise the node
		// has failed.
		held, err := w.goal()
		if err != nil {
			return "", err
		}
		if !held {
			f := noEdge(fmt.Sprintf("no edge from node `%s` holds after `%s`", v.Node, w.last.Label))
			w.unmake(v, f)
			return "", f
		}
	}
	s := w.state(next, kernel.StateRunning)
	s.Ended, s.Checkpoint = ended, w.info(v.Node).Kind == "checkpoint"
	if err := w.save(w.key+"/state", s); err != nil {
		return "", err
	}
	if promised {
		return "", w.finish(kernel.ReasonPromise)
	}
	if _, _, err := w.interrupts("after", v.After, next); err != nil {
		return "", err
	}
	if next == "" {
		return "", w.finish(kernel.ReasonCompleted)
	}
	return next, w.withinLimits(next)
}

// unmake journals that the visit's last step is useless, and the node with it.
func (w *Walk[N, S, L]) unmake(v *Visit[N], f *flow.Failure) {
	e := w.c.Scheduler()
	if w.step != "" {
		e.Begin(w.step, flow.Running)
		e.Settle(flow.Record{Key: w.step, Status: flow.Failed, Text: w.last.Text, Failure: f})
	}
	e.Begin(string(v.Node), flow.Running)
	e.Settle(flow.Record{Key: string(v.Node), Kind: w.info(v.Node).Kind, Status: flow.Failed, Text: w.last.Text, Failure: f, Meta: w.totals[v.Node]})
}

// execute runs the node, with its branches if it has any, and returns the ends of the
// node, then of its branches without the failed ones.
func (w *Walk[N, S, L]) execute(v *Visit[N]) (list []end[N], err error) {
	c := w.context(v.Node)
	var branches []end[N]
	if len(v.Branches) > 0 {
		c.Node().Begin(flow.Running)
		if branches, err = w.fork(v); err != nil {
			return nil, err
		}
	}
	o, err := w.run(c, &v.Work, branches, v.OnFailure)
	w.step = c.Node().State().Last
	list = []end[N]{{step: &v.Work, NodeResult: o}}
	for _, b := range branches {
		if b.err == nil {
			list = append(list, b)
		}
	}
	return list, err
}

// count counts the nodes that have ended, and keeps their outputs.
func (w *Walk[N, S, L]) count(list []end[N]) (ended []flow.GraphEnded) {
	for _, b := range list {
		node := string(b.step.Node)
		w.iteration++
		w.executed = append(w.executed, node)
		w.texts[b.step.Node] = b.Text
		ended = append(ended, flow.GraphEnded{Node: node, Iteration: w.iteration, Label: b.Label, Text: b.Text, Agent: b.Agent})
	}
	return ended
}

// handle applies the handlers: of branches in their order, then of the node that waited
// for them.
func (w *Walk[N, S, L]) handle(list []end[N]) error {
	for _, b := range append(list[1:len(list):len(list)], list[0]) {
		w.last = b.NodeResult
		if b.Label == "" {
			continue // a promise ended the run, and the label is not known
		}
		if err := w.guard(func() error {
			b.step.OnEnd(b.NodeResult)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

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
		c.Scheduler().Settle(r)
	}
	return o, err
}

// fork runs the branches of a visit, as many at once as the limits allow, and waits for
// all of them.
func (w *Walk[N, S, L]) fork(v *Visit[N]) ([]end[N], error) {
	engine := w.c.Scheduler()
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
		engine.Spawn(nil, func(e flow.Scheduler) {
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
		if err := w.c.Scheduler().AwaitAny(running...); err != nil {
			return err
		}
	}
}

// failed returns the first failure among branches.
func failed[N ~string](list []end[N]) error {
	for _, b := range list {
		if b.err != nil {
			f := *flow.AsFailure(b.err)
			f.Message = fmt.Sprintf("branch `%s` failed: %s", b.step.Node, f.Message)
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
	if _, ok := c.Scheduler().Recorded(last); !ok {
		c.Scheduler().Settle(flow.Record{Key: last, Status: flow.Completed, Failure: f})
	}
}
