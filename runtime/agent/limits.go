package agent

import (
	"context"
	"errors"
	"time"
)

// errIdle is the cause of the end of a context whose agent said nothing.
var errIdle = errors.New("the agent said nothing")

// limits end a turn that takes too long or in which nothing happens.
type limits struct {
	// total limits the whole attempt; zero means no limit.
	total time.Duration
	// idle limits the time without a sign of life.
	idle  time.Duration
	timer *time.Timer
	// end ends the attempt for a reason. Only the first end counts.
	end context.CancelCauseFunc
}

// start returns the context of an attempt.
func (l *limits) start(ctx context.Context) (limited context.Context, stop func()) {
	stopTotal := func() {}
	if l.total > 0 {
		ctx, stopTotal = context.WithTimeout(ctx, l.total)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.end = cancel
	l.timer = time.AfterFunc(l.idle, func() { cancel(errIdle) })
	return ctx, func() {
		l.timer.Stop()
		cancel(nil)
		stopTotal()
	}
}

// alive notes a sign of life. One that comes after the end changes nothing.
func (l *limits) alive() { l.timer.Reset(l.idle) }
