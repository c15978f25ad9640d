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
	// Front returns the ids of the first n tickets that are held.
	Front(ctx context.Context, agent string, n int) ([]string, error)
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

	mu    sync.Mutex
	lines map[string]*line
}

// New returns a queue.
func New(b Backend, poll time.Duration) *Queue {
	return &Queue{backend: b, poll: poll, lines: map[string]*line{}}
}

// A line is what this process knows of the line of an agent.
type line struct {
	reading sync.Mutex // for one turn at a time
	front   []string
	read    time.Time // when front was read
	n       int       // how many tickets front may have
	seen    int64     // left when front was read

	left    atomic.Int64 // how many turns of this process have left
	mu      sync.Mutex
	changed chan struct{} // closed when one leaves
}

func (q *Queue) lineOf(agent string) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[agent]
	if l == nil {
		l = &line{changed: make(chan struct{})}
		q.lines[agent] = l
	}
	return l
}

// Take implements engine.Queue.
func (q *Queue) Take(ctx context.Context, agent string, most int, wait func()) (leave func(), err error) {
	l := q.lineOf(agent)
	ticket, err := q.backend.Join(ctx, agent)
	if err != nil {
		return nil, err
	}
	leave = sync.OnceFunc(func() {
		ticket.Leave()
		l.announce()
	})
	for told := false; ; told = true {
		changed := l.changedSignal()
		front, err := q.frontOf(ctx, l, agent, most, told)
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
		case <-changed:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			leave()
			return nil, ctx.Err()
		}
	}
}

// frontOf returns the first tickets of a line. Turns of this process that wait share what one of
// them has just read.
func (q *Queue) frontOf(ctx context.Context, l *line, agent string, n int, waits bool) ([]string, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	seen := l.left.Load()
	if waits && l.n == n && l.seen == seen && time.Since(l.read) < q.poll/2 {
		return l.front, nil
	}
	front, err := q.backend.Front(ctx, agent, n)
	if err == nil {
		l.front, l.read, l.n, l.seen = front, time.Now(), n, seen
	}
	return front, err
}

func (l *line) changedSignal() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

func (l *line) announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left.Add(1)
	close(l.changed)
	l.changed = make(chan struct{})
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
	chosen = slices.Clone(chosen)
	slices.SortFunc(chosen, time.Time.Compare)
	at := reset.Add(gap)
	for _, c := range chosen {
		if c.Sub(at).Abs() < gap {
			at = c.Add(gap)
		}
	}
	if last := reset.Add(longestDelay); at.After(last) {
		return last
	}
	return at
}
