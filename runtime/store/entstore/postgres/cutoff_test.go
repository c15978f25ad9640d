package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// soon ends a test that would wait for ever.
func soon[T any](t *testing.T, what string, c <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-c:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s does not come", what)
	}
	return got
}

// faulty waits until the wire has kept something from its end.
func faulty(t *testing.T, w *wire, before int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); w.seen() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was kept back")
		}
	}
}

// openBy opens a store that is timed by a clock of its own, behind a wire.
func openBy(t *testing.T, url string) (*postgres.Store, *postgres.Clock, *wire) {
	t.Helper()
	w, behind := wired(t, url)
	w.by = time.Hour
	c := postgres.NewClock()
	s, err := postgres.OpenBy(t.Context(), c, behind, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, c, w
}

// A lease that is not renewed ends 8 seconds before another process can take the
// run, whatever becomes of the connection, and one that is renewed does not.
func TestLeaseEndsInTime(t *testing.T) {
	for _, mode := range []string{refuses, swallows, delays} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s, c, w := openBy(t, schema(t))
			defer w.set(t, passes)
			l := takeLease(t, s, "run", "ann")
			w.set(t, mode)
			c.Advance(12*time.Second - 1)
			select {
			case <-l.Lost():
				t.Fatal("lost too early")
			default:
			}
			c.Advance(1)
			soon(t, "the loss", l.Lost())
		})
	}
	t.Run(passes, func(t *testing.T) {
		t.Parallel()
		url := schema(t)
		s, c, _ := openBy(t, url)
		l, other := takeLease(t, s, "run", "ann"), openStore(t, url, long)
		for range 6 {
			server.Exec(t, "UPDATE "+schemaOf(url)+".workflow_leases SET until = clock_timestamp() + interval '1 hour'")
			c.Advance(5 * time.Second)
			for left := time.Hour; left > time.Minute; { // until it is renewed
				var held *runstore.HeldError
				if _, err := other.Lease(t.Context(), "run", "bob"); !errors.As(err, &held) {
					t.Fatal(err)
				}
				left = held.Left
			}
			c.Advance(1) // the timers of this renewal are set
		}
		select {
		case <-l.Lost():
			t.Error("lost while it was renewed")
		default:
		}
		l.Release()
		c.Advance(time.Minute)
		select {
		case <-l.Lost():
			t.Error("a lease that was given back is lost")
		default:
		}
	})
}

// What a holder performs ends with its lease, though its scheduler waits for the
// store, and what it wants to commit is not waited for any longer.
func TestWorkEndsWithTheLease(t *testing.T) {
	for _, mode := range []string{refuses, swallows, delays} {
		for _, stuck := range []string{"in a look", "in a commit"} {
			t.Run(mode+" "+stuck, func(t *testing.T) {
				t.Parallel()
				url, folder := schema(t), t.TempDir()
				s, c, w := openBy(t, url)
				begun, complete, cancelled := make(chan struct{}, 2), make(chan struct{}), make(chan time.Time, 2)
				endless := func(ctx context.Context) flow.Result {
					begun <- struct{}{}
					<-ctx.Done()
					cancelled <- c.Now()
					return flow.Result{Status: flow.Completed, Text: "too late"}
				}
				first := &steps{by: map[string]func(context.Context) flow.Result{"long": endless, "short": func(context.Context) flow.Result {
					begun <- struct{}{}
					<-complete
					return flow.Result{Status: flow.Completed}
				}}}
				poll := time.Hour
				if stuck == "in a look" {
					poll = 10 * time.Millisecond
				}
				e := polling(t, s, folder, first, poll)
				ended := make(chan error, 1)
				start := c.Now()
				go func() {
					_, err := e.Run(context.Background(), beside("long", "short"), nil, local.Options{ID: "demo-1", WorkDir: folder})
					ended <- err
				}()
				soon(t, "the first step", begun)
				soon(t, "the second step", begun)
				before := w.seen()
				w.set(t, mode)
				if stuck == "in a commit" {
					close(complete)
				}
				faulty(t, w, before)
				c.Advance(12 * time.Second)
				if at := soon(t, "the end of what is performed", cancelled).Sub(start); at != 12*time.Second {
					t.Errorf("it was ended after %v", at)
				}
				if stuck != "in a commit" {
					close(complete)
				}
				w.set(t, passes)
				if err := soon(t, "the end of the run", ended); !errors.Is(err, runstore.ErrLost) {
					t.Errorf("the run ended with %v", err)
				}
				// The holder may have given up to give it back.
				server.Exec(t, "UPDATE "+schemaOf(url)+".workflow_leases SET until = clock_timestamp()")
				next := &steps{}
				r, err := newEngine(t, openStore(t, url, long), t.TempDir(), next).Resume(t.Context(), beside("long", "short"), "demo-1", local.Options{})
				if err != nil || r.Status != flow.Completed || next.count("long") != 1 || next.count("short") != 1 {
					t.Errorf("%+v, %v; performed %v", r, err, next.done)
				}
			})
		}
	}
}

// A commit whose caller has lost the lease returns at once. One whose caller was
// just cancelled is done or not, and its caller learns which.
func TestCommitEndsWithTheLease(t *testing.T) {
	s, _, w := openBy(t, schema(t))
	create(t, s, "run")
	before := w.seen()
	w.set(t, swallows)
	ctx, lose := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- s.Commit(ctx, "run", flow.Batch{Events: []flow.Event{{Type: "lost"}}})
	}()
	faulty(t, w, before)
	lose(runstore.ErrLost)
	if err := soon(t, "the end of the commit", ended); !errors.Is(err, runstore.ErrLost) {
		t.Errorf("the commit ended with %v", err)
	}
	// The writer is free again without a server that answers.
	w.set(t, passes)
	commit(t, s, "run", completed("a"))

	before = w.seen()
	w.set(t, swallows)
	plain, cancel := context.WithCancel(t.Context())
	go func() {
		ended <- s.Commit(plain, "run", flow.Batch{Events: []flow.Event{{Type: "kept"}}})
	}()
	faulty(t, w, before)
	cancel()
	w.set(t, passes)
	told := soon(t, "the end of the commit", ended)
	events, _, err := s.Events(t.Context(), "run", 0)
	if err != nil || len(events) != 1 && told == nil || len(events) != 0 && told != nil {
		t.Errorf("%v, %v, after %v", events, err, told)
	}
}

// The first transaction of a writer, whose COMMIT arrives when the writer has
// connected again and asks whether it did, is made once. That of a run with a lease arrives
// as a whole.
func TestCommitArrivesLate(t *testing.T) {
	url := schema(t)
	events := 0
	for _, test := range []struct {
		name string
		do   func(s *postgres.Store) error
	}{
		{"run", func(s *postgres.Store) error {
			return s.CreateRun(t.Context(), store.Run{RunInfo: flow.RunInfo{ID: "new", Workflow: "demo"}, Status: flow.Pending, Created: time.Now()}, nil)
		}},
		{"answer", func(s *postgres.Store) error {
			return s.Answer(t.Context(), "asking", store.Answer{Key: "q", Text: "yes", Given: time.Now()})
		}},
		{"event", func(s *postgres.Store) error {
			return s.Commit(t.Context(), "asking", flow.Batch{Events: []flow.Event{{Type: "e"}}})
		}},
		{"leased", func(s *postgres.Store) error {
			return s.Commit(t.Context(), "asking", flow.Batch{Events: []flow.Event{{Type: "e"}}})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "answer" {
				direct := openStore(t, url, long)
				create(t, direct, "asking")
				commit(t, direct, "asking", flow.Record{Key: "q", Kind: "approval", Status: flow.Waiting, Question: &flow.Question{Key: "q", Message: "well?"}})
			}
			w, behind := wired(t, url+"&application_name="+test.name)
			s := openStore(t, behind, postgres.Options{})
			if test.name == "leased" {
				if _, err := s.Lease(t.Context(), "asking", "ann"); err != nil {
					t.Fatal(err)
				}
			}
			release := w.hold("COMMIT")
			done := make(chan error, 1)
			go func() { done <- test.do(s) }()
			// The COMMIT arrives when the next connection waits for the end of the
			// transaction, or did not and went on.
			for len(done) == 0 && server.Count(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%workflow_writers%'") == 0 {
				time.Sleep(5 * time.Millisecond)
			}
			close(release)
			if err := soon(t, "the end of the transaction", done); err != nil {
				t.Fatal(err)
			}
			events += strings.Count("event leased", test.name)
			if test.name != "event" && test.name != "leased" {
				return
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			for server.Count(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = '"+test.name+"'") > 0 {
				time.Sleep(5 * time.Millisecond)
			}
			if got, _, err := openStore(t, url, long).Events(t.Context(), "asking", 0); err != nil || len(got) != events {
				t.Errorf("%d events, want %d (%v)", len(got), events, err)
			}
		})
	}
}

// Opening a store and taking a lease wait for a server that is about to start.
func TestServerStarts(t *testing.T) {
	url := schema(t)
	w, behind := wired(t, url)
	w.set(t, refuses)
	opened := make(chan error, 1)
	var s *postgres.Store
	go func() {
		var err error
		s, err = postgres.Open(context.Background(), behind, postgres.Options{Heartbeat: time.Minute, Expiry: time.Hour})
		opened <- err
	}()
	w.set(t, passes)
	if err := soon(t, "the store", opened); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w.set(t, refuses)
	taken := make(chan error, 1)
	go func() {
		_, err := s.Lease(context.Background(), "run", "ann")
		taken <- err
	}()
	w.set(t, passes)
	if err := soon(t, "the lease", taken); err != nil {
		t.Fatal(err)
	}
	if holder := leased(t, openStore(t, url, long), "run"); holder != "ann" {
		t.Errorf("held by %q", holder)
	}
}

// Waiting has an end, says how long it took and for which database.
func TestServerDoesNotStart(t *testing.T) {
	w, behind := wired(t, schema(t))
	w.set(t, refuses)
	_, err := postgres.Open(t.Context(), behind, postgres.Options{RetryFor: 200 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "waited ") || !strings.Contains(err.Error(), "cannot be reached") || !strings.Contains(err.Error(), "postgres://wfc@"+w.address) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := postgres.Open(ctx, behind, postgres.Options{RetryFor: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// A lease whose COMMIT nobody confirmed is the same process's when it asks again.
func TestLeaseIsTakenOnce(t *testing.T) {
	url := schema(t)
	c, behind := through(t, url)
	s := openStore(t, behind, long)
	for _, id := range []string{"r1", "r2", "r3"} {
		c.cut("COMMIT")
		l := takeLease(t, s, id, "ann")
		if c.at.Load() != nil {
			t.Fatal("nothing was cut")
		}
		if holder := leased(t, s, id); holder != "ann" {
			t.Errorf("%s is held by %q", id, holder)
		}
		l.Release()
	}
}

// The COMMIT of a lease arrives when its process asks for the lease again: it is
// that process's all the same.
func TestLeaseArrivesLate(t *testing.T) {
	url := schema(t)
	w, behind := wired(t, url)
	s := openStore(t, behind, long)
	release := w.hold("COMMIT")
	taken := make(chan error, 1)
	go func() {
		_, err := s.Lease(context.Background(), "run", "ann")
		taken <- err
	}()
	for server.Count(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%workflow_leases%'") == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	close(release)
	if err := soon(t, "the lease", taken); err != nil {
		t.Fatal(err)
	}
	if holder := leased(t, openStore(t, url, long), "run"); holder != "ann" {
		t.Errorf("held by %q", holder)
	}
}

// What cannot be found is looked for in the database, not in the state folder.
func TestErrorsNameTheDatabase(t *testing.T) {
	url, folder := schema(t), t.TempDir()
	e := newEngine(t, openStore(t, url, long), folder, &steps{})
	for _, name := range []string{"latest", "nothing"} {
		_, err := e.Find(t.Context(), "demo", name)
		if err == nil || !strings.Contains(err.Error(), "postgres://wfc@127.0.0.1") || strings.Contains(err.Error(), folder) || strings.Contains(err.Error(), "p@ss") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
