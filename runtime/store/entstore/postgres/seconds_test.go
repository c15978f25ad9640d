package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// beating is a bash step that ignores being asked to end and says ten times a
// second that it lives, by a line with the milliseconds and its process. Nothing
// in its environment says whose it is, so that the next holder does not find it.
// The limit ends it when a test goes wrong.
func beating(file string) string {
	return fmt.Sprintf(`exec env -i PATH="$PATH" bash -c 'trap "" TERM; for i in $(seq 900); do echo "$(date +%%s%%3N) $$" >>%s; sleep 0.1; done'`, file)
}

// beats are the moments of a file of beating, by process.
func beats(t *testing.T, file string) map[string][]time.Time {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	list := map[string][]time.Time{}
	for line := range strings.Lines(string(text)) {
		at, process, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(at, 10, 64); err == nil {
			list[process] = append(list[process], time.UnixMilli(n))
		}
	}
	return list
}

// A holder is cut off from the database, with real seconds, real processes that
// must be killed, and the usual times. Another process takes the run as soon as it
// can: nothing of the two ever runs at once. It takes a minute; `make test-leases`
// runs it.
func TestRealSeconds(t *testing.T) {
	if os.Getenv("WFC_TEST_LEASES") == "" {
		t.Skip("it takes a minute: make test-leases runs it")
	}
	for _, test := range []struct {
		name, mode string
		by         time.Duration
		kept       bool // the holder keeps the run
	}{
		{"refuses", refuses, 0, false},
		{"swallows", swallows, 0, false},
		{"delays for long", delays, 4 * time.Second, false},
		{"delays a little", delays, 300 * time.Millisecond, true},
		{"passes", passes, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, folder, id := schema(t), t.TempDir(), "demo-"+strings.ReplaceAll(test.name, " ", "-")
			file := filepath.Join(folder, "beats")
			w, behind := wired(t, url)
			w.by = test.by
			def := &flow.Definition{Name: "demo", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}}
			def.Flow = func(c *flow.Context) (any, error) {
				flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
					r, err := c.Do(flow.Bash{Script: beating(file)})
					return r.Text, err
				}})
				return nil, flow.Settle(c)
			}
			first := engineWith(t, openStore(t, behind, postgres.Options{}), folder, &shell.Performer{}, 500*time.Millisecond, os.Environ())
			ended := make(chan error, 1)
			go func() {
				_, err := first.Run(context.Background(), def, nil, local.Options{ID: id, WorkDir: folder})
				ended <- err
			}()
			for len(beats(t, file)) == 0 {
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(2 * time.Second) // anywhere between two heartbeats
			w.set(t, test.mode)
			cut := time.Now()

			second := engineWith(t, openStore(t, url, postgres.Options{}), t.TempDir(), &shell.Performer{}, 500*time.Millisecond, os.Environ())
			resumed := make(chan error, 1)
			go func() {
				for {
					_, err := second.Resume(context.Background(), def, id, local.Options{})
					if busy := new(local.BusyError); errors.As(err, &busy) && time.Since(cut) < 35*time.Second {
						time.Sleep(100 * time.Millisecond)
						continue
					}
					resumed <- err
					return
				}
			}()
			if test.kept {
				busy := new(local.BusyError)
				if err := <-resumed; !errors.As(err, &busy) {
					t.Errorf("taken over: %v", err)
				}
				if n := len(beats(t, file)); n != 1 {
					t.Errorf("%d processes ran", n)
				}
				if err := first.Cancel(t.Context(), id, "the test"); err != nil {
					t.Error(err)
				}
				return
			}
			deadline := time.Now().Add(50 * time.Second)
			for len(beats(t, file)) < 2 {
				if time.Now().After(deadline) {
					t.Fatal("nobody takes the run over")
				}
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(2 * time.Second) // what should have ended may say that it has not
			var spans [][2]time.Time
			for _, list := range beats(t, file) {
				spans = append(spans, [2]time.Time{list[0], list[len(list)-1]})
			}
			if spans[0][0].After(spans[1][0]) {
				spans[0], spans[1] = spans[1], spans[0]
			}
			t.Logf("cut off: the first ran for another %v, the second began after %v",
				spans[0][1].Sub(cut).Round(time.Second/10), spans[1][0].Sub(cut).Round(time.Second/10))
			if len(spans) != 2 || !spans[0][1].Before(spans[1][0]) {
				t.Errorf("they ran at once: %v", spans)
			}
			if err := second.Cancel(t.Context(), id, "the test"); err != nil {
				t.Error(err)
			}
			w.set(t, passes)
			if err := <-ended; !errors.Is(err, runstore.ErrLost) {
				t.Errorf("the first ended with %v", err)
			}
		})
	}
}
