package perform

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
)

// errStopped is the cause of the end of actions whose worker stops.
var errStopped = errors.New("the worker was stopped")

// untilGrace returns a context for an action. It ends with ctx, and w.Grace after the worker
// began to stop. Call the function when the action has ended.
//
// The SDK has a grace period, too. But when that is over, the worker does not wait until the
// cluster knows the ends of its actions.
func (w *Worker) untilGrace(ctx context.Context) (context.Context, func()) {
	if !activity.IsActivity(ctx) {
		return ctx, func() {} // a test calls the method itself
	}
	stops := activity.GetWorkerStopChannel(ctx)
	limited, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-limited.Done():
			return
		case <-stops:
		}
		grace := time.NewTimer(w.Grace)
		defer grace.Stop()
		select {
		case <-limited.Done():
		case <-grace.C:
			cancel(errStopped)
		}
	}()
	return limited, func() { cancel(nil) }
}

// stopping reports whether an action was ended since its worker stops, and not by a person or
// the cluster. ctx is of untilGrace.
func stopping(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errStopped) }
