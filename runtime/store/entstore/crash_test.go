package entstore_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// The environment of a process of this test that writes until it is killed.
const (
	envStore = "ENTSTORE_TEST_STORE"
	envRound = "ENTSTORE_TEST_ROUND"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(envStore); path != "" {
		writeForever(path, os.Getenv(envRound))
	}
	os.Exit(m.Run())
}

const crashWriters = 8

// writeForever commits and prints the key of every commit that was
// acknowledged. Every commit is a pair of steps and an event; every tenth comes
// with a run of its own.
func writeForever(path, round string) {
	ctx := context.Background()
	s, err := entstore.Open(ctx, path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var out sync.Mutex
	acknowledge := func(line string, err error) {
		out.Lock()
		defer out.Unlock()
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(line)
	}
	var wait sync.WaitGroup
	for w := range crashWriters {
		wait.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%s.%d.%d", round, w, n)
				if n%10 == 0 {
					run := store.Run{RunInfo: flow.RunInfo{ID: key, Workflow: "own"}, Status: flow.Pending, Created: time.Now()}
					acknowledge("run "+key, s.CreateRun(ctx, run, []flow.Record{started("static")}))
				}
				acknowledge("step "+key, s.Commit(ctx, "shared", flow.Batch{
					Steps:  []flow.Record{completed(key), started(key + "'")},
					Events: []flow.Event{{Time: time.Now(), Type: "step_completed", Key: key, Message: strings.Repeat("x", 100*(n%50))}},
				}))
			}
		})
	}
	wait.Wait()
}

// TestKill kills a process that writes, again and again, and looks each time
// whether the store holds everything that was acknowledged, and only whole
// commits.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := open(t, path)
	createStore(t, s, "shared")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	acknowledged := map[string]bool{}
	for round := range rounds {
		killWriter(t, path, round, 1+rand.IntN(400), acknowledged)
		look(t, path, acknowledged)
	}
}

// killWriter starts a writer, kills it after some lines, and notes what it
// said.
func killWriter(t *testing.T, path string, round, lines int, acknowledged map[string]bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envStore+"="+path, fmt.Sprintf("%s=%d", envRound, round))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		line := scanner.Text()
		if strings.HasPrefix(line, "error ") {
			t.Errorf("the writer: %s", line)
		}
		acknowledged[line] = true
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
}

func look(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	s, err := entstore.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open after a kill: %v", err)
	}
	defer s.Close()
	steps, err := s.Steps(t.Context(), "shared")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for i, r := range steps {
		if i%2 == 0 {
			found["step "+r.Key] = true
		} else if steps[i-1].Key+"'" != r.Key {
			t.Fatalf("step %s follows %s: half a commit", r.Key, steps[i-1].Key)
		}
	}
	events, _, err := s.Events(t.Context(), "shared", 0)
	if err != nil || 2*len(events) != len(steps) {
		t.Errorf("%d events (%v) for %d steps", len(events), err, len(steps))
	}
	runs, err := s.Runs(t.Context(), store.Filter{Workflow: "own"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		found["run "+r.ID] = true
		if own, err := s.Steps(t.Context(), r.ID); err != nil || len(own) != 1 {
			t.Errorf("run %s has %d steps (%v)", r.ID, len(own), err)
		}
	}
	for line := range acknowledged {
		if !found[line] {
			t.Errorf("lost: %s", line)
		}
	}
}

// TestTwoProcesses writes from here while another process writes: both get
// through, and this one sees what the other does.
func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wfc.db")
	s := opened(t, path)
	createStore(t, s, "shared")
	createStore(t, s, "mine")
	before, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	acknowledged := map[string]bool{}
	go func() {
		defer close(done)
		killWriter(t, path, 0, 300, acknowledged)
	}()
	mine := 0
	for running := true; running; mine++ {
		select {
		case <-done:
			running = false
		default:
		}
		commit(t, s, "mine", completed(fmt.Sprint(mine)))
	}
	steps, err := s.Steps(t.Context(), "mine")
	if err != nil || len(steps) != mine {
		t.Errorf("%d of %d commits are there (%v)", len(steps), mine, err)
	}
	if after, err := s.Generation(t.Context()); err != nil || after == before {
		t.Errorf("version %d before and %d after (%v)", before, after, err)
	}
	if len(acknowledged) < 300 {
		t.Errorf("the other process got %d commits through", len(acknowledged))
	}
	look(t, path, acknowledged)
}
