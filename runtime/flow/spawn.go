package flow

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Spawn starts a node once its dependencies are settled. A node that the journal records as
// completed is not run again, unless AlwaysRun is set. Otherwise Spawn skips it if, in this
// order, the run is cancelled, Include did not complete, Rule does not hold, or When does
// not hold. A panic in the node's code fails the node; the Failure names the place of the
// panic. Spawn itself does not wait.
func Spawn[T any](c *Context, n Node[T]) *Task[T] {
	return spawn(c, n, &Task[T]{key: n.Key, done: c.engine.NewFuture(), status: Pending})
}

func spawn[T any](c *Context, n Node[T], t *Task[T]) *Task[T] {
	t.kind = n.Kind
	c.flow.tasks = append(c.flow.tasks, t)
	c.engine.Spawn(append(futures(n.After), futures(n.Order)...), func(e Scheduler) {
		child := &Context{
			engine: e, flow: c.flow, key: c.flow.inside + n.Key,
			spec: nodeSettings{n.Timeout, n.Retry, n.AlwaysRun || c.flow.fresh, n.ReadOnly, n.CheckArtifactRefs, n.After},
			node: &NodeState{Key: c.flow.inside + n.Key},
		}
		t.run(child, n)
		t.done.Settle(Result{Status: t.status})
	})
	return t
}

func (t *Task[T]) run(c *Context, n Node[T]) {
	if !c.spec.fresh {
		if r, ok := c.engine.Recorded(c.key); ok {
			if r.Reason != "" {
				c.CancelRun(r.Reason)
			}
			c.node.Session = r.Meta.Session
			c.flow.spent = c.flow.spent.Plus(r.Meta)
			t.finish(c, n, r.Text, nil)
			return
		}
	}
	if c.engine.Await() != nil || c.flow.cancelled && !n.Finally {
		t.skip(c, n.Kind, kernel.SkipCancelled)
		return
	}
	if (t.step || c.flow.halts) && t.preempted(c, n) {
		return
	}
	if n.Include != nil && n.Include.Status() != Completed {
		t.skip(c, n.Kind, kernel.SkipRule)
		return
	}
	if len(n.After) > 0 {
		ends := make([]Status, len(n.After))
		failed := false
		for i, d := range n.After {
			ends[i] = d.Status()
			if failed = failed || d.failedUpstream(); d.failedUpstream() && n.SkipCountsAsFailure {
				ends[i] = Failed
			}
		}
		rule := n.Rule
		if rule == nil {
			rule = AllSuccess
		}
		if c.flow.plan.doubtful {
			c.weigh(n.After, rule, ends)
		}
		if !rule(ends) {
			t.blocked = failed
			t.skip(c, n.Kind, kernel.SkipRule)
			return
		}
	}
	if n.Include != nil && !c.node.maybe {
		if d := n.Include.doubts(); d != nil && d.maybe {
			c.doubt("it depends on whether `" + d.key + "` runs")
		}
	}
	if n.When != nil {
		decide := guard[bool]
		if c.flow.plan.doubtful {
			decide = c.guess
		}
		ok, err := decide(n.When)
		if err != nil {
			t.finish(c, n, "", err)
			return
		}
		if !ok {
			t.skip(c, n.Kind, kernel.SkipCondition)
			return
		}
	}
	c.flow.plan.seen = nil
	if n.Run == nil {
		t.finish(c, n, "", nil)
		return
	}
	run := n.Run
	switch {
	case t.step:
		run = planned(n.Run, func(error) bool { return true })
	case n.Kind == (Child{}).Kind():
		run = planned(n.Run, func(err error) bool { return AsFailure(err).Reason == kernel.InvalidInput })
	}
	text, err := guard(func() (string, error) { return run(c) })
	t.finish(c, n, text, err)
}

func (t *Task[T]) skip(c *Context, kind, reason string) {
	t.status, t.reason, t.doubt = Skipped, reason, c.doubtful()
	c.engine.Settle(Record{Key: c.key, Kind: kind, Status: Skipped, Reason: reason})
}

func (t *Task[T]) finish(c *Context, n Node[T], text string, err error) {
	t.out.Text, t.doubt = text, c.doubtful()
	if stand := c.node.Unknown; stand != nil && err == nil {
		text = stand.Placeholder(t.key)
		t.out.Text = text
		stand.Fill(t.key, &t.out.Value)
		if n.Decode != nil && any(t.out.Value) == nil {
			// A value of type any has no fields to fill; it becomes the placeholder.
			if v, err := n.Decode(strconv.Quote(text)); err == nil {
				t.out.Value = v
			}
		}
	} else if err == nil {
		t.out.Value, err = n.typed(text)
	}
	if n.SkipOnTimeout && err != nil && AsFailure(err).Reason == "timeout" {
		t.skip(c, n.Kind, kernel.SkipTimeout)
		return
	}
	t.said = c.node.Session
	r := Record{Key: c.key, Kind: n.Kind, Text: text, Meta: c.node.Spent}
	if r.Meta != (Meta{}) {
		r.Meta.Session = t.said // a replay must find the same
	}
	switch {
	case err == nil:
		t.status, r.Status, r.Reason = Completed, Completed, c.node.cancels
	case errors.Is(err, ErrCancelled):
		t.status, r.Status, t.err = Cancelled, Cancelled, err
	default:
		c.flow.broken = c.flow.broken || c.flow.halts
		t.status, r.Status, t.err = Failed, Failed, err
		r.Failure = AsFailure(err)
	}
	c.engine.Settle(r)
}

// typed returns the typed value of an output's text.
func (n *Node[T]) typed(text string) (v T, err error) {
	if n.Decode == nil {
		if s, ok := any(&v).(*string); ok {
			*s = text
		}
		return v, nil
	}
	v, err = n.Decode(text)
	if err != nil {
		err = &Failure{Reason: "output", Message: fmt.Sprintf("the output of node `%s` does not have its declared form: %v", n.Key, plain.JSONError(err, text))}
	}
	return v, err
}

// RunNext runs the next node of a sequence, a flow that runs its nodes one after the
// other, and returns once the node is settled. After a node that failed or was cancelled,
// RunNext skips all later nodes with the reason "earlier_failure", except those with
// Finally, and the run fails. After a node that its condition skipped, the sequence
// continues.
func RunNext[T any](c *Context, n Node[T]) *Task[T] {
	if !c.flow.sequence && c.engine.Run().Planned {
		c.engine.Log(Event{Type: kernel.EventSequence, Key: n.Key})
	}
	c.flow.sequence = true
	t := &Task[T]{key: n.Key, done: c.engine.NewFuture(), status: Pending, step: true}
	if n.Finally {
		if c.engine.Run().Planned {
			c.engine.Log(Event{Type: kernel.EventNote, Key: n.Key, Message: "runs at the end, also after a failure or a cancellation"})
		}
		c.flow.last = append(c.flow.last, t)
		spawn(c.within(c.engine.Cleanup()), n, t)
	} else {
		spawn(c, n, t)
	}
	// The step settles however its scope ends, as its actions do.
	_ = c.engine.AwaitEnded(t.done)
	if t.status == Failed || t.status == Cancelled {
		c.flow.broken = true
	}
	if t.reason == kernel.SkipCancelled {
		c.flow.stopped = true
	}
	return t
}

// preempted skips the step after one that failed, and if its output was given.
func (t *Task[T]) preempted(c *Context, n Node[T]) bool {
	if c.flow.broken && !n.Finally {
		t.skip(c, n.Kind, kernel.SkipFailure)
		return true
	}
	if n.Replace == nil {
		return false
	}
	ok := false
	text, err := guard(func() (text string, err error) {
		text, ok, err = n.Replace()
		return text, err
	})
	switch {
	case err != nil:
		t.finish(c, n, "", err)
	case !ok:
		return false
	default:
		t.given(c, n, text)
	}
	return true
}

// given settles a step whose output was given: as skipped in the journal, as completed for
// its readers.
func (t *Task[T]) given(c *Context, n Node[T], text string) {
	value, err := n.typed(text)
	if err != nil {
		t.finish(c, n, "", err)
		return
	}
	t.status, t.reason, t.out = Completed, kernel.SkipGiven, Output[T]{Text: text, Value: value}
	c.engine.Settle(Record{Key: c.key, Kind: n.Kind, Status: Skipped, Reason: kernel.SkipGiven, Text: text})
}
