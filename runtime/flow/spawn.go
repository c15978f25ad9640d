package flow

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Spawn starts a node once its dependencies are settled. A node that the journal records as
// completed is not run again, unless AlwaysRun is set. Otherwise Spawn skips it if, in this
// order, the run is cancelled, Include did not complete, Rule does not hold, or When does
// not hold. A panic in the node's code fails the node; the Failure names the place of the
// panic. Spawn itself does not wait.
//
// c is the context of the flow, not of one of its nodes: a resumed run does not execute the code
// of a node that has completed. Spawn panics in a node, and if the flow cannot have a node with
// this key; see Node.Key.
func Spawn[T any](c *Context, n Node[T]) *Task[T] {
	return spawnNode(c, n, &Task[T]{key: n.Key, done: c.scheduler.NewFuture(), status: Pending})
}

func spawnNode[T any](c *Context, n Node[T], t *Task[T]) *Task[T] {
	switch n.Kind {
	case Bash{}.Kind(), Script{}.Kind(), "approval", "wait", "cancel": // what programs and people say
	default:
		if t.heard = []AnyTask{t}; n.Run == nil {
			t.heard = speakersOf(n.After)
		}
	}
	c.claimKey(n.Key, n.After)
	c.flow.tasks = append(c.flow.tasks, t)
	c.scheduler.Spawn(append(futuresOf(n.After), futuresOf(n.Order)...), func(e Scheduler) {
		child := &Context{
			scheduler: e, flow: c.flow, key: c.flow.inside + n.Key, heard: speakersOf(n.After),
			action: Action{Timeout: n.Timeout, Retry: n.Retry, ReadOnly: n.ReadOnly, CheckArtifactRefs: n.CheckArtifactRefs, Fresh: n.AlwaysRun || c.flow.fresh},
			node:   &NodeState{Key: c.flow.inside + n.Key},
		}
		if s := child.symbolicEngine(); s != nil {
			t.read = func(ref string, presence bool) { s.Read(child.key, ref, presence) }
		}
		t.runNode(child, n)
		t.done.Settle(Result{Status: t.status})
	})
	return t
}

func (t *Task[T]) runNode(c *Context, n Node[T]) {
	if !c.action.Fresh {
		if r, ok := c.scheduler.Recorded(c.key); ok {
			if r.Reason != "" {
				c.CancelRun(r.Reason)
			}
			c.node.Session = r.Meta.Session
			c.flow.spent = c.flow.spent.Plus(r.Meta)
			t.finishNode(c, n, r.Text, nil)
			return
		}
	}
	if c.scheduler.Await() != nil || c.flow.cancelled && !n.Finally {
		t.skipNode(c, n.Kind, kernel.SkipCancelled)
		return
	}
	if (t.step || c.flow.halts) && t.skipPreempted(c, n) {
		return
	}
	if n.Include != nil && n.Include.Status() != Completed {
		t.skipNode(c, n.Kind, kernel.SkipRule)
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
		if !rule(ends) {
			t.blocked = failed
			t.skipNode(c, n.Kind, kernel.SkipRule)
			return
		}
	}
	if n.When != nil {
		ok, _, err := c.Node().Decide(c.key, n.When)
		if err != nil {
			t.finishNode(c, n, "", err)
			return
		}
		if !ok {
			t.skipNode(c, n.Kind, kernel.SkipCondition)
			return
		}
	}
	if n.Run == nil {
		t.finishNode(c, n, "", nil)
		return
	}
	text, err := callGuarded(c, func() (string, error) { return n.Run(c) })
	t.finishNode(c, n, text, err)
}

func (t *Task[T]) skipNode(c *Context, kind, reason string) {
	t.status, t.reason = Skipped, reason
	c.scheduler.Settle(Record{Key: c.key, Kind: kind, Status: Skipped, Reason: reason})
}

func (t *Task[T]) finishNode(c *Context, n Node[T], text string, err error) {
	symbol, replaced := "", false
	if s := c.symbolicEngine(); s != nil {
		symbol, replaced = s.Output(c.key, text, &t.out.Value, err)
	}
	if replaced {
		text, err = symbol, nil
	} else if err == nil {
		t.out.Value, err = n.decodeOutput(text)
	}
	t.out.Text = text
	if n.SkipOnTimeout && err != nil && AsFailure(err).Reason == "timeout" {
		t.skipNode(c, n.Kind, kernel.SkipTimeout)
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
	c.scheduler.Settle(r)
}

// decodeOutput returns the typed value of an output's text.
func (n *Node[T]) decodeOutput(text string) (v T, err error) {
	if n.Decode == nil {
		s, ok := any(&v).(*string)
		if !ok {
			return v, &Failure{Reason: "output", Message: fmt.Sprintf("the outputs of node `%s` are not strings: set Decode, such as value.Decode[T]", n.Key)}
		}
		*s = text
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
	c.flow.sequence = true
	t := &Task[T]{key: n.Key, done: c.scheduler.NewFuture(), status: Pending, step: true}
	if n.Finally {
		c.flow.last = append(c.flow.last, t)
		spawnNode(c.withScheduler(c.scheduler.Cleanup()), n, t)
	} else {
		spawnNode(c, n, t)
	}
	// The step settles however its scope ends, as its actions do.
	_ = c.scheduler.AwaitEnded(t.done)
	c.flow.broken = c.flow.broken || t.status == Failed || t.status == Cancelled
	c.flow.stopped = c.flow.stopped || t.reason == kernel.SkipCancelled
	return t
}

// skipPreempted skips the step after one that failed, and if its output was given.
func (t *Task[T]) skipPreempted(c *Context, n Node[T]) bool {
	if c.flow.broken && !n.Finally {
		t.skipNode(c, n.Kind, kernel.SkipFailure)
		return true
	}
	if n.Replace == nil {
		return false
	}
	ok := false
	text, err := callGuarded(c, func() (text string, err error) {
		text, ok, err = n.Replace()
		return text, err
	})
	switch {
	case err != nil:
		t.finishNode(c, n, "", err)
	case !ok:
		return false
	default:
		t.settleReplaced(c, n, text)
	}
	return true
}

// settleReplaced settles a step whose output was given: as skipped in the journal, as completed for
// its readers.
func (t *Task[T]) settleReplaced(c *Context, n Node[T], text string) {
	value, err := n.decodeOutput(text)
	if err != nil {
		t.finishNode(c, n, "", err)
		return
	}
	t.status, t.reason, t.out = Completed, kernel.SkipGiven, Output[T]{Text: text, Value: value}
	c.scheduler.Settle(Record{Key: c.key, Kind: n.Kind, Status: Skipped, Reason: kernel.SkipGiven, Text: text})
}
