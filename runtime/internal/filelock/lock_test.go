package filelock_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/filelock"
)

// TestMain lets the test binary be a process that holds a lock until it dies.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv("STATE_TEST_INHERIT") != "":
		inherit()
		return
	case os.Getenv("STATE_TEST_BEQUEATH") != "":
		bequeath(os.Getenv("STATE_TEST_BEQUEATH"))
	}
	if path := os.Getenv("STATE_TEST_HOLD"); path != "" {
		lock, err := filelock.Acquire(path, "the child")
		if err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
		runtime.KeepAlive(lock)               // a collected file is closed
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "lock")
	if held, _, err := filelock.Held(path); held || err != nil {
		t.Fatalf("before anybody took it: %v %v", held, err)
	}
	lock, err := filelock.Acquire(path, "first\nholder with a long name")
	if err != nil {
		t.Fatal(err)
	}
	if held, holder, err := filelock.Held(path); !held || holder != "first holder with a long name" || err != nil {
		t.Errorf("while it is held: %v %q %v", held, holder, err)
	}
	var taken *filelock.HeldError
	if _, err := filelock.Acquire(path, "second"); !errors.As(err, &taken) || taken.Holder != "first holder with a long name" || taken.Path != path {
		t.Errorf("taken twice: %v", err)
	}
	lock.Release()
	lock.Release()
	if held, _, err := filelock.Held(path); held || err != nil {
		t.Errorf("after the release: %v %v", held, err)
	}
	if lock, err = filelock.Acquire(path, "third"); err != nil {
		t.Fatal(err)
	}
	if _, holder, _ := filelock.Held(path); holder != "third" {
		t.Errorf("the shorter holder is %q", holder)
	}
	lock.Release()
	(*filelock.Lock)(nil).Release()
}

// Looking at a lock never makes anybody miss it, however often somebody looks. (Two who look
// all the time without a pause may hold it between them for longer than anybody waits.)
func TestLookingDisturbsNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = filelock.Held(path)
			}
		}
	})
	for range 200 {
		lock, err := filelock.Acquire(path, "me")
		if err != nil {
			t.Error(err)
			break
		}
		lock.Release()
	}
	close(stop)
	wait.Wait()
}

func TestOneOfManyGetsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	locks := make(chan *filelock.Lock, 10)
	var wait sync.WaitGroup
	for range 10 {
		wait.Go(func() {
			if lock, err := filelock.Acquire(path, "me"); err == nil {
				locks <- lock
			}
		})
	}
	wait.Wait()
	if n := len(locks); n != 1 {
		t.Errorf("%d have it", n)
	}
}

func TestDeathReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STATE_TEST_HOLD="+path)
	if _, err := cmd.StdinPipe(); err != nil { // it waits for its end
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q %v", line, err)
	}
	if held, holder, err := filelock.Held(path); !held || holder != "the child" || err != nil {
		t.Errorf("while it lives: %v %q %v", held, holder, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	lock, err := filelock.Acquire(path, "me")
	if err != nil {
		t.Fatal(err)
	}
	lock.Release()
}

func TestLockThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	if _, err := filelock.Acquire(dir, "me"); err == nil {
		t.Error("a folder was locked")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Acquire(filepath.Join(file, "lock"), "me"); err == nil {
		t.Error("a lock below a file")
	}
}
