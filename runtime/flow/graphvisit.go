package flow

import (
	"errors"
	"fmt"
	"time"
)

// A Step is what a node of a graph does.
type Step[N ~string] struct {
	Node N
	// Kind is the node's kind for people.
	Kind string
	// Timeout and Retry are taken over by the node's actions.
	Timeout time.Duration
	Retry   Retry
	// Run does the node's work and says how it ended.
	Run func(c *Context) (Ending, error)
	// Done applies the node's handlers to the state.
	Done func(e Ending)
}

// A Visit is a step of a walk and what surrounds it.
type Visit[N ~string] struct {
	Step[N]
	// Branches run side by side before the node ends. When one fails, the others
	// finish; then the node ends with the label OnFailure or, when that is "",
	// fails too.
	Branches  []Step[N]
	OnFailure string
	// Before and After are the interrupts.
	Before, After []Interrupt[N]
	// Next chooses the edge: the node it leads to, or that none holds.
	Next func() (N, bool)
	// Checkpoint says that the node is there to have the state kept.
	Checkpoint bool
}

// Visit visits a node and returns the next, which is the end when the walk is
// over, however it ended.
func (w *Walk[N]) Visit(v Visit[N]) N {
	next, err := w.visit(&v)
	if err == nil {
		return next
	}
	w.verdict = err
	return ""
}

func (w *Walk[N]) visit(v *Visit[N]) (N, error) {
	w.entered++
	w.at, w.key = v.Node, fmt.Sprintf("%s@%d", v.Node, w.entered)
	_, w.replayed = w.c.engine.Recorded(w.key + "/state")
	skipTo, skipped, err := w.interrupts("before", v.Before, v.Node)
	switch {
	case err != nil:
		return "", w.broke(v, err)
	case skipped && skipTo == "":
		return "", w.finish(ReasonCompleted)
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

// broke ends the walk with an error, which is saved as what ended it.
func (w *Walk[N]) broke(v *Visit[N], err error) error {
	var stop *StopError
	switch {
	case errors.As(err, &stop) && stop.Reason != ReasonStopped:
		if saving := w.halt(w.place(w.key+"/failed"), v.Node, StateStopped, stop.Reason, err); saving != nil {
			return saving
		}
		return err
	case halted(err):
		return err
	}
	f := asFailure(err)
	reason := f.Reason
	if reason == "" {
		reason = "failed"
	}
	if saving := w.halt(w.place(w.key+"/failed"), v.Node, StateFailed, reason, err); saving != nil {
		return saving
	}
	if f.Reason == ReasonNoEdge {
		return err
	}
	return fmt.Errorf("node '%s': %w", v.Node, err)
}

// perform does the node's work and what follows from it.
func (w *Walk[N]) perform(v *Visit[N]) (N, error) {
	list, open, err := w.work(v)
	if err != nil {
		return "", err
	}
	if open {
		w.c.engine.Log(Event{Type: EventOpenEnd, Key: string(v.Node), Message: "it goes on by what this node ends with, which is not known"})
		return "", nil
	}
	ended := w.count(list)
	if err := w.handle(list); err != nil {
		w.unmake(v, asFailure(err))
		return "", err
	}
	next, on, err := choose(v.Next)
	if err != nil {
		w.unmake(v, asFailure(err))
		return "", err
	}
	promised := w.last.Promised
	if !on && !promised {
		// Where a goal holds, a node without an edge that leads on is an end.
		// Otherwise that is the node's failure.
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
	s := w.state(next, StateRunning)
	s.Ended, s.Checkpoint = ended, v.Checkpoint
	if err := w.save(w.key+"/state", s); err != nil {
		return "", err
	}
	if promised {
		return "", w.finish(ReasonPromise)
	}
	if _, _, err := w.interrupts("after", v.After, next); err != nil {
		return "", err
	}
	if next == "" {
		return "", w.finish(ReasonCompleted)
	}
	return next, w.withinLimits(next)
}

// unmake journals that the visit's last step is of no use, and the node with it.
func (w *Walk[N]) unmake(v *Visit[N], f *Failure) {
	e := w.c.engine
	if w.step != "" {
		e.Begin(w.step, Running)
		e.Settle(Record{Key: w.step, Status: Failed, Text: w.last.Text, Failure: f})
	}
	e.Begin(string(v.Node), Running)
	e.Settle(Record{Key: string(v.Node), Kind: v.Kind, Status: Failed, Text: w.last.Text, Failure: f, Meta: w.totals[v.Node]})
}

// work runs the node, with its branches if it has any, and returns what has ended:
// the node, then its branches but those that failed. open says that nobody knows
// how the node ended.
func (w *Walk[N]) work(v *Visit[N]) (list []branch[N], open bool, err error) {
	c := w.visitContext(v.Node, v.Timeout, v.Retry)
	var branches []branch[N]
	if len(v.Branches) > 0 {
		c.begin(Running)
		if branches, err = w.fork(v); err != nil {
			return nil, false, err
		}
	}
	e, err := w.run(c, &v.Step, branches, v.OnFailure)
	w.step = c.node.last
	list = []branch[N]{{step: &v.Step, ending: e}}
	open = e.open
	for _, b := range branches {
		open = open || b.ending.open
		if b.err == nil {
			list = append(list, b)
		}
	}
	return list, open, err
}

// count counts the nodes that have ended, and keeps what they gave.
func (w *Walk[N]) count(list []branch[N]) (ended []EndedNode) {
	for _, b := range list {
		node := string(b.step.Node)
		w.iteration++
		w.executed = append(w.executed, node)
		w.texts[b.step.Node] = b.ending.Text
		ended = append(ended, EndedNode{Node: node, Iteration: w.iteration, Label: b.ending.Label, Text: b.ending.Text, Agent: b.ending.Agent})
	}
	return ended
}

// handle applies the handlers: of branches in their order, then of the node that
// waited for them.
func (w *Walk[N]) handle(list []branch[N]) error {
	for _, b := range append(list[1:len(list):len(list)], list[0]) {
		w.last = b.ending
		if b.ending.Label == "" {
			continue // it ended the run by a promise, and nobody knows with what else
		}
		if _, err := guardPanic(func() (struct{}, error) {
			b.step.Done(b.ending)
			return struct{}{}, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// run runs one node in its context and keeps the node's own record.
func (w *Walk[N]) run(c *Context, s *Step[N], branches []branch[N], onFailure string) (Ending, error) {
	c.begin(Running)
	e, err := guardPanic(func() (Ending, error) {
		if failure := failed(branches); failure != nil {
			if onFailure != "" {
				return Pass(onFailure)
			}
			return Ending{}, failure
		}
		return s.Run(c)
	})
	w.spend(s.Node, c)
	r := Record{Key: string(s.Node), Kind: s.Kind, Status: Completed, Text: e.Text, Meta: w.totals[s.Node]}
	r.Meta.Choice = e.Label
	var stop *StopError
	switch {
	case errors.Is(err, ErrCancelled):
		r.Status = Cancelled
	case errors.As(err, &stop):
		return e, err // it waits on
	case err != nil:
		r.Status, r.Failure = Failed, asFailure(err)
	}
	if !c.node.replayed {
		c.engine.Settle(r)
	}
	return e, err
}

// spend adds what a visit of a node cost.
func (w *Walk[N]) spend(node N, c *Context) {
	w.totals[node] = w.totals[node].Plus(c.node.spent)
	w.cost += c.node.spent.CostUSD
}

// visitContext returns the context of the present visit.
func (w *Walk[N]) visitContext(node N, timeout time.Duration, retry Retry) *Context {
	return w.contextAt(w.c.engine, w.key, node, timeout, retry)
}

func (w *Walk[N]) contextAt(e Engine, key string, node N, timeout time.Duration, retry Retry) *Context {
	return &Context{
		engine: e, group: w.c.group, key: key, spec: nodeSettings{timeout: timeout, retry: retry},
		node: &nodeState{key: string(node), replayed: w.replayed, memory: w.memory},
	}
}
