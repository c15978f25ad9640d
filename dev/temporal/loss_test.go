package temporal_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
)

// Three workers perform the steps of a run. The one that performs the step `slow` is killed
// in it, and then the server is. A new server with the same database, and the workers that
// are left, complete the run: only steps that ran on the killed worker run twice.
func TestLoseWorkerAndServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var quick, deps strings.Builder
	const n = 12
	for i := range n {
		fmt.Fprintf(&quick, "  - id: q%d\n    bash: echo x >> q%d.ran; echo %d\n    depends_on: [slow]\n", i, i, i)
		if i > 0 {
			deps.WriteString(", ")
		}
		fmt.Fprintf(&deps, "q%d", i)
	}
	program := w.build("team", `name: team
description: is performed by three workers
nodes:
  - id: first
    bash: echo x >> first.ran; echo one
  - id: slow
    bash: |
      echo x >> slow.ran
      if [ ! -e victim ]; then
        echo $PPID > victim.new
        mv victim.new victim
        sleep 600
      fi
      echo two
    depends_on: [first]
`+quick.String()+`  - id: last
    bash: echo "$first.output $slow.output"
    depends_on: [`+deps.String()+`, first]
`)
	workers := []*exec.Cmd{w.worker(program), w.worker(program), w.worker(program)}
	id := w.detach(program, "--workspace", "none")
	folder := filepath.Join(w.dir, "state", "runs", id, "work")
	w.appears(filepath.Join(folder, "victim"))
	victim := w.number(filepath.Join(folder, "victim"))
	killed := 0
	for _, worker := range workers {
		if worker.Process.Pid == victim {
			w.kill(worker)
			killed++
		}
	}
	if killed != 1 {
		t.Fatalf("process %d is none of the workers", victim)
	}
	w.kill(w.server)
	w.startServer()
	final := w.event(id, func(e *historypb.HistoryEvent) bool {
		return e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
	})
	if final == nil {
		t.Fatal("the run did not complete")
	}
	r := w.status(program, id)
	if r.Status != "completed" || r.Summary != "one two" {
		t.Errorf("%+v", r)
	}
	for name, times := range map[string]int{"first": 1, "slow": 2} {
		w.ran(filepath.Join(folder, name+".ran"), times)
	}
	for i := range n {
		w.ran(filepath.Join(folder, fmt.Sprintf("q%d.ran", i)), 1)
	}
}

// number reads a number from a file.
func (w *world) number(path string) int {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// ran checks how often a step has run.
func (w *world) ran(path string, times int) {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "x"); err != nil || n != times {
		w.t.Errorf("%s: %d times, want %d: %v", filepath.Base(path), n, times, err)
	}
}

// event waits for an event in the history of a run, and returns nil if the history ends
// without it.
func (w *world) event(id string, is func(*historypb.HistoryEvent) bool) *historypb.HistoryEvent {
	w.t.Helper()
	c, err := client.Dial(client.Options{HostPort: w.address})
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	events := c.GetWorkflowHistory(ctx, id, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			w.t.Fatal(err)
		}
		if is(e) {
			return e
		}
	}
	return nil
}
