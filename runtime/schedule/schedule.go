// Package schedule starts something whenever a schedule says so.
//
// It says what becomes of times that were missed, because the machine slept or
// no process was there, and of times that come while the run before still goes
// on. What a run is, is not its business.
package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/schedule/cron"
)

// Missed says what becomes of times at which nothing could start.
type Missed string

// The policies for missed times.
const (
	// MissedOnce starts one run for all that were missed in the grace window.
	MissedOnce Missed = "once"
	// MissedSkip starts none.
	MissedSkip Missed = "skip"
)

// Overlap says what becomes of a time that comes while a run goes on.
type Overlap string

// The policies for overlaps.
const (
	// OverlapSkip leaves the time out.
	OverlapSkip Overlap = "skip"
	// OverlapQueue starts a run as soon as the one before has ended; of several
	// times one waits.
	OverlapQueue Overlap = "queue"
	// OverlapAllow starts a run beside the one that goes on.
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
	// Missed and Overlap are the policies; "" is the default.
	Missed  Missed
	Overlap Overlap
	// Grace is how old a missed time may be for MissedOnce.
	Grace time.Duration
	// Last is the last time that an earlier process has dealt with; the zero time
	// is none, and then nothing was missed.
	Last time.Time
	// Keep, unless it is nil, keeps such a time for a later process, before its run
	// starts: so that no time has two runs, whatever happens.
	Keep func(due time.Time) error
	// Start performs the run for a time and returns when it is over. It is called
	// on a goroutine of its own.
	Start func(due time.Time)
	// Log takes notes for people.
	Log *slog.Logger

	// The rest belongs to Run.
	mu      sync.Mutex
	running int
	queued  time.Time // the time that waits for the run before, or zero
	stopped bool
	runs    sync.WaitGroup
}

// late is how far behind its time a run may start without being called missed.
const late = time.Minute

// nap is the longest wait without a look at the clock, which may be set, and
// which goes on while a machine sleeps.
const nap = 30 * time.Second

// Run starts runs until ctx ends. Then it starts none any more, and returns when
// those that go on are over. The error says that there is no further time, or that
// one could not be kept.
func (s *Scheduler) Run(ctx context.Context) error {
	defer s.stop()
	now := time.Now().Round(0)
	last := s.Last
	if last.IsZero() || last.After(now) {
		last = now
	}
	for {
		due, err := s.next(last)
		if err != nil {
			return err
		}
		reached := s.wait(ctx, due, last)
		if ctx.Err() != nil {
			return nil
		}
		if reached.Before(due) {
			last = reached // the clock was set back
			continue
		}
		if last, err = s.due(due, reached); err != nil {
			return err
		}
	}
}

func (s *Scheduler) next(after time.Time) (time.Time, error) {
	list, err := s.Schedule.Next(after, 1)
	switch {
	case err != nil:
		return time.Time{}, err
	case len(list) == 0:
		return time.Time{}, fmt.Errorf("the schedule `%s` does not fire any more", s.Schedule.Text)
	}
	return list[0], nil
}

// wait waits for a time and returns what time it is. That is before the time when
// ctx has ended, or the clock was set back to long before the last time.
func (s *Scheduler) wait(ctx context.Context, due, last time.Time) time.Time {
	const long = 3 * time.Hour
	for {
		now := time.Now().Round(0) // without the monotonic clock, which does not go on in sleep
		left := due.Sub(now)
		if left <= 0 {
			return now
		}
		if last.Sub(now) > long {
			s.Log.Warn("the clock was set back", "by", last.Sub(now).Round(time.Second))
			return now
		}
		timer := time.NewTimer(min(left, nap))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return now
		}
	}
}

// due deals with a time that has come, and with those that have come since. It
// returns the last of them.
func (s *Scheduler) due(due, now time.Time) (last time.Time, err error) {
	window := max(s.Grace, late)
	at, last := due, due // at is the newest time that is not too old, or zero
	if now.Sub(due) > window {
		// What is older needs no look at each.
		at, last = time.Time{}, now.Add(-window)
	}
	for {
		next, err := s.next(last)
		if err != nil {
			return last, err
		}
		if next.After(now) {
			break
		}
		at, last = next, next
	}
	if s.Keep != nil {
		if err := s.Keep(last); err != nil {
			return last, fmt.Errorf("the last time could not be kept: %w", err)
		}
	}
	switch {
	case at.IsZero():
		s.Log.Warn("missed, and too long ago", "since", due, "grace", s.Grace)
	case now.Sub(at) <= late:
		s.begin(at)
	case s.Missed == MissedSkip:
		s.Log.Warn("missed, and left out", "since", due)
	default:
		s.Log.Warn("missed: one run for all that was starts now", "since", due)
		s.begin(at)
	}
	return last, nil
}

// begin starts a run unless one goes on that is not to have another beside it.
func (s *Scheduler) begin(due time.Time) {
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
			s.Log.Info("the run before still goes on: this one waits", "due", due)
			return
		default:
			s.Log.Warn("the run before still goes on: left out", "due", due)
			return
		}
	}
	s.launch(due)
}

// launch starts a run. The caller holds mu.
func (s *Scheduler) launch(due time.Time) {
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
func (s *Scheduler) Now() { s.begin(time.Now()) }

// Busy takes something that goes on already, such as a run of an earlier process,
// for a run: what the policy says of overlaps holds for it. over is called on a
// goroutine of its own and returns when it is over.
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
			s.launch(due)
		}
	})
}

// stop lets nothing start any more and waits for what goes on.
func (s *Scheduler) stop() {
	s.mu.Lock()
	s.stopped = true
	if !s.queued.IsZero() {
		s.Log.Warn("stopping: what waited is left out", "due", s.queued)
		s.queued = time.Time{}
	}
	s.mu.Unlock()
	s.runs.Wait()
}

// Check reports a policy that does not exist.
func (s *Scheduler) Check() error {
	missed, overlap := Policies()
	if s.Missed != "" && !slices.Contains(missed, s.Missed) {
		return fmt.Errorf("`%s` is no policy for missed times: give once or skip", s.Missed)
	}
	if s.Overlap != "" && !slices.Contains(overlap, s.Overlap) {
		return fmt.Errorf("`%s` is no policy for overlaps: give skip, queue or allow", s.Overlap)
	}
	return nil
}
