package temporal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// With keys, everything works that works without: large values, questions without a worker,
// child runs, failures that are resumed, and schedules. Who has no key reads nothing.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = []string{"WFC_TEMPORAL_KEYS=" + strings.Repeat("A", 43) + "="}
	if err := os.WriteFile(filepath.Join(w.dir, "part.yaml"), []byte("name: part\ndescription: is a part\nnodes:\n  - id: in\n    bash: echo part\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := w.build("sealed", `name: sealed
description: has large values, a child and a gate
nodes:
  - id: a
    bash: test -e permit && head -c 40000 /dev/zero | tr '\0' x
  - id: child
    workflow: part
    depends_on: [a]
  - id: gate
    approval: {message: "ship it?"}
    depends_on: [child]
  - id: b
    bash: a=$a.output; env | grep -c WFC_TEMPORAL_KEYS; echo "shipped ${#a}"
    depends_on: [gate]
`)
	first := w.worker(program)
	if _, code := w.call(program, "run", "--dead-worker", "move"); code != 1 {
		t.Fatalf("exit code %d, want 1 for a run that fails", code)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "permit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, code := w.call(program, "resume", "latest"); code != 3 {
		t.Fatalf("exit code %d, want 3 for a run that waits", code)
	}
	w.kill(first)
	if out, _ := w.call(program, "status", "latest"); !strings.Contains(out, "ship it?") {
		t.Error("without a worker, the question is missing")
	}
	if _, code := w.call(program, "approve", "latest"); code != 0 {
		t.Fatal("the answer was refused")
	}
	w.worker(program)
	if r := w.until(program, "latest", "completed"); r.Summary != "0\nshipped 40000" {
		t.Errorf("%+v", r)
	}
	id := w.status(program, "latest").ID
	if _, code := w.call(program, "schedule", "--cron", "* * * * *"); code != 0 {
		t.Error("the schedule was not set")
	}
	for deadline := time.Now().Add(2 * time.Minute); w.status(program, "latest").ID == id; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatal("no run begins at a scheduled time")
		}
	}
	w.until(program, "latest", "paused")
	w.environ = nil
	if out, code := w.call(program, "status", id); code != 1 || strings.Contains(out, "shipped") {
		t.Errorf("exit code %d without a key\n%s", code, out)
	}
}
