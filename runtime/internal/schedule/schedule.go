// Package schedule starts something whenever a schedule says so.
//
// Its policies handle times that were missed, because the machine slept or no process was
// there, and times that come during the run before. Its callers decide what a run is.
package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
)

// Missed is the policy for times at which nothing could start.
type Missed string

// The policies for missed times.
const (
	// MissedOnce starts one run for all that were missed in the grace window.
	MissedOnce Missed = "once"
	// MissedSkip starts none.
	MissedSkip Missed = "skip"
)

// Overlap is the policy for a time that comes during a run.
type Overlap string

// The policies for overlaps.
const (
	// OverlapSkip leaves the time out.
	OverlapSkip Overlap = "skip"
	// OverlapQueue starts a run as soon as the one before has ended; of several
	// times one waits.
	OverlapQueue Overlap = "queue"
	// OverlapAllow starts a second run beside the current one.
	OverlapAllow Overlap = "allow"
)

// Policies are all names of policies, in order; the first is the default.
func Policies() (missed []Missed, overlap []Overlap) {
	return []Missed{MissedOnce, MissedSkip}, []Overlap{OverlapSkip, OverlapQueue, OverlapAllow}
}

// Grace is the usual grace window.
const Grace = time.Hour

// A Scheduler starts runs on time.
type Scheduler struct {
	// Schedule says when.
	Schedule *cron.Schedule
	// Times returns the next n times after one, fewer when there are no more; nil
	// means those of Schedule.
	Times func(after time.Time, n int) ([]time.Time, error)
	// Missed and Overlap are the policies; "" is the default.
	Missed  Missed
	Overlap Overlap
	// Grace is how old a missed time may be for MissedOnce.
	Grace time.Duration
	// Last is the last time that an earlier process has dealt with; the zero time
	// is none, and then nothing was missed.
	Last time.Time
	// Keep, unless it is nil, keeps such a time for a later process, before its run
	// starts: so that no time ever has two runs.
	Keep func(due time.Time) error
	// Start performs the run for a time and returns when it is over. It is called on a
	// separate goroutine.
	Start func(due time.Time)
	// Skipped, unless it is nil, gets the times at which no run starts, of several in a row
	// the first, and why.
	Skipped func(due time.Time, why string)
	// Log takes notes for people.
	Log *slog.Logger

	// The rest belongs to Run.
	began   time.Time // when Run was called
	mu      sync.Mutex
	running int
	queued  time.Time // the time that waits for the run before, or zero
	stopped bool
	runs    sync.WaitGroup
}

// late is how far behind its time a run may start without being called missed,
// and noticeable how far without a word.
const (
	late       = time.Minute
	noticeable = 5 * time.Second
)

// nap is the longest wait without a look at the clock, which somebody may set, and which
// continues while a machine sleeps.
const nap = 30 * time.Second

// Run starts runs until ctx ends. Then it waits for the current runs and returns. The
// error says that there is no further time, or that Keep failed.
//
// A time that was handled never comes again: while the clock is behind it, because it was
// set back, nothing starts.
func (s *Scheduler) Run(ctx context.Context) error {
	defer s.stopAndWait()
	s.began = time.Now().Round(0)
	last := s.Last
	if last.IsZero() {
		last = s.began
	}
	for {
		list, err := s.nextTimes(last, 1)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return fmt.Errorf("the schedule `%s` never fires again", s.Schedule.Text)
		}
		reached, ok := s.waitUntil(ctx, list[0], last)
		if !ok {
			return nil
		}
		if last, err = s.handleDue(ctx, list[0], reached); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func (s *Scheduler) nextTimes(after time.Time, n int) ([]time.Time, error) {
	if s.Times != nil {
		return s.Times(after, n)
	}
	return s.Schedule.Next(after, n)
}

// waitUntil waits for a time and returns what time it is then. It is not ok when ctx
// has ended before.
func (s *Scheduler) waitUntil(ctx context.Context, due, last time.Time) (reached time.Time, ok bool) {
	told := false
	for {
		now := time.Now().Round(0) // without the monotonic clock, which stops during sleep
		left := due.Sub(now)
		if left <= 0 {
			return now, ctx.Err() == nil
		}
		if behind := last.Sub(now); behind > late && !told {
			told = true
			s.Log.Warn("the clock was set back: no run starts before the next time after the last one", "by", behind.Round(time.Second), "last", last, "next", due)
		}
		if repeat.Sleep(ctx, min(left, nap)) != nil {
			return now, false
		}
	}
}

// handleDue deals with a time that has come, and with those that have come since. It
// returns the last of them. When ctx ends before they are found, none is dealt
// with.
func (s *Scheduler) handleDue(ctx context.Context, due, now time.Time) (last time.Time, err error) {
	at, last := due, due
	if !s.onTime(due, now) {
		if at, last = s.newestDue(ctx, due, now); ctx.Err() != nil {
			return due, nil
		}
	}
	// Compute the next time only after this run has started, so that an error there
	// cannot prevent it.
	if s.Keep != nil {
		if err := s.Keep(last); err != nil {
			return last, fmt.Errorf("the last time could not be saved: %w", err)
		}
	}
	switch {
	case at.IsZero():
		s.Log.Warn("missed, and too long ago", "since", due, "grace", s.Grace)
		s.reportSkipped(due, "nothing kept the schedule then, and it is too long ago")
	case s.onTime(at, now):
		if at.After(due) {
			s.Log.Warn("missed: earlier times are skipped", "since", due)
			s.reportSkipped(due, "nothing kept the schedule then")
		}
		if by := now.Sub(at); by > noticeable {
			s.Log.Warn("starting late", "due", at, "by", by.Round(time.Second))
		}
		s.startUnlessOverlapping(at)
	case s.Missed == MissedSkip:
		s.Log.Warn("missed, and skipped", "since", due)
		s.reportSkipped(due, "nothing kept the schedule then")
	default:
		s.Log.Warn("missed: one run for all missed times starts now", "since", due)
		s.startUnlessOverlapping(at)
	}
	return last, nil
}

// reportSkipped reports a time at which no run starts.
func (s *Scheduler) reportSkipped(due time.Time, why string) {
	if s.Skipped != nil {
		s.Skipped(due, why)
	}
}

// onTime reports whether a time that has come was not missed: this process was
// there, and it is not long ago.
func (s *Scheduler) onTime(due, now time.Time) bool {
	return now.Sub(due) <= late && !due.Before(s.began)
}

// batch is how many times are calculated at once when many were missed.
const batch = 256

// newestDue returns the newest time that has come since due and is not too old, or
// the zero time; and the last one that has come, or a time before which all are too
// old. It ends early when ctx ends, and when there are no further times or an error
// says so, which Run meets again when the run that is due has started.
func (s *Scheduler) newestDue(ctx context.Context, due, now time.Time) (at, last time.Time) {
	window := max(s.Grace, late)
	at, last = due, due
	if now.Sub(due) > window {
		// Older times need not be computed one by one.
		at, last = time.Time{}, now.Add(-window)
	}
	for ctx.Err() == nil {
		list, err := s.nextTimes(last, batch)
		for _, next := range list {
			if next.After(now) {
				return at, last
			}
			at, last = next, next
		}
		if err != nil || len(list) < batch {
			return at, last
		}
	}
	return at, last
}

// startUnlessOverlapping starts a run unless the policy for overlaps forbids a second one.
func (s *Scheduler) startUnlessOverlapping(due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	if s.running > 0 {
		switch s.Overlap {
		case OverlapAllow:
		case OverlapQueue:
			s.queued = due
			s.Log.Info("the previous run is not over: this one waits", "due", due)
			return
		default:
			s.Log.Warn("the previous run is not over: skipped", "due", due)
			s.reportSkipped(due, "the previous run is not over")
			return
		}
	}
	s.launchRun(due)
}

// launchRun starts a run. The caller holds mu.
func (s *Scheduler) launchRun(due time.Time) {
	s.running++
	s.runs.Go(func() {
		for {
			s.Start(due)
			s.mu.Lock()
			again := !s.queued.IsZero()
			due, s.queued = s.queued, time.Time{}
			if !again {
				s.running--
			}
			s.mu.Unlock()
			if !again {
				return
			}
		}
	})
}

// Now starts a run at once, as if it were time.
func (s *Scheduler) Now() { s.startUnlessOverlapping(time.Now()) }

// Busy counts existing work, such as a run of an earlier process, as a run for the policy
// for overlaps. over is called on a separate goroutine and returns when the work is over.
func (s *Scheduler) Busy(over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	s.runs.Go(func() {
		over()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
		if !s.queued.IsZero() {
			due := s.queued
			s.queued = time.Time{}
			s.launchRun(due)
		}
	})
}

// stopAndWait prevents further starts and waits for the current runs.
func (s *Scheduler) stopAndWait() {
	s.mu.Lock()
	s.stopped = true
	if !s.queued.IsZero() {
		s.Log.Warn("stopping: waiting runs are skipped", "due", s.queued)
		s.queued = time.Time{}
	}
	s.mu.Unlock()
	s.runs.Wait()
}

// Check reports a policy that does not exist.
func (s *Scheduler) Check() error {
	missed, overlap := Policies()
	if s.Missed != "" && !slices.Contains(missed, s.Missed) {
		return fmt.Errorf("unknown policy `%s` for missed times%s", s.Missed, plain.Instead(s.Missed, missed))
	}
	if s.Overlap != "" && !slices.Contains(overlap, s.Overlap) {
		return fmt.Errorf("unknown policy `%s` for overlaps%s", s.Overlap, plain.Instead(s.Overlap, overlap))
	}
	return nil
}
