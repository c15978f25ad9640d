// Package places limits how many turns of an agent take place at the same time, over all runs of
// an account on this machine or of a database, and gives the places in the order of asking.
//
// A turn joins the line of its agent with a ticket, and keeps the ticket until it is over. The
// owners of the first tickets have the places. A ticket that nobody holds any more, because its
// process died, doesn't count. So nobody starves, and a crash frees its places.
package places

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Backend keeps the lines of agents. It is safe for concurrent use.
type Backend interface {
	// Join takes a ticket at the end of the line of an agent.
	Join(ctx context.Context, agent string) (Ticket, error)
	// FirstHeld returns the ids of the first n tickets that are held.
	FirstHeld(ctx context.Context, agent string, n int) ([]string, error)
	// Reserve calls choose with the times that were chosen for an agent and are not over, and
	// keeps the one that it returns. One call for an agent takes place at a time.
	Reserve(ctx context.Context, agent string, choose func(chosen []time.Time) time.Time) error
}

// A Ticket is a place in a line.
type Ticket interface {
	ID() string
	// Leave gives the ticket back.
	Leave()
}

// A Queue gives places by a backend. It implements engine.Queue.
type Queue struct {
	backend Backend
	// poll is how often the line is read for tickets that other processes give back.
	poll time.Duration
	// left is closed when a turn of this process gives its ticket back.
	left atomic.Pointer[chan struct{}]
}

// New returns a queue.
func New(b Backend, poll time.Duration) *Queue {
	q := &Queue{backend: b, poll: poll}
	q.left.Store(new(make(chan struct{})))
	return q
}

// Take implements engine.Queue.
func (q *Queue) Take(ctx context.Context, agent string, most int, wait func()) (leave func(), err error) {
	ticket, err := q.backend.Join(ctx, agent)
	if err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(func() {
		ticket.Leave()
		close(*q.left.Swap(new(make(chan struct{}))))
	})
	for told := false; ; told = true {
		left := *q.left.Load()
		front, err := q.backend.FirstHeld(ctx, agent, most)
		switch {
		case err != nil:
			leave()
			return nil, err
		case slices.Contains(front, ticket.ID()):
			return leave, nil
		}
		if !told {
			wait()
		}
		select {
		case <-time.After(q.poll):
		case <-left:
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
}

const (
	// gap is between the ends of two waits for the same reset, and longestDelay how long after
	// the reset the last of them ends.
	gap          = time.Second
	longestDelay = 55 * time.Second
)

// Delay implements engine.Queue. A wait that cannot be put in order ends soon after the reset.
func (q *Queue) Delay(ctx context.Context, agent string, reset time.Time) time.Duration {
	delay := gap
	_ = q.backend.Reserve(ctx, agent, func(chosen []time.Time) time.Time {
		at := nextFree(chosen, reset)
		delay = at.Sub(reset)
		return at
	})
	return delay
}

// nextFree returns the first time after a reset that is not close to a chosen one.
func nextFree(chosen []time.Time, reset time.Time) time.Time {
	at := reset.Add(gap)
	for _, c := range slices.SortedFunc(slices.Values(chosen), time.Time.Compare) {
		if c.Sub(at).Abs() < gap {
			at = c.Add(gap)
		}
	}
	if last := reset.Add(longestDelay); at.After(last) {
		return last
	}
	return at
}
