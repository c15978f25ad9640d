package schedule

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/repeat"
)

// A Waker continues runs that wait for a time, when the time has come.
type Waker struct {
	// Due returns the runs whose time has come, in order, and the next time that comes for one;
	// the zero time is none.
	Due func(ctx context.Context) (runs []Due, next time.Time, err error)
	// Wake continues a run and returns when it has ended or waits again. It is called on a
	// goroutine for each run, never twice at a time for the same run.
	Wake func(run string) error
	// Log takes notes for people.
	Log *slog.Logger

	mu      sync.Mutex
	running map[string]bool
	// told are the errors that were logged, by run: the same one is not logged again.
	told map[string]string
	runs sync.WaitGroup
}

// Run continues runs until ctx ends, and returns when those that it continued have ended
// or wait again. It looks for new times at least every half minute.
func (w *Waker) Run(ctx context.Context) {
	w.running, w.told = map[string]bool{}, map[string]string{}
	defer w.runs.Wait()
	for ctx.Err() == nil {
		runs, next, err := w.Due(ctx)
		if ctx.Err() != nil {
			return
		}
		w.logErrorOnce("", err)
		if !Pace(ctx, runs, func(run Due) { w.continueRun(run.ID) }) {
			return
		}
		wait := nap
		if left := time.Until(next); !next.IsZero() && left > 0 {
			wait = min(wait, left)
		}
		_ = repeat.Sleep(ctx, wait)
	}
}

// A Due is a run whose wait is over.
type Due struct {
	ID string
	// Since is when the wait began.
	Since time.Time
	// Paced says that runs that waited for the same must not continue all at once: they waited
	// for an agent.
	Paced bool
}

// Pace calls start for runs in order, with a pause before each run that is paced but the first. It
// reports false if ctx ended before.
func Pace(ctx context.Context, runs []Due, start func(run Due)) bool {
	paced := 0
	for _, r := range runs {
		if r.Paced {
			paced++
		}
	}
	pause, first := min(time.Second, longestPacing/time.Duration(max(paced, 1))), true
	for _, r := range runs {
		if r.Paced && !first && repeat.Sleep(ctx, pause) != nil {
			return false
		}
		first = first && !r.Paced
		start(r)
	}
	return ctx.Err() == nil
}

// longestPacing limits the pauses between all runs together.
const longestPacing = 25 * time.Second

// continueRun continues a run unless Wake already does so.
func (w *Waker) continueRun(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[run] {
		return
	}
	w.running[run] = true
	w.runs.Go(func() {
		err := w.Wake(run)
		w.logErrorOnce(run, err)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.running, run)
	})
}

// logErrorOnce logs an error about a run, or about finding runs, unless it did so before.
func (w *Waker) logErrorOnce(run string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		delete(w.told, run)
		return
	}
	if w.told[run] != err.Error() {
		w.told[run] = err.Error()
		w.Log.Error("a run whose wait is over is not continued", "run", run, "error", err)
	}
}
