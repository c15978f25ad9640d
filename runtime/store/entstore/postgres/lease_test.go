package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// long are times with which no lease is renewed or lost while a test runs.
var long = postgres.Options{Heartbeat: 10 * time.Minute, Expiry: time.Hour}

func takeLease(t testing.TB, s *postgres.Store, id, holder string) runstore.Lease {
	t.Helper()
	l, err := s.Lease(t.Context(), id, holder)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// expire makes the lease on a run end now, as if its holder had not been heard
// of for long.
func expire(t testing.TB, url, id string) {
	t.Helper()
	server.Exec(t, "UPDATE "+schemaOf(url)+".workflow_leases SET until = clock_timestamp() - interval '1 second' WHERE run_id = $1", id)
}

func leased(t testing.TB, s *postgres.Store, id string) string {
	t.Helper()
	held, holder, err := s.Leased(t.Context(), id)
	if err != nil || held != (holder != "") {
		t.Fatalf("held %v by %q: %v", held, holder, err)
	}
	return holder
}

// schemaOf is the schema of a URL that schema returned.
func schemaOf(url string) string { return url[strings.LastIndex(url, "=")+1:] }

func TestLease(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, long), openStore(t, url, long)
	if holder := leased(t, a, "run"); holder != "" {
		t.Errorf("held by %q before anybody took it", holder)
	}
	first := takeLease(t, a, "run", "ann\xff")
	_, err := b.Lease(t.Context(), "run", "bob")
	var held *runstore.HeldError
	if !errors.As(err, &held) || held.Holder != "ann\xff" || held.Left <= 59*time.Minute || held.Left > time.Hour {
		t.Fatalf("a second lease: %#v, %v", held, err)
	}
	if holder := leased(t, b, "run"); holder != "ann\xff" {
		t.Errorf("held by %q", holder)
	}
	takeLease(t, b, "other", "bob").Release()
	first.Release()
	first.Release()
	if holder := leased(t, b, "run"); holder != "" {
		t.Errorf("held by %q after it was given back", holder)
	}
	takeLease(t, b, "run", "bob").Release()
}

// One of many processes takes a run, also one whose holder has died.
func TestLeaseRaces(t *testing.T) {
	url := schema(t)
	stores := make([]*postgres.Store, 4)
	for i := range stores {
		stores[i] = openStore(t, url, long)
	}
	create(t, stores[0], "run")
	for range 5 {
		errs := make(chan error)
		for _, s := range stores {
			go func() {
				_, err := s.Lease(context.Background(), "run", "x")
				errs <- err
			}()
		}
		won := 0
		for range stores {
			var held *runstore.HeldError
			if err := <-errs; err == nil {
				won++
			} else if !errors.As(err, &held) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d processes hold the run", won)
		}
		expire(t, url, "run")
	}
}

// A holder that was taken for dead writes no more, though nobody told it.
func TestFencing(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, long), openStore(t, url, long)
	create(t, a, "run")
	create(t, a, "mine")
	old := takeLease(t, a, "run", "ann")
	defer takeLease(t, a, "mine", "ann").Release()
	commit(t, a, "run", started("x"))
	expire(t, url, "run")
	commit(t, a, "run", completed("x")) // nobody has taken it over yet
	next := takeLease(t, b, "run", "bob")
	commit(t, b, "run", completed("y"))
	for what, err := range map[string]error{
		"Commit": a.Commit(t.Context(), "run", flow.Batch{Steps: []flow.Record{completed("late")}, Run: &flow.RunState{Status: flow.Failed}}),
		"Begin":  a.Begin(t.Context(), "run", "ann", "x"),
		"Move":   a.SetFingerprint(t.Context(), "run", "f2"),
	} {
		if !errors.Is(err, runstore.ErrLost) {
			t.Errorf("%s of the holder before: %v", what, err)
		}
	}
	select {
	case <-old.Lost():
	default:
		t.Error("the holder before was refused and does not know that its lease is lost")
	}
	commit(t, a, "mine", completed("x")) // its other runs go on
	old.Release()
	if holder := leased(t, a, "run"); holder != "bob" {
		t.Errorf("held by %q after the lost lease was given back", holder)
	}
	next.Release()
	steps, err := a.Steps(t.Context(), "run")
	if err != nil || len(steps) != 2 || steps[0].Key != "x" || steps[1].Key != "y" {
		t.Errorf("the steps are %v (%v)", steps, err)
	}
}

// Of commits that share a transaction, only those are refused whose run was taken over.
func TestLostLeaseAmongOthers(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, long), openStore(t, url, long)
	create(t, a, "lost")
	create(t, a, "mine")
	defer takeLease(t, a, "lost", "ann").Release()
	defer takeLease(t, a, "mine", "ann").Release()
	expire(t, url, "lost")
	defer takeLease(t, b, "lost", "bob").Release()
	const each = 50
	type outcome struct {
		run string
		err error
	}
	ends := make(chan outcome, 2*each)
	for i := range each {
		for _, run := range []string{"lost", "mine"} {
			go func() {
				ends <- outcome{run, a.Commit(t.Context(), run, flow.Batch{Steps: []flow.Record{completed(fmt.Sprint(i))}})}
			}()
		}
	}
	for range 2 * each {
		if end := soon(t, "the end of a commit", ends); end.run == "mine" && end.err != nil || end.run == "lost" && !errors.Is(end.err, runstore.ErrLost) {
			t.Errorf("a commit to %s: %v", end.run, end.err)
		}
	}
	for run, want := range map[string]int{"lost": 0, "mine": each} {
		if steps, err := b.Steps(t.Context(), run); err != nil || len(steps) != want {
			t.Errorf("%s has %d steps, want %d (%v)", run, len(steps), want, err)
		}
	}
}

// A short run needs one connection. A commit to a run with a lease takes one round trip, also
// when the server has prepared its statements.
func TestRoundTrips(t *testing.T) {
	url := schema(t)
	w, through := wired(t, url+"&application_name=short")
	s := openStore(t, through, long)
	lease := takeLease(t, s, "run", "ann")
	create(t, s, "run")
	for i := range 20 {
		before := w.asks()
		commit(t, s, "run", started("x"), completed("y"))
		// After the eighth transaction, the server prepares statements.
		if asked := w.asks() - before; asked != 1 && i != 6 {
			t.Errorf("commit %d takes %d round trips", i, asked)
		}
	}
	lease.Release()
	if n := server.Count(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'short'"); n != 1 {
		t.Errorf("the store has %d connections", n)
	}
}

// A commit that is under way when its run is taken over is seen by the next
// holder or refused.
func TestTakeoverDuringCommits(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, long), openStore(t, url, long)
	for _, id := range []string{"r1", "r2", "r3", "r4", "r5"} {
		create(t, a, id)
		takeLease(t, a, id, "ann")
		done := make(chan int)
		go func() {
			n := 0
			for n < 5000 && a.Commit(context.Background(), id, flow.Batch{Events: []flow.Event{{Type: "e"}}}) == nil {
				n++
			}
			done <- n
		}()
		expire(t, url, id)
		l := takeLease(t, b, id, "bob")
		seen, _, err := b.Events(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := <-done; n != len(seen) {
			t.Errorf("%d commits were acknowledged, and the next holder saw %d", n, len(seen))
		}
		l.Release()
	}
}

// A lease is renewed as long as its holder lives, and by nobody afterwards.
func TestHeartbeat(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, postgres.Options{Heartbeat: 20 * time.Millisecond, Expiry: time.Hour}), openStore(t, url, long)
	l := takeLease(t, a, "run", "ann")
	for range 3 {
		server.Exec(t, "UPDATE "+schemaOf(url)+".workflow_leases SET until = clock_timestamp() + interval '1 minute'")
		for left := time.Duration(0); left < time.Minute; {
			var held *runstore.HeldError
			if _, err := b.Lease(t.Context(), "run", "bob"); !errors.As(err, &held) {
				t.Fatal(err)
			}
			left = held.Left
		}
	}
	select {
	case <-l.Lost():
		t.Fatal("lost")
	default:
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	takeLease(t, b, "run", "bob").Release() // at once: a closed store gives its leases back
}

// A heartbeat finds out that another process has the run.
func TestHeartbeatOfALostLease(t *testing.T) {
	url := schema(t)
	a, b := openStore(t, url, postgres.Options{Heartbeat: 20 * time.Millisecond, Expiry: time.Hour}), openStore(t, url, long)
	l := takeLease(t, a, "run", "ann")
	for {
		expire(t, url, "run")
		if taken, err := b.Lease(t.Context(), "run", "bob"); err == nil {
			defer taken.Release()
			break // before a heartbeat came in between
		}
	}
	<-l.Lost()
}

// A holder that does not reach the server stops before others may take its runs.
func TestServerGone(t *testing.T) {
	url := schema(t)
	a := openStore(t, url, postgres.Options{Heartbeat: 100 * time.Millisecond, Expiry: 400 * time.Millisecond, RetryFor: time.Millisecond})
	create(t, a, "run")
	l := takeLease(t, a, "run", "ann")
	server.Kill()
	defer func() {
		if err := server.Run(); err != nil {
			t.Fatal(err)
		}
	}()
	<-l.Lost()
	err := a.Commit(t.Context(), "run", flow.Batch{Steps: []flow.Record{completed("x")}})
	if err == nil {
		t.Fatal("a commit without a server")
	}
	l.Release()
	err = a.Commit(t.Context(), "run", flow.Batch{Steps: []flow.Record{completed("x")}})
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), "p@ss") {
		t.Errorf("a commit without a server: %v", err)
	}
}
