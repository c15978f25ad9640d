package acp

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
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

func (systemClock) Sleep(ctx context.Context, d time.Duration) error { return agent.Wait(ctx, d) }

func (systemClock) Limit(ctx context.Context, d time.Duration) (limited context.Context, stop context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (a *Agent) clock() Clock {
	if a.Clock != nil {
		return a.Clock
	}
	return systemClock{}
}

// beginnings is where it is kept when sessions began.
func (t *turn) beginnings() ledger.Book {
	return ledger.Book{Dir: t.request.Dir, Name: "session-begin"}
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
