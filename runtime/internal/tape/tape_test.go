package tape_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// performs is a performer of bash steps with one result.
type performs struct{ flow.Result }

func (performs) Kind() string { return flow.Bash{}.Kind() }

func (p performs) Perform(context.Context, *engine.Attempt) flow.Result { return p.Result }

// perform performs a step of a run with a performer that records.
func perform(f *tape.File, run, step string, r flow.Result) flow.Result {
	p := f.Performers([]engine.Performer{performs{r}})[0]
	return p.Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{ID: run}, Number: 1, Action: flow.Action{Key: step, Payload: flow.Bash{Test: step == "test"}, Timeout: 100 * time.Millisecond},
	})
}

// open opens a recording for a run w-1 of the workflow w.
func open(t *testing.T, path string) *tape.File {
	t.Helper()
	f, err := tape.Open(&tape.Tape{Record: path, Workflow: "w", Fingerprint: "f", Environ: []string{"API_TOKEN=very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// lines returns the lines of a file without their times.
func lines(t *testing.T, path string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		delete(v, "time")
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(again))
	}
	return list
}

// record records one of each line.
func record(t *testing.T, f *tape.File) {
	t.Helper()
	failure := &flow.Failure{Message: "it printed very-secret", Reason: "exit", ExitCode: 3}
	perform(f, "w-1", "build", flow.Result{Status: flow.Completed, Text: "the key is very-secret"})
	perform(f, "w-1--c", "test", flow.Result{Status: flow.Failed, Failure: failure})
	perform(f, "w-1", "stopped", flow.Result{Status: flow.Cancelled})
	if failure.Message != "it printed very-secret" {
		t.Errorf("the result of the step changed: %q", failure.Message)
	}
	for _, err := range []error{
		f.Child("w-1--c", "w-1", "c"),
		f.Answer("w-1", "gate#1", tape.Answer{Choice: "reject", Text: "no very-secret"}),
		f.Answer("w-1", "gate#1", tape.Answer{Choice: "approve"}), // a second time
		f.Resumed("w-1"),
		f.End("w-1", tape.End{Status: flow.Cancelled, Reason: "very-secret", Error: "very-secret", Outputs: json.RawMessage(`{"a":"very-secret"}`), Cancelled: []tape.Step{{Run: "w-1", Step: "build"}}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLines: every line hides secrets, and only the owner can read the file.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape")
	f := open(t, path)
	if err := f.Begin("w-1", json.RawMessage(`{"in":"very-secret"}`), time.Now()); err != nil {
		t.Fatal(err)
	}
	record(t, f)
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	want := []string{
		`{"fingerprint":"f","inputs":{"in":"***"},"run_id":"w-1","wfc_recording":2,"workflow":"w"}`,
		`{"attempt":1,"program":{"kind":"bash","output":"the key is ***","timeout_ms":100},"step":"build"}`,
		`{"attempt":1,"program":{"failure":{"exit_code":3,"message":"it printed ***","reason":"exit"},"kind":"bash","test":true,"timeout_ms":100},"run":"w-1--c","step":"test"}`,
		`{"child":{"parent":"w-1"},"run":"w-1--c","step":"c"}`,
		`{"answer":{"choice":"reject","text":"no ***"},"step":"gate#1"}`,
		`{"resumed":true}`,
		`{"end":{"cancelled":[{"step":"build"}],"error":"***","outputs":{"a":"***"},"reason":"***","status":"cancelled"}}`,
	}
	if got := lines(t, path); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// Another process knows which answers are recorded.
	if err := open(t, path).Answer("w-1", "gate#1", tape.Answer{Choice: "approve"}); err != nil || len(lines(t, path)) != len(want) {
		t.Errorf("%v, %q", err, lines(t, path))
	}
}
