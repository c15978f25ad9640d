package acp

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent/ledger"
)

// A Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep waits, and returns ctx's error when that ends before.
	Sleep(ctx context.Context, d time.Duration) error
	// Limit returns a context that ends after a while.
	Limit(ctx context.Context, d time.Duration) (limited context.Context, stop context.CancelFunc)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (systemClock) Limit(ctx context.Context, d time.Duration) (limited context.Context, stop context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (a *Agent) clock() Clock {
	if a.Clock != nil {
		return a.Clock
	}
	return systemClock{}
}

// beginnings is where it is kept when sessions began, and costBook what they have
// cost.
func (t *turn) beginnings() ledger.Book {
	return ledger.Book{Dir: t.request.Dir, Name: "session-begin"}
}

func (t *turn) costBook() ledger.Book {
	return ledger.Book{Dir: t.request.Dir, Name: "session-cost"}
}

// keepBeginning keeps that a session began between a moment and now.
func (t *turn) keepBeginning(session string, from time.Time) {
	if !t.habits.byTheMinute {
		return
	}
	now := t.agent.clock().Now()
	if now.Before(from) {
		now = from
	}
	if err := t.beginnings().Keep(session, now.UTC()); err != nil {
		t.tell.warn("when the session began cannot be kept, so it may not go on within this minute: %v", err)
	}
}

// waitForMinute waits until the minute is over in which a session began, for a
// program that would destroy it otherwise. Of a session of another run that is
// not known, so the minute that it is now counts.
func (t *turn) waitForMinute(ctx context.Context, session string) error {
	if !t.habits.byTheMinute {
		return nil
	}
	now := t.agent.clock().Now().UTC()
	var began time.Time
	if !t.beginnings().Last(session, &began) {
		began = now
	}
	next := began.Truncate(time.Minute).Add(time.Minute)
	wait := min(next.Sub(now), time.Minute) // whatever became of the clock
	if wait <= 0 {
		return nil
	}
	t.tell.note("waits %v, as %s cannot go on with a session in the minute in which it began", wait.Round(time.Second), t.name)
	if err := t.agent.clock().Sleep(ctx, wait); err != nil {
		return err
	}
	return t.beginnings().Keep(session, began) // it is older than any later minute
}

// keepCost keeps what the session has cost, for its next turn.
func (t *turn) keepCost() {
	t.mu.Lock()
	session, total := t.heard.session, t.heard.total
	t.mu.Unlock()
	if total == nil {
		return
	}
	if err := t.costBook().Keep(session, *total); err != nil {
		t.tell.warn("the cost of the session cannot be kept, so that of its next turn may not be known: %v", err)
	}
}
