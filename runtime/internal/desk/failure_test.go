package desk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
)

func failed(key, message string, exitCode int) flow.Record {
	return flow.Record{Key: key, Status: flow.Failed, Failure: &flow.Failure{Message: message, Reason: "exit", ExitCode: exitCode}}
}

func unmasked(text string) string { return text }

// Failures with one cause differ in numbers, ids, quoted values and paths.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"invoice 123 has no total", "invoice 7 has no total", true},
		{"invoice 123 has no total", "cannot reach the ledger", false},
		{"invoice 123 has no total", "order 123 has no total", false},
		{"no customer 'Ann Lee' in the file", "no customer 'Bob' in the file", true},
		{`no customer "Ann Lee"`, `no customer "Bob"`, true},
		{"read /home/ann/a b: missing", "read /tmp/x b: missing", true},
		{"GET https://a.example/x: refused", "GET https://b.example/y?z=1: refused", true},
		{"can't read it; don't know", "can't read it; don't care", false},
		{"run fix-ab12cd failed", "run fix-zz99xy failed", true},
		{"rows 1 2 3 differ", "rows 1 2 differ", true},
		{"at 10:30:01: lost\n  main.go:12", "at 11:00:59: lost\nmain.go:99", true},
		{"id=\"x 1\" is taken", "id=\"longer y 2\" is taken", true},
	} {
		f := desk.Failures{}
		f.AddRun("invoice", []flow.Record{failed("check", c.one, 4)}, unmasked)
		f.AddRun("invoice", []flow.Record{failed("check", c.other, 4)}, unmasked)
		if same := len(f.Sorted()) == 1; same != c.same {
			t.Errorf("%q and %q: one cause is %v", c.one, c.other, same)
		}
	}
}

// A run counts once for each cause, with the deepest step that failed.
func TestFailuresOfRuns(t *testing.T) {
	f := desk.Failures{}
	for range 3 {
		f.AddRun("triage", []flow.Record{failed("fix", "the key was revoked", 0), failed("fix@2", "the key was revoked", 0), {Key: "other", Status: flow.Failed}}, unmasked)
	}
	f.AddRun("invoice", []flow.Record{failed("items", "2 of 2 failed: no total of 3", 4), failed("items[0]", "no total of 3", 4), failed("items[1]", "no total of 4", 4)}, unmasked)
	f.AddRun("invoice", []flow.Record{failed("items[7]", "no total of 9", 9)}, unmasked)
	f.AddRun("loop", []flow.Record{failed("fix", "reached max_iterations 5", 0), failed("fix#1", "the tests failed", 1)}, func(text string) string { return strings.ReplaceAll(text, "tests", "***") })
	var lines []string
	for _, one := range f.Sorted() {
		lines = append(lines, fmt.Sprintf("%s %s %s %d: %d, %s", one.Workflow, one.Step, one.Reason, one.ExitCode, one.Runs, one.Example))
	}
	want := `triage fix exit 0: 3, the key was revoked
invoice items exit 4: 1, no total of 3
invoice items exit 9: 1, no total of 9
loop fix exit 0: 1, reached max_iterations 5
loop fix exit 1: 1, the *** failed`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
