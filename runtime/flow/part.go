package flow

import (
	"errors"
	"fmt"
	"time"
)

// A node that is more than one action (a loop, a gate with rework) is made of
// parts, each a step of its own. The node's own record says that it runs or
// waits, and in the end what came of it.

// begin journals that the node runs, or waits for a person.
func (c *Context) begin(s Status) {
	if !c.node.replayed {
		c.engine.Begin(c.node.key, s)
	}
}

// replayed reports whether a part of the node was completed by an earlier
// process of the run.
func (c *Context) replayed(suffix string) bool {
	if c.spec.fresh {
		return false
	}
	_, ok := c.engine.Recorded(c.key + suffix)
	return ok
}

// Within calls fn, and cancels what it waits for when it takes longer than
// limit: then the error is a Failure of reason "timeout". Zero is no limit. Only
// the time counts in which a process works on the run, and each process counts
// anew.
func (c *Context) Within(limit time.Duration, fn func(c *Context) (string, error)) (string, error) {
	if limit <= 0 {
		return fn(c)
	}
	work, end := c.engine.Scope()
	clock, stop := c.engine.Scope()
	defer stop()
	expired := false
	alarm := clock.Timer(limit)
	clock.Spawn([]*Future{alarm}, func(Engine) {
		if alarm.Result().Status == Completed {
			expired = true
			end()
		}
	})
	part := *c
	part.engine = work
	text, err := fn(&part)
	if expired && errors.Is(err, ErrCancelled) {
		err = &Failure{Reason: "timeout", ExitCode: -1, Message: fmt.Sprintf("node '%s' timed out after %s", c.node.key, limit)}
	}
	return text, err
}

// attempts calls fn until it succeeds or r says that its failure is final. The
// parts of attempt n, from the second on, stand under "/attempt<n>", where the
// wait before it is journalled. A later process goes on with the attempt, or the
// wait, that the run had come to.
func (c *Context) attempts(r Retry, fn func(c *Context) (string, error)) (string, error) {
	suffix := func(n int) string { return fmt.Sprintf("/attempt%d", n) }
	n := 1
	for n <= r.Max && c.replayed(suffix(n+1)) {
		n++
	}
	if n <= r.Max && !c.spec.fresh && c.engine.Asleep(c.key+suffix(n+1)) {
		n++
		if err := c.Sleep(suffix(n), 0); err != nil { // until the deadline it has
			return "", err
		}
	}
	for ; ; n++ {
		part := c
		if n > 1 {
			part = c.At(suffix(n))
		}
		text, err := fn(part)
		if err == nil || errors.Is(err, ErrCancelled) {
			return text, err
		}
		f := asFailure(err)
		if !r.Again(n, f) {
			return text, err
		}
		c.engine.Log(Event{Type: "step_retrying", Key: c.node.key, Message: fmt.Sprintf("attempt %d of %d failed: %s", n, r.Max+1, f.Message)})
		if err := c.Sleep(suffix(n+1), r.Wait(n)); err != nil {
			return text, err
		}
	}
}
