package flow

// SkipGiven is the reason of a step that is skipped because its output was given
// as an input of the run.
const SkipGiven = "given"

// Perform performs a node of a sequence and returns once it is settled. After a step
// that failed or was cancelled all later ones are skipped with reason SkipFailure,
// and the run fails; a step that is skipped by its condition ends nothing.
func Perform[T any](c *Context, n Node[T]) *Task[T] {
	if !c.group.sequence && c.engine.Run().Planned {
		c.engine.Log(Event{Type: EventSequence, Key: n.Key})
	}
	c.group.sequence = true
	t := spawn(c, n, &Task[T]{key: n.Key, done: c.engine.NewFuture(), status: Pending, step: true})
	// The step settles however its scope ends, as its actions do.
	_ = c.engine.Await(Ended, t.done)
	if t.status == Failed || t.status == Cancelled {
		c.group.broken = true
	}
	if t.reason == SkipCancelled {
		c.group.stopped = true
	}
	return t
}

// preempted skips the step when nothing of it is to be done: after a step that
// did not end well, and when its output was given.
func (t *Task[T]) preempted(c *Context, n Node[T]) bool {
	if c.group.broken {
		t.skip(c, n.Kind, SkipFailure)
		return true
	}
	if n.Given == nil {
		return false
	}
	ok := false
	text, err := guardPanic(func() (text string, err error) {
		text, ok, err = n.Given()
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

// given settles the step as one whose output is given: skipped in the journal,
// completed to those who read it.
func (t *Task[T]) given(c *Context, n Node[T], text string) {
	value, err := n.typed(text)
	if err != nil {
		t.finish(c, n, "", err)
		return
	}
	t.status, t.reason, t.out = Completed, SkipGiven, Output[T]{Text: text, Value: value}
	c.engine.Settle(Record{Key: t.key, Kind: n.Kind, Status: Skipped, Reason: SkipGiven, Text: text})
}

// Approved reports whether what a reviewed step made was accepted: by the person
// who was asked, or by the one who gave it as an input. It is false when the step
// was skipped.
func Approved[T any](t *Task[T]) bool {
	if t.doubt != nil && t.doubt.maybe {
		t.doubt.read(t.key+".approved", true)
	}
	return t.status == Completed
}

// planned wraps the code of a step for plans. Code that computes with outputs
// that nobody knows may fail for want of them: a stand-in has no field `count` to
// add one to. Then what the step does is unknown, too, and it has not failed.
func planned(run func(c *Context) (string, error)) func(c *Context) (string, error) {
	return func(c *Context) (string, error) {
		if !c.engine.Run().Planned {
			return run(c)
		}
		c.group.seen = nil
		text, err := guardPanic(func() (string, error) { return run(c) })
		seen := c.group.seen
		switch {
		case err == nil || err == ErrCancelled:
			return text, err
		case c.node.unknown != nil:
			// What stands for the output of its action does not have its form.
			return text, nil
		case seen != nil:
			c.node.unknown = seen.stand
			c.note("what it does depends on the output of `%s`", seen.key)
			return "", nil
		}
		return text, err
	}
}
