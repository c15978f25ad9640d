package filelock_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/filelock"
)

// inherit makes the test binary, which has the lock's file as descriptor 3 from
// its parent, keep it until its input ends: a program that is being started and
// has not begun.
func inherit() {
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// bequeath makes the test binary take a lock and start one that inherits it.
func bequeath(path string) {
	lock, err := filelock.Acquire(path, "the dead")
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STATE_TEST_INHERIT=1", "STATE_TEST_BEQUEATH=")
	cmd.Stdin, cmd.ExtraFiles = os.Stdin, []*os.File{lock.File()}
	if err := cmd.Start(); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	select {}
}

// orphaned returns a lock whose holder was killed and is held by the child that
// it was starting, and what ends that.
func orphaned(t *testing.T, path string) (end func()) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("locks are not inherited here")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STATE_TEST_BEQUEATH="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The child gets the same end of the pipe, and outlives the other.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q %v", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Cleanup(func() { w.Close() })
	return func() { w.Close() }
}

// A lock that a dying process left to a child is waited for.
func TestLockOfTheDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	end := orphaned(t, path)
	sleeps := 0
	lock, err := filelock.AcquireSleeping(path, "me", func(d time.Duration) {
		if sleeps++; sleeps == 20 { // long after a living holder's would have been given up
			end()
		}
		time.Sleep(d)
	})
	if err != nil || sleeps < 20 {
		t.Fatalf("after %d waits: %v", sleeps, err)
	}
	lock.Release()
}

// But not forever, and a living holder's not at all.
func TestPatienceEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	orphaned(t, path)
	var waited time.Duration
	count := func(d time.Duration) { waited += d }
	var taken *filelock.HeldError
	if _, err := filelock.AcquireSleeping(path, "me", count); !errors.As(err, &taken) || taken.Holder != "the dead" {
		t.Errorf("got %v", err)
	}
	if waited < time.Second || waited > 10*time.Second {
		t.Errorf("it waited %v for the dead", waited)
	}
	if held, holder, err := filelock.Held(path); held || err != nil {
		t.Errorf("held by %q, %v; its holder is dead", holder, err)
	}
	path = filepath.Join(t.TempDir(), "lock")
	lock, err := filelock.Acquire(path, "the living")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	waited = 0
	if _, err := filelock.AcquireSleeping(path, "me", count); !errors.As(err, &taken) || waited > 20*time.Millisecond {
		t.Errorf("it waited %v for the living: %v", waited, err)
	}
}
