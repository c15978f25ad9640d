package temporal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/wfc-lang/wfc/runtime/cli"
)

// write adds a line to the log of a run on a worker.
func write(t *testing.T, blobs, id, worker, text string) {
	t.Helper()
	dir := filepath.Join(blobs, "default", "logs", id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "log-"+worker+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// line is a line of a log, with the output of step a.
func line(second int, text string) string {
	return fmt.Sprintf(`{"time":"2026-11-01T10:00:%02dZ","run":"demo-000001","type":"output","node":"a","stream":"stdout","text":"%s\n"}`+"\n", second, text)
}

// Logs of all workers are in the order of their times. The last line of a worker that died is
// left out.
func TestLogs(t *testing.T) {
	f := serve(t, nil)
	const id = "demo-000001"
	f.workflows[id] = &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now())}
	blobs := t.TempDir()
	if code, _, errs := call(t, f, program(), "logs", id, "--blobs", blobs); code != 1 || !strings.Contains(errs, "no log found") {
		t.Errorf("without a log: exit code %d\n%s", code, errs)
	}
	write(t, blobs, id, "one", line(1, "first")+line(3, "third")+line(9, "half")[:20])
	write(t, blobs, id, "two", line(2, "second"))
	code, out, errs := call(t, f, program(), "logs", id, "--blobs", blobs)
	if code != 0 || !inOrder(out, "first", "second", "third") || strings.Contains(out, "half") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// A follower shows lines as workers write them, until the run has ended.
func TestLogsFollow(t *testing.T) {
	for status, last := range map[enumspb.WorkflowExecutionStatus]*historypb.HistoryEvent{
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED: completed(nil),
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED: {
			EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
				WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{},
			},
		},
	} {
		t.Run(status.String(), func(t *testing.T) {
			f := serve(t, nil)
			const id = "demo-000001"
			f.workflows[id] = &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now())}
			blobs := t.TempDir()
			write(t, blobs, id, "one", line(1, "first")+line(2, "second")[:30])
			out := &safeBuffer{grown: make(chan struct{}, 1)}
			code := make(chan int, 1)
			go func() {
				code <- cli.Run(program(), []string{"logs", "-f", id, "--temporal", f.address, "--blobs", blobs, "--state", t.TempDir()}, cli.Streams{Out: out, Err: out})
			}()
			shows := func(text string) {
				t.Helper()
				for !strings.Contains(out.String(), text) {
					select {
					case <-out.grown:
					case c := <-code:
						t.Fatalf("exit code %d before %q\n%s", c, text, out)
					}
				}
			}
			shows("first")
			if strings.Contains(out.String(), "second") {
				t.Errorf("half a line is shown:\n%s", out)
			}
			write(t, blobs, id, "one", line(2, "second")[30:])
			shows("second")
			write(t, blobs, id, "two", line(3, "third"))
			shows("third")
			// The log that was there at the end of the run is shown whole.
			write(t, blobs, id, "two", line(4, "last"))
			f.change(func() {
				w := f.workflows[id]
				w.info.Status, w.events = status, append(w.events, last)
			})
			if c := <-code; c != 0 || !inOrder(out.String(), "first", "second", "third", "last") {
				t.Errorf("exit code %d\n%s", c, out)
			}
		})
	}
}

// inOrder reports whether a text has parts one after the other, each once.
func inOrder(text string, parts ...string) bool {
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, p)
		if !ok || strings.Count(text, p) > 1 {
			return false
		}
		text = rest
	}
	return true
}
