package graph

import (
	"errors"
	"fmt"

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
	_, w.replayed = w.c.Engine().Recorded(w.key + "/state")
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
	reason := f.Reason
	if reason == "" {
		reason = "failed"
	}
	if saving := w.halt(w.place(w.key+"/failed"), v.Node, kernel.StateFailed, reason, err); saving != nil {
		return saving
	}
	if f.Reason == kernel.ReasonNoEdge {
		return err
	}
	return fmt.Errorf("node '%s': %w", v.Node, err)
}

// perform does the node's work and its consequences.
func (w *Walk[N, S, L]) perform(v *Visit[N]) (N, error) {
	list, open, err := w.execute(v)
	if err != nil {
		return "", err
	}
	if open {
		w.c.Engine().Log(flow.Event{Type: kernel.EventOpenEnd, Key: string(v.Node), Message: "it goes on by what this node ends with, which is not known"})
		return "", nil
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
			f := noEdge(fmt.Sprintf("no edge that leads on from node '%s' holds after `%s`", v.Node, w.last.Label))
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
	e := w.c.Engine()
	if w.step != "" {
		e.Begin(w.step, flow.Running)
		e.Settle(flow.Record{Key: w.step, Status: flow.Failed, Text: w.last.Text, Failure: f})
	}
	e.Begin(string(v.Node), flow.Running)
	e.Settle(flow.Record{Key: string(v.Node), Kind: w.info(v.Node).Kind, Status: flow.Failed, Text: w.last.Text, Failure: f, Meta: w.totals[v.Node]})
}

// execute runs the node, with its branches if it has any, and returns the ends of the
// node, then of its branches without the failed ones. open means that a plan does not know
// how the node ended.
func (w *Walk[N, S, L]) execute(v *Visit[N]) (list []end[N], open bool, err error) {
	c := w.context(v.Node)
	var branches []end[N]
	if len(v.Branches) > 0 {
		c.Node().Begin(flow.Running)
		if branches, err = w.fork(v); err != nil {
			return nil, false, err
		}
	}
	o, err := w.run(c, &v.Work, branches, v.OnFailure)
	w.step = c.Node().State().Last
	list, open = []end[N]{{step: &v.Work, NodeResult: o}}, o.open
	for _, b := range branches {
		open = open || b.open
		if b.err == nil {
			list = append(list, b)
		}
	}
	return list, open, err
}

// count counts the nodes that have ended, and keeps their texts.
func (w *Walk[N, S, L]) count(list []end[N]) (ended []Ended) {
	for _, b := range list {
		node := string(b.step.Node)
		w.iteration++
		w.executed = append(w.executed, node)
		w.texts[b.step.Node] = b.Text
		ended = append(ended, Ended{Node: node, Iteration: w.iteration, Label: b.Label, Text: b.Text, Agent: b.Agent})
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
			b.step.Done(b.NodeResult)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
