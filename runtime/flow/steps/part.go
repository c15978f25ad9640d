package steps

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The steps of sequences that have parts (repetitions, forks, reviews) journal the end
// of each part as a separate record. The record's text is the part's output as later
// parts read it, so a later process takes it from there and does not run the part's code
// again. A part whose action completed with a useless output is recorded as failed, so
// that a later process performs it again.
//
// A part's action has the part's own key. The end of the action and the output of the
// part are one batch, because nothing waits between them, so no process ever finds only
// one of them.

// A part is the end of a part of a node.
type part struct {
	text string
	err  error
	node *flow.NodeState
}

// partKind is the kind of a part's record, as opposed to an action's.
const partKind = "part"

// runPart performs the part of a node with this suffix on engine e.
func runPart(c *flow.Context, e flow.Scheduler, suffix string, fn func(c *flow.Context) (string, error)) part {
	inner := c.Node().PartContext(e, suffix)
	p := part{node: inner.Node().State()}
	if r, ok := e.Recorded(inner.Key()); ok && !c.Node().Fresh() {
		p.node.Spent, p.node.Session, p.text = r.Meta, r.Meta.Session, r.Text
		return p
	}
	p.err = c.Node().Recover(func() (err error) {
		p.text, err = fn(inner)
		return err
	})
	end := flow.Record{Key: inner.Key(), Kind: partKind, Status: flow.Completed, Text: p.text, Meta: p.node.Spent}
	switch {
	case errors.Is(p.err, flow.ErrCancelled):
		// Its action has journalled that, unless it never started.
	case p.err != nil:
		end.Status, end.Failure = flow.Failed, flow.AsFailure(p.err)
		e.Settle(end)
	default:
		e.Settle(end)
	}
	return p
}

// failedIn adds the part of a step that failed to the message of the failure.
func failedIn(part string, err error) error {
	if err == nil || errors.Is(err, flow.ErrCancelled) {
		return err
	}
	f := *flow.AsFailure(err)
	f.Message = part + ": " + f.Message
	return &f
}

// takeAll adds the results of parts that ran side by side to the node.
func takeAll(c *flow.Context, parts []part) {
	node := c.Node().State()
	session := node.Session
	for _, p := range parts {
		node.Add(p.node)
	}
	node.Session = session // the last part to speak is chance
}

// itemKey is the key of the item i of the step of c, such as invoices[1].
func itemKey(c *flow.Context, i int) string {
	return fmt.Sprintf("%s[%d]", c.Node().State().Key, i)
}

// runAttempts calls fn until it succeeds or r does not retry its failure. The parts of
// attempt n, from the second on, are below "/attempt<n>", where the wait before it is
// journalled. A later process continues with the attempt, or the wait, that the run had
// reached.
func runAttempts(c *flow.Context, r flow.Retry, fn func(c *flow.Context) (string, error)) (string, error) {
	suffix := func(n int) string { return fmt.Sprintf("/attempt%d", n) }
	n := 1
	for n <= r.Retries && c.Node().PartCompleted(suffix(n+1)) {
		n++
	}
	if n <= r.Retries && !c.Node().Fresh() && c.Scheduler().Asleep(c.Key()+suffix(n+1)) {
		n++
		if err := c.Sleep(suffix(n), 0); err != nil { // until its journalled deadline
			return "", err
		}
	}
	for ; ; n++ {
		part := c
		if n > 1 {
			part = c.At(suffix(n))
		}
		text, err := fn(part)
		if err == nil || errors.Is(err, flow.ErrCancelled) {
			return text, err
		}
		f := flow.AsFailure(err)
		if !r.Allows(n, f) {
			return text, err
		}
		c.Scheduler().Log(flow.Event{Type: "step_retrying", Key: c.Node().State().Key, Message: fmt.Sprintf("attempt %d of %d failed: %s", n, r.Retries+1, f.Message)})
		if err := c.Sleep(suffix(n+1), r.Wait(n)); err != nil {
			return text, err
		}
	}
}

// RunNodes runs nodes inside a part of a node: inside an iteration of a Loop, or an item of
// a list. spawn spawns them and returns the last ones, in order; Text of the Result is the
// first non-blank output among those that completed. Node test in the second iteration of
// node fix is step fix#2.test.
//
// After a node that failed, the others run or are skipped by their rules, and then RunNodes
// returns the failure. A node that cancels the run cancels the part, too.
func RunNodes(c *flow.Context, spawn func(c *flow.Context) []flow.AnyTask) (flow.Result, error) {
	c.Node().Begin(flow.Running)
	return c.Node().RunNodes(spawn)
}
