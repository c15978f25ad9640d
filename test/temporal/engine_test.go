package temporal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const gated = `name: gated
description: asks before it ships
nodes:
  - id: a
    bash: echo hi
  - id: gate
    approval: {message: "ship it?"}
    depends_on: [a]
  - id: b
    bash: echo "shipped $a.output"
    depends_on: [gate]
`

// detach begins a run and returns its id.
func (w *world) detach(program string, args ...string) string {
	w.t.Helper()
	out, code := w.call(program, append([]string{"run", "--detach"}, args...)...)
	if code != 0 {
		w.t.Fatal("the run did not begin")
	}
	return strings.TrimSpace(out)
}

func TestGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("gated", gated)
	w.worker(program)
	if _, code := w.call(program, "run"); code != 3 {
		t.Fatalf("exit code %d, want 3 for a run that waits", code)
	}
	if _, code := w.call(program, "approve", "-m", "fine"); code != 0 {
		t.Fatal("the answer was refused")
	}
	if r := w.until(program, "latest", "completed"); r.Summary != "shipped hi" {
		t.Errorf("%+v", r)
	}
	if _, code := w.call(program, "approve"); code == 0 {
		t.Error("a second answer was taken")
	}
}

// An answer that is given while no worker lives counts as soon as there is one.
func TestAnswerWithoutWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("gated", gated)
	first := w.worker(program)
	id := w.detach(program)
	w.until(program, id, "paused")
	w.kill(first)
	if _, code := w.call(program, "approve", id, "-m", "fine"); code != 0 {
		t.Fatal("the answer was refused")
	}
	w.worker(program)
	// The worker that has the run's files is gone, and the run may not move: its next step
	// fails, and says so.
	if r := w.until(program, id, "failed"); !strings.Contains(r.Error, "is gone") {
		t.Errorf("%+v", r)
	}
}

// The same, for a run that may move to another worker.
func TestMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("gated", gated)
	first := w.worker(program)
	id := w.detach(program, "--dead-worker", "move")
	w.until(program, id, "paused")
	w.kill(first)
	w.worker(program)
	if _, code := w.call(program, "approve", id); code != 0 {
		t.Fatal("the answer was refused")
	}
	if r := w.until(program, id, "completed"); r.Summary != "shipped hi" {
		t.Errorf("%+v", r)
	}
}

// A worker that is killed in an action leaves the action to the policy for interrupted
// steps: another worker performs it again.
func TestKillInAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("slow", `name: slow
description: takes its time
nodes:
  - id: a
    bash: |
      if [ ! -e once ]; then
        touch once
        sleep 600
      fi
      echo done
`)
	first := w.worker(program)
	id := w.detach(program, "--workspace", "none")
	marks := filepath.Join(w.dir, "state", "runs", id, "work", "once")
	w.appears(marks)
	w.kill(first)
	w.worker(program)
	if r := w.until(program, id, "completed"); r.Summary != "done" {
		t.Errorf("%+v", r)
	}
}

// Nothing that was done is lost when the server dies.
func TestKillServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("gated", gated)
	w.worker(program)
	id := w.detach(program)
	w.until(program, id, "paused")
	w.kill(w.server)
	w.startServer()
	if _, code := w.call(program, "approve", id); code != 0 {
		t.Fatal("the answer was refused")
	}
	w.until(program, id, "completed")
}

func TestFailResumeCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	program := w.build("picky", `name: picky
description: needs a file
nodes:
  - id: a
    bash: echo x >> count
  - id: b
    bash: test -e permit && echo yes
    depends_on: [a]
  - id: c
    bash: sleep 600
    depends_on: [b]
`)
	w.worker(program)
	out, code := w.call(program, "run")
	if code != 1 {
		t.Fatalf("exit code %d, %s", code, out)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "permit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	resumed := w.command(program, "resume", "latest")
	if err := resumed.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.kill(resumed) })
	w.until(program, "latest", "running")
	if _, code := w.call(program, "cancel", "latest"); code != 0 {
		t.Error("the run was not cancelled")
	}
	w.until(program, "latest", "cancelled")
	if text, err := os.ReadFile(filepath.Join(w.dir, "count")); err != nil || string(text) != "x\n" {
		t.Errorf("step a ran more than once: %q %v", text, err)
	}
}
