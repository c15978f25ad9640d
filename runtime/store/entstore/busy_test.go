package entstore_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// hold takes the write lock of a store as another process would; what it
// returns gives it back.
func hold(t *testing.T, path string) (release func()) {
	t.Helper()
	conn, err := raw(t, "file:"+path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, conn, "BEGIN IMMEDIATE")
	return func() {
		run(t, conn, "ROLLBACK")
		conn.Close()
	}
}

func run(t *testing.T, conn *sql.Conn, text string) {
	t.Helper()
	if _, err := conn.ExecContext(context.Background(), text); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

func TestHeldLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := opened(t, path)
	createStore(t, s, "demo-000001")
	release := hold(t, path)

	first := make(chan error, 1)
	go func() {
		first <- s.Commit(context.Background(), "demo-000001", flow.Batch{Steps: []flow.Record{started("first")}})
	}()
	// While a writer waits for the lock, readers do not.
	if _, err := s.Run(t.Context(), "demo-000001"); err != nil {
		t.Errorf("read while another process writes: %v", err)
	}
	if _, err := s.Generation(t.Context()); err != nil {
		t.Errorf("version while another process writes: %v", err)
	}
	// A caller that leaves before its change is taken up has not made it.
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- s.Commit(ctx, "demo-000001", flow.Batch{Steps: []flow.Record{started("second")}}) }()
	cancel()
	release()
	if err := <-first; err != nil {
		t.Errorf("the commit that waited: %v", err)
	}
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the commit whose caller left: %v", err)
	}
	steps, err := s.Steps(t.Context(), "demo-000001")
	if err != nil || len(steps) != 1 || steps[0].Key != "first" {
		t.Errorf("the steps are %v (%v)", steps, err)
	}
}

// TestOpenWhileHeld opens a store that another process writes to.
func TestOpenWhileHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	createStore(t, opened(t, path), "demo-000001")
	defer hold(t, path)()
	s, err := entstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), "demo-000001"); err != nil {
		t.Error(err)
	}
}

// TestHeldTooLong takes as long as a store waits for a lock.
func TestHeldTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the 5 seconds that a store waits for a lock")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := opened(t, path)
	createStore(t, s, "demo-000001")
	release := hold(t, path)
	err := s.Commit(t.Context(), "demo-000001", flow.Batch{Steps: []flow.Record{started("a")}})
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another process has held it for more than 5s") {
		t.Errorf("the error is %v", err)
	}
	release()
	commit(t, s, "demo-000001", started("b"))
}

// TestOthersGetOn waits longer than a store waits for a lock, because whoever
// holds it gets on.
func TestOthersGetOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than the 5 seconds that a store waits for a lock")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := opened(t, path)
	createStore(t, s, "demo-000001")
	conn, err := raw(t, "file:"+path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run(t, conn, "BEGIN IMMEDIATE")
	done := make(chan error, 1)
	go func() {
		done <- s.Commit(context.Background(), "demo-000001", flow.Batch{Steps: []flow.Record{started("a")}})
	}()
	// The other process commits at times and takes the lock back before the
	// store can: it looks for it only now and then.
	began := time.Now()
	for time.Since(began) < 7*time.Second {
		time.Sleep(time.Second)
		run(t, conn, "UPDATE workflow_runs SET docs_dir = docs_dir || '+'")
		run(t, conn, "COMMIT")
		run(t, conn, "BEGIN IMMEDIATE")
		select {
		case err := <-done:
			// It was quicker than the other process, which is as good.
			run(t, conn, "ROLLBACK")
			if err != nil {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			return
		default:
		}
	}
	run(t, conn, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("after the lock was given back: %v", err)
	}
}
