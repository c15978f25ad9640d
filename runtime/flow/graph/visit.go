package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// visitNode visits a node and returns the next one: the end when the walk is over.
func (w *Walk[N, S, L, R]) visitNode(n *Node[N, R]) (N, error) {
	w.entered++
	w.at, w.key = n.Name, fmt.Sprintf("%s@%d", n.Name, w.entered)
	_, w.replayed = w.c.Scheduler().Recorded(w.key + "/state")
	skipTo, skipped, err := w.askInterrupts("before", n, n.Name)
	switch {
	case err != nil:
		return "", w.endWithError(n, err)
	case skipped && skipTo == End:
		return "", w.finishWalk(kernel.ReasonCompleted)
	case skipped:
		return skipTo, nil
	}
	failure := w.repeatableHaltPoint(w.key + "/failed")
	if err := w.saveResumption(failure, n.Name); err != nil {
		return "", err
	}
	next, err := w.performVisit(n)
	if err != nil {
		return "", w.endWithError(n, err)
	}
	return next, nil
}

// endWithError ends the walk with an error and saves it as the cause.
func (w *Walk[N, S, L, R]) endWithError(n *Node[N, R], err error) error {
	var stop *kernel.StopError
	switch {
	case errors.As(err, &stop) && stop.Reason != kernel.ReasonStopped:
		if saving := w.saveHalt(w.repeatableHaltPoint(w.key+"/failed"), n.Name, kernel.StateStopped, stop.Reason, err); saving != nil {
			return saving
		}
		return err
	case isSavedVerdict(err):
		return err
	}
	f := flow.AsFailure(err)
	reason := cmp.Or(f.Reason, "failed")
	if saving := w.saveHalt(w.repeatableHaltPoint(w.key+"/failed"), n.Name, kernel.StateFailed, reason, err); saving != nil {
		return saving
	}
	if f.Reason == kernel.ReasonNoEdge {
		return err
	}
	return kernel.NamedError(string(n.Name), err)
}

// performVisit does the node's work and its consequences.
func (w *Walk[N, S, L, R]) performVisit(n *Node[N, R]) (N, error) {
	list, err := w.executeNode(n)
	if err != nil {
		return "", err
	}
	ended := w.countEndedNodes(list)
	if err := w.applyHandlers(list); err != nil {
		w.journalUselessStep(n, flow.AsFailure(err))
		return "", err
	}
	next, on, err := w.chooseNextNode(n.Name)
	if err != nil {
		w.journalUselessStep(n, flow.AsFailure(err))
		return "", err
	}
	promised := w.last.promised
	if !on && !promised {
		// A node without an edge that holds is an end if a goal holds. Otherwise the node
		// has failed.
		held, err := w.isGoalReached()
		if err != nil {
			return "", err
		}
		if !held {
			f := noEdge(fmt.Sprintf("no edge from node `%s` holds after `%s`", n.Name, w.last.Label))
			w.journalUselessStep(n, f)
			return "", f
		}
	}
	s := w.currentState(next, kernel.StateRunning)
	s.Ended, s.Checkpoint = ended, n.Kind == "checkpoint"
	if err := w.saveState(w.key+"/state", s); err != nil {
		return "", err
	}
	if promised {
		return "", w.finishWalk(kernel.ReasonPromise)
	}
	if _, _, err := w.askInterrupts("after", n, next); err != nil {
		return "", err
	}
	if next == "" {
		return "", w.finishWalk(kernel.ReasonCompleted)
	}
	return next, w.withinLimits(next)
}

// journalUselessStep journals that the visit's last step is useless, and the node with it.
func (w *Walk[N, S, L, R]) journalUselessStep(n *Node[N, R], f *flow.Failure) {
	e := w.c.Scheduler()
	if w.step != "" {
		e.Begin(w.step, flow.Running)
		e.Settle(flow.Record{Key: w.step, Status: flow.Failed, Text: w.last.Text, Failure: f})
	}
	e.Begin(string(n.Name), flow.Running)
	e.Settle(flow.Record{Key: string(n.Name), Kind: n.Kind, Status: flow.Failed, Text: w.last.Text, Failure: f, Meta: w.totals[n.Name]})
}

// executeNode runs the node, with its branches if it has any, and returns the ends of the
// node, then of its branches without the failed ones.
func (w *Walk[N, S, L, R]) executeNode(n *Node[N, R]) (list []end[N, R], err error) {
	c := w.visitContext(n)
	var branches []end[N, R]
	if len(n.Branches) > 0 {
		c.Node().Begin(flow.Running)
		if branches, err = w.runBranches(n); err != nil {
			return nil, err
		}
	}
	o, err := w.runNode(c, n, branches)
	w.step = c.Node().State().Last
	list = []end[N, R]{{node: n, NodeResult: o}}
	for _, b := range branches {
		if b.err == nil {
			list = append(list, b)
		}
	}
	return list, err
}

// countEndedNodes counts the nodes that have ended, and keeps their outputs.
func (w *Walk[N, S, L, R]) countEndedNodes(list []end[N, R]) (ended []graphstate.Ended) {
	for _, b := range list {
		node := b.node.Name
		w.iteration++
		w.executed = append(w.executed, string(node))
		w.texts[node] = b.Text
		ended = append(ended, graphstate.Ended{Node: string(node), Iteration: w.iteration, Label: b.Label, Text: b.Text, Agent: b.Agent})
	}
	return ended
}

// applyHandlers applies the handlers: of branches in their order, then of the node that waited
// for them.
func (w *Walk[N, S, L, R]) applyHandlers(list []end[N, R]) error {
	for _, b := range append(list[1:len(list):len(list)], list[0]) {
		w.last = b.NodeResult
		if b.Label == "" {
			continue // a promise ended the run, and the label is not known
		}
		if err := w.recoverPanics(func() error {
			if err := w.keepLabel(b.node.Name, b.Label); err != nil {
				return err
			}
			if b.node.OnEnd != nil {
				b.node.OnEnd(w.run, b.NodeResult)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// An end is a node and how it ended.
type end[N ~string, R any] struct {
	node *Node[N, R]
	NodeResult
	err error
}

// runNode runs one node in its context, after its branches, and journals the node's own record.
func (w *Walk[N, S, L, R]) runNode(c *flow.Context, n *Node[N, R], branches []end[N, R]) (o NodeResult, err error) {
	c.Node().Begin(flow.Running)
	err = w.recoverPanics(func() (err error) {
		failure := firstBranchFailure(branches)
		switch {
		case failure == nil:
			o, err = w.nodeResult(c, n)
		case n.FailureLabel != "":
			o = endedWith(n.FailureLabel)
		default:
			err = failure
		}
		return err
	})
	node := c.Node().State()
	w.totals[n.Name] = w.totals[n.Name].Plus(node.Spent)
	w.cost = plain.RoundDollars(w.cost + node.Spent.CostUSD)
	w.unpriced = cmp.Or(w.unpriced, node.Spent.Unpriced)
	r := flow.Record{Key: string(n.Name), Kind: n.Kind, Status: flow.Completed, Text: o.Text, Meta: w.totals[n.Name]}
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

// nodeResult does the work of a node.
func (w *Walk[N, S, L, R]) nodeResult(c *flow.Context, n *Node[N, R]) (NodeResult, error) {
	switch {
	case n.Run != nil:
		return n.Run(w.run, c)
	case n.Decide == nil:
		return endedWith(n.EndLabel), nil
	case n.Decide(w.run):
		return endedWith(n.ThenLabel), nil
	}
	return endedWith(n.ElseLabel), nil
}

// endedWith is the end of a node that performs nothing.
func endedWith(label string) NodeResult { return NodeResult{Label: label, Text: label} }

// runBranches runs the branches of a visit, as many at once as the limits allow, and waits for
// all of them.
func (w *Walk[N, S, L, R]) runBranches(n *Node[N, R]) ([]end[N, R], error) {
	engine := w.c.Scheduler()
	list := make([]end[N, R], len(n.Branches))
	ends := make([]*flow.Future, 0, len(list))
	for i := range list {
		if err := w.awaitBranchSlot(ends); err != nil {
			_ = engine.AwaitEnded(ends...)
			return nil, err
		}
		b, over := &list[i], engine.NewFuture()
		b.node = w.graph.nodeNamed(n.Branches[i])
		w.entered++
		key := fmt.Sprintf("%s@%d", b.node.Name, w.entered)
		ends = append(ends, over)
		engine.Spawn(nil, func(e flow.Scheduler) {
			c := w.contextOn(e, key, b.node)
			b.NodeResult, b.err = w.runNode(c, b.node, nil)
			var f *flow.Failure
			if n.FailureLabel != "" && errors.As(b.err, &f) {
				journalHandledFailure(c, f)
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

// awaitBranchSlot waits until another branch may start, given the ends of those that have started.
func (w *Walk[N, S, L, R]) awaitBranchSlot(ends []*flow.Future) error {
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

// firstBranchFailure returns the first failure among branches.
func firstBranchFailure[N ~string, R any](list []end[N, R]) error {
	for _, b := range list {
		if b.err != nil {
			f := *flow.AsFailure(b.err)
			f.Message = fmt.Sprintf("branch `%s` failed: %s", b.node.Name, f.Message)
			return &f
		}
	}
	return nil
}

// journalHandledFailure journals the failure of the node's last step as one that the walk has taken
// into account: it is not performed again, and fails again in a replay.
func journalHandledFailure(c *flow.Context, f *flow.Failure) {
	last := c.Node().State().Last
	if last == "" {
		return // it failed without a step, and does so again
	}
	if _, ok := c.Scheduler().Recorded(last); !ok {
		c.Scheduler().Settle(flow.Record{Key: last, Status: flow.Completed, Failure: f})
	}
}
