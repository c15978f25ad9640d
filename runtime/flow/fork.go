package flow

import (
	"errors"
	"fmt"
	"strings"
)

// A Branch is one of the children of a Fork. The child lint of step check is step
// check/lint.
type Branch struct {
	Name string
	// Kind is the child's kind for people.
	Kind string
	// When is the child's condition; nil is none.
	When func() (bool, error)
	// Run performs the child and returns its output.
	Run func(c *Context) (string, error)
}

// A BranchEnd is what came of a child. Ran is false when its condition did not
// hold; then it has no output.
type BranchEnd struct {
	Name, Text string
	Ran        bool
}

// Fork runs children side by side, waits for all of them, and joins their outputs
// in the order in which the children are given. A child that fails fails the step;
// with failFast it also ends those that still run.
func Fork(c *Context, failFast bool, join func(ends []BranchEnd) (string, error), branches ...Branch) (string, error) {
	c.begin(Running)
	scope, cancel := c.engine.Scope()
	defer cancel()
	pieces := make([]piece, len(branches))
	ends := make([]BranchEnd, len(branches))
	futures := make([]*Future, len(branches))
	for i, b := range branches {
		futures[i] = scope.NewFuture()
		scope.Spawn(nil, func(e Engine) {
			pieces[i], ends[i] = c.branch(e, b)
			if p := pieces[i]; failFast && p.err != nil && !errors.Is(p.err, ErrCancelled) {
				cancel()
			}
			futures[i].Settle(Result{Status: Completed})
		})
	}
	if err := c.engine.Await(Ended, futures...); err != nil {
		return "", err
	}
	session := c.node.session
	for _, p := range pieces {
		c.take(p)
	}
	c.node.session = session // which of theirs it would be is chance
	if err := forkFailure(branches, pieces); err != nil {
		return "", err
	}
	if c.node.unknown != nil {
		return "", nil
	}
	return join(ends)
}

// branch performs a child with e, unless its condition does not hold.
func (c *Context) branch(e Engine, b Branch) (piece, BranchEnd) {
	end := BranchEnd{Name: b.Name}
	skipped := piece{node: &nodeState{}}
	key := c.key + "/" + b.Name
	if b.When != nil {
		runs, open, err := c.settled(b.When)
		switch {
		case open != nil:
			e.Log(Event{Type: EventNote, Key: c.node.key, Message: fmt.Sprintf("whether `%s` runs is not known: %s", b.Name, open)})
		case err != nil:
			skipped.err = err
			e.Settle(Record{Key: key, Kind: b.Kind, Status: Failed, Failure: asFailure(err)})
			return skipped, end
		case !runs:
			e.Settle(Record{Key: key, Kind: b.Kind, Status: Skipped, Reason: SkipCondition})
			return skipped, end
		}
	}
	p := c.piece(e, "/"+b.Name, b.Run)
	if errors.Is(p.err, ErrCancelled) {
		e.Settle(Record{Key: key, Kind: b.Kind, Status: Cancelled}) // skipped, if its action has not begun
	}
	end.Text, end.Ran = p.text, p.err == nil
	return p, end
}

// forkFailure says which children failed; nil when none did.
func forkFailure(branches []Branch, pieces []piece) error {
	var first *Failure
	var texts []string
	cancelled := false
	for i, p := range pieces {
		switch {
		case p.err == nil:
		case errors.Is(p.err, ErrCancelled):
			cancelled = true
		default:
			f := asFailure(p.err)
			if first == nil {
				first = f
			}
			texts = append(texts, fmt.Sprintf("'%s' failed: %s", branches[i].Name, f.Message))
		}
	}
	if first != nil {
		f := *first
		f.Message = strings.Join(texts, "; ")
		return &f
	}
	if cancelled {
		return ErrCancelled
	}
	return nil
}
