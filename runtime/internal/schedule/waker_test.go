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
		w.Due = func(context.Context) (runs []string, next time.Time, err error) {
			mu.Lock()
			defer mu.Unlock()
			for id, after := range waits {
				at := start.Add(after)
				switch {
				case !time.Now().Before(at):
					runs = append(runs, id)
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
