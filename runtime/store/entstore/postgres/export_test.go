package postgres

import (
	"context"
	"slices"
	"sync"
	"time"
)

// The options and the type of stores, for tests.
type (
	Options = options
	Store   = runStore
)

// Open opens a store with options.
var Open = openStore

// A Clock is a clock that goes on only when it is told to.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*clockTimer
}

type clockTimer struct {
	of *Clock
	at time.Time
	do func()
}

// NewClock returns a clock that stands.
func NewClock() *Clock { return &Clock{now: time.Unix(1_700_000_000, 0)} }

// OpenBy opens a store whose leases are timed by a clock of a test.
func OpenBy(ctx context.Context, c *Clock, url string, opt options) (*runStore, error) {
	opt.clock = c
	return openStore(ctx, url, opt)
}

// Now implements clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements clock.
func (c *Clock) AfterFunc(d time.Duration, do func()) timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &clockTimer{c, c.now.Add(d), do}
	c.timers = append(c.timers, t)
	return t
}

// Stop implements timer.
func (t *clockTimer) Stop() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	before := len(t.of.timers)
	t.of.timers = slices.DeleteFunc(t.of.timers, func(other *clockTimer) bool { return other == t })
	return len(t.of.timers) < before
}

// Advance lets time pass and makes the calls that are due, in order.
func (c *Clock) Advance(d time.Duration) {
	until := c.Now().Add(d)
	for {
		c.mu.Lock()
		var next *clockTimer
		for _, t := range c.timers {
			if !t.at.After(until) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			c.now = until
			c.mu.Unlock()
			return
		}
		if next.at.After(c.now) {
			c.now = next.at
		}
		c.mu.Unlock()
		next.Stop()
		next.do()
	}
}
