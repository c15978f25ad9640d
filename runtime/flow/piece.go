package flow

import "errors"

// The steps of sequences that are made of parts (loops, forks, reviews) keep what
// came of each part as a record of its own: its text is the part's output as it is
// read from then on, so a later process takes it from there and does not look at
// the part's code again. A part whose action completed but whose output is of no
// use is recorded as failed, so that a later process performs it again.
//
// A part's action has the part's own key. Its end and the part's output are one
// batch, for nothing waits between them, so no process ever finds the one without
// the other.

// piece is what came of a part.
type piece struct {
	text string
	err  error
	node *nodeState
}

// partKind is the kind of a part whose record is none of an action.
const partKind = "part"

// piece performs the part of the node that stands under suffix, with e.
func (c *Context) piece(e Engine, suffix string, fn func(c *Context) (string, error)) piece {
	part := c.At(suffix)
	part.engine = e
	part.node = &nodeState{key: c.node.key, maybe: c.node.maybe}
	if r, ok := e.Recorded(part.key); ok && !c.spec.fresh {
		part.node.spent, part.node.session = r.Meta, r.Meta.Session
		return piece{text: r.Text, node: part.node}
	}
	p := piece{node: part.node}
	p.text, p.err = guardPanic(func() (string, error) { return fn(part) })
	switch {
	case p.node.unknown != nil:
		if !errors.Is(p.err, ErrCancelled) {
			p.err = nil // what stands for an output need not have its form
		}
	case p.err == nil:
		e.Settle(Record{Key: part.key, Kind: partKind, Status: Completed, Text: p.text, Meta: p.node.spent})
	case errors.Is(p.err, ErrCancelled):
		// Its action has said so, unless it never began.
	default:
		e.Settle(Record{Key: part.key, Kind: partKind, Status: Failed, Text: p.text, Failure: asFailure(p.err), Meta: p.node.spent})
	}
	return p
}

// take adds what a part leaves to the node: its cost, its agent's session, and
// that it cancelled the run.
func (c *Context) take(p piece) {
	c.node.spent = c.node.spent.Plus(p.node.spent)
	c.node.session = p.node.session
	if p.node.cancels != "" {
		c.node.cancels = p.node.cancels
	}
	if p.node.unknown != nil {
		c.node.unknown = p.node.unknown
	}
}

// within says in which part of a step something failed.
func within(where string, err error) error {
	if err == nil || errors.Is(err, ErrCancelled) {
		return err
	}
	f := *asFailure(err)
	f.Message = where + ": " + f.Message
	return &f
}

// settled decides a condition between two parts. open is set in plans when the
// condition depends on what nobody knows.
func (c *Context) settled(decide func() (bool, error)) (holds bool, open *undecided, err error) {
	before := c.group.deciding
	c.group.deciding = c.group.doubtful
	holds, err = guardPanic(decide)
	c.group.deciding = before
	if errors.As(err, &open) {
		return false, open, nil
	}
	return holds, nil, err
}
