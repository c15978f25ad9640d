package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/schedule"
)

// A run is continued when its time comes, once, also if that was missed; one that cannot be
// continued is told of once and tried again.
func TestWaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		start := time.Now()
		waits := map[string]time.Duration{"missed": -time.Hour, "soon": 10 * time.Second, "later": 5 * time.Minute, "stuck": time.Minute}
		var woken []string
		var notes strings.Builder
		w := schedule.Waker{Log: slog.New(slog.NewTextHandler(&notes, nil))}
		w.Due = func(context.Context) (runs []schedule.Due, next time.Time, err error) {
			mu.Lock()
			defer mu.Unlock()
			for id, after := range waits {
				at := start.Add(after)
				switch {
				case !time.Now().Before(at):
					runs = append(runs, schedule.Due{ID: id})
				case next.IsZero() || at.Before(next):
					next = at
				}
			}
			return runs, next, nil
		}
		w.Wake = func(run string) error {
			if run == "stuck" {
				return errors.New("it is of another build")
			}
			mu.Lock()
			woken = append(woken, run+" "+time.Since(start).String())
			mu.Unlock()
			time.Sleep(2 * time.Minute) // the run works
			mu.Lock()
			defer mu.Unlock()
			delete(waits, run)
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		w.Run(ctx)
		if want := []string{"missed 0s", "soon 10s", "later 5m0s"}; !slices.Equal(woken, want) {
			t.Errorf("woken: %v", woken)
		}
		if n := strings.Count(notes.String(), "another build"); n != 1 {
			t.Errorf("noted %d times: %s", n, notes.String())
		}
	})
}

// Fifty runs that waited for an agent continue in the order of their waits, one after another, within
// a minute. A run that waited for something else doesn't wait for them.
func TestWakerPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var due []schedule.Due
		for i := range 50 {
			due = append(due, schedule.Due{ID: fmt.Sprintf("run-%02d", i), Paced: true})
		}
		due = append(due, schedule.Due{ID: "timer"})
		var woken []string
		var last time.Time
		ok := schedule.Pace(t.Context(), due, func(r schedule.Due) {
			if now := time.Now(); r.Paced && now.Equal(last) {
				t.Errorf("%s continues with the one before", r.ID)
			}
			last = time.Now()
			woken = append(woken, r.ID)
		})
		if !ok || !slices.IsSorted(woken) || len(woken) != 51 || time.Since(start) > 30*time.Second {
			t.Errorf("%v after %v", woken, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if schedule.Pace(ctx, due, func(schedule.Due) {}) {
			t.Error("it does not end with its context")
		}
	})
}
