package schedule_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
)

// world is a scheduler whose runs take a while, and what it did.
type world struct {
	schedule.Scheduler
	mu    sync.Mutex
	runs  []string // "due begin-end", by the clock
	kept  []string
	notes strings.Builder
	takes time.Duration
}

const clock = "02 15:04"

// newWorld makes a scheduler; clocks begin at midnight of 1 January 2000.
func newWorld(t *testing.T, text string) *world {
	t.Helper()
	s, findings := cron.Parse("TZ=UTC " + text)
	if s == nil {
		t.Fatal(findings)
	}
	w := &world{}
	w.Schedule, w.Grace, w.Log = s, schedule.Grace, slog.New(slog.NewTextHandler(&w.notes, nil))
	w.Keep = func(due time.Time) error {
		w.kept = append(w.kept, due.UTC().Format(clock))
		return nil
	}
	w.Start = func(due time.Time) {
		begin := time.Now()
		time.Sleep(w.takes)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.runs = append(w.runs, due.UTC().Format(clock)+" "+begin.UTC().Format("15:04")+"-"+time.Now().UTC().Format("15:04"))
	}
	return w
}

// run lets the scheduler work for a while, then stops it.
func (w *world) run(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := w.Run(ctx); err != nil {
		t.Error(err)
	}
}

func (w *world) want(t *testing.T, runs ...string) {
	t.Helper()
	if !slices.Equal(w.runs, runs) {
		t.Errorf("%q, want %q\n%s", w.runs, runs, w.notes.String())
	}
}

func TestOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "0 9,17 * * *")
		w.run(t, 34*time.Hour)
		w.want(t, "01 09:00 09:00-09:00", "01 17:00 17:00-17:00", "02 09:00 09:00-09:00")
		if !slices.Equal(w.kept, []string{"01 09:00", "01 17:00", "02 09:00"}) {
			t.Error(w.kept)
		}
	})
}

func TestOverlaps(t *testing.T) {
	for policy, want := range map[schedule.Overlap][]string{
		"":                    {"01 01:00 01:00-03:30", "01 04:00 04:00-06:30"},
		schedule.OverlapSkip:  {"01 01:00 01:00-03:30", "01 04:00 04:00-06:30"},
		schedule.OverlapAllow: {"01 01:00 01:00-03:30", "01 02:00 02:00-04:30", "01 03:00 03:00-05:30", "01 04:00 04:00-06:30"},
		// Of two and three o'clock one waits; four o'clock is left out with the stop.
		schedule.OverlapQueue: {"01 01:00 01:00-03:30", "01 03:00 03:30-06:00"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "0 * * * *")
			w.Overlap, w.takes = policy, 150*time.Minute
			w.run(t, 4*time.Hour+30*time.Minute)
			w.want(t, want...)
			if policy != schedule.OverlapAllow && !strings.Contains(w.notes.String(), "the previous run is not over") {
				t.Errorf("%s: %s", policy, w.notes.String())
			}
		})
	}
}

func TestMissed(t *testing.T) {
	for _, c := range []struct {
		name  string
		last  time.Duration // before the begin
		text  string
		set   func(*world)
		runs  []string
		notes string
	}{
		{"once for all", 10 * time.Hour, "*/20 * * * *", nil, []string{"01 00:00 00:00-00:00", "01 00:20 00:20-00:20"}, "missed: earlier times are skipped"},
		{"within the window", 10 * time.Hour, "30 23 * * *", nil, []string{"31 23:30 00:00-00:00"}, "missed: one run for all"},
		{"too long ago", 10 * time.Hour, "0 20 * * *", nil, nil, "too long ago"},
		{"a wide window", 48 * time.Hour, "0 20 * * *", func(w *world) { w.Grace = 24 * time.Hour }, []string{"31 20:00 00:00-00:00"}, "missed: one run"},
		{"skip", 10 * time.Hour, "30 23 * * *", func(w *world) { w.Missed = schedule.MissedSkip }, nil, "missed, and skipped"},
		{"nothing was missed", 20 * time.Minute, "30 23 * * *", nil, nil, ""},
		{"no window", 10 * time.Hour, "30 23 * * *", func(w *world) { w.Grace = 0 }, nil, "too long ago"},
		{"years ago", 5 * 365 * 24 * time.Hour, "* * * * *", nil, []string{"01 00:00 00:00-00:00"}, "missed: earlier times are skipped"},
		{"under a minute ago", 30 * time.Second, "* * * * *", func(w *world) { time.Sleep(20 * time.Second) }, []string{"01 00:00 00:00-00:00"}, "missed: one run for all missed times starts now"},
		{"under a minute ago, skip", 30 * time.Second, "* * * * *", func(w *world) { time.Sleep(20 * time.Second); w.Missed = schedule.MissedSkip }, nil, "missed, and skipped"},
		{"from the future", -time.Hour, "30 0 * * *", nil, nil, "the clock was set back"},
		{"from the near future", -30 * time.Second, "30 0 * * *", nil, nil, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, c.text)
			w.Last = time.Now().Add(-c.last)
			if c.set != nil {
				c.set(w)
			}
			d := 25 * time.Minute
			if c.text == "* * * * *" {
				d = 30 * time.Second
			}
			w.run(t, d)
			if !slices.Equal(w.runs, c.runs) || !strings.Contains(w.notes.String(), c.notes) || c.notes == "" && w.notes.Len() > 0 {
				t.Errorf("%s: %q, %s", c.name, w.runs, w.notes.String())
			}
		})
	}
}

// What goes on when the scheduler is stopped goes on to its end.
func TestStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "0 * * * *")
		w.takes, w.Overlap = 50*time.Minute, schedule.OverlapQueue
		w.run(t, 65*time.Minute)
		w.want(t, "01 01:00 01:00-01:50")
		w.Now() // too late
		synctest.Wait()
		w.want(t, "01 01:00 01:00-01:50")
		if now := time.Now().UTC().Format("15:04"); now != "01:50" {
			t.Error(now)
		}
	})
}

// A run of an earlier process that goes on counts as one, and one can be started
// at once.
func TestBusyAndNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "0 * * * *")
		w.Busy(func() { time.Sleep(70 * time.Minute) })
		w.run(t, 125*time.Minute)
		w.want(t, "01 02:00 02:00-02:00")

		w = newWorld(t, "0 * * * *")
		w.Overlap = schedule.OverlapQueue
		w.Busy(func() { time.Sleep(70 * time.Minute) }) // from 02:05 to 03:15
		w.run(t, 75*time.Minute)
		w.want(t, "01 03:00 03:15-03:15")

		w = newWorld(t, "0 * * * *")
		w.takes = time.Minute
		w.Now()
		w.run(t, time.Minute)
		w.want(t, "01 03:20 03:20-03:21")
	})
}

// A time is kept before its run starts; when that fails, nothing starts.
func TestKeepFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "0 * * * *")
		full := errors.New("disk full")
		w.Keep = func(time.Time) error { return full }
		if err := w.Run(t.Context()); !errors.Is(err, full) || len(w.runs) > 0 {
			t.Errorf("%v %v", err, w.runs)
		}
	})
}

func TestCheck(t *testing.T) {
	for _, s := range []*schedule.Scheduler{{Missed: "twice"}, {Overlap: "maybe"}} {
		if s.Check() == nil {
			t.Errorf("%+v", s.Missed+schedule.Missed(s.Overlap))
		}
	}
	if err := (&schedule.Scheduler{Missed: schedule.MissedSkip, Overlap: schedule.OverlapQueue}).Check(); err != nil {
		t.Error(err)
	}
}

// A time that has had its run has no other, however the clock is set.
func TestClockSetBack(t *testing.T) {
	for _, back := range []time.Duration{time.Minute, time.Hour, 5 * time.Hour, 40 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(2*time.Hour + 30*time.Minute)
			w := newWorld(t, "0 * * * *")
			last := time.Now().Add(back).Truncate(time.Hour)
			w.Last = last // by the clock as it was
			w.run(t, back+time.Hour)
			if want := last.Add(time.Hour).UTC().Format(clock); len(w.runs) != 1 || !strings.HasPrefix(w.runs[0], want) {
				t.Errorf("%v: %q, want the run of %s", back, w.runs, want)
			}
		})
	}
}

// A time that is due has its run, though looking for the next one fails: whether it
// has just come or was missed.
func TestLastTime(t *testing.T) {
	for _, missed := range []time.Duration{0, 30 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "0 * * * *")
			w.Last = time.Now().Add(-missed - time.Minute)
			time.Sleep(missed) // now something is due since then, or is to come
			broken := errors.New("nothing comes after it")
			started := false
			w.Start = func(time.Time) { started = true }
			calls := 0
			w.Times = func(after time.Time, n int) ([]time.Time, error) {
				calls++
				switch {
				case n == 1 && calls > 1:
					synctest.Wait()
					if !started {
						t.Error("the next time was asked for before the run had started")
					}
					return nil, broken
				case n > 1:
					return nil, broken
				}
				return w.Schedule.Next(after, n)
			}
			if err := w.Run(t.Context()); !errors.Is(err, broken) || !started {
				t.Errorf("missed %v ago: %v, started: %v", missed, err, started)
			}
		})
	}
}

// Catching up takes as long as it takes, and ends when the scheduler is stopped.
func TestStopWhileCatchingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "* * * * *")
		w.Grace, w.Last = 10*365*24*time.Hour, time.Now().Add(-9*365*24*time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		w.Times = func(after time.Time, n int) ([]time.Time, error) {
			if calls++; calls == 3 {
				cancel()
			}
			return w.Schedule.Next(after, n)
		}
		if err := w.Run(ctx); err != nil || len(w.runs) > 0 || len(w.kept) > 0 || calls > 3 {
			t.Errorf("%v: runs %q, kept %q, after %d looks", err, w.runs, w.kept, calls)
		}
	})
}
