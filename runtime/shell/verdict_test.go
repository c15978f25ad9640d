//go:build unix

package shell_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A test's exit code is its answer, whatever it prints and whichever code it
// chooses.
func TestVerdicts(t *testing.T) {
	for script, want := range map[string]string{
		"true":                         "true",
		"echo no; echo why >&2":        "true",
		"false":                        "false",
		"exit 2":                       "false",
		"exit 125":                     "false",
		"exit 128":                     "false",
		"exit 255":                     "false",
		"exit -1":                      "false",
		"bash -c 'kill $$' || exit":    "false", // a command was ended, and the script said 143
		"[ \"$V\" = yes ]":             "true",
		"! no-such-command-at-all":     "true",
		"no-such-command-at-all; true": "true",
	} {
		b := newBench(t)
		var printed strings.Builder
		call := b.call(flow.Bash{Script: script, Bindings: bind("V", "yes"), Test: true})
		call.Output = func(stream string, piece []byte) { printed.WriteString(stream + ":" + string(piece)) }
		r := (&shell.Performer{}).Perform(context.Background(), call)
		if r.Status != flow.Completed || r.Text != want || r.Failure != nil {
			t.Errorf("%s: got %+v %+v, want %s", script, r, r.Failure, want)
		}
		if strings.HasPrefix(script, "echo") && (!strings.Contains(printed.String(), "stdout:no\n") || !strings.Contains(printed.String(), "stderr:why\n")) {
			t.Errorf("%s: logged %q", script, printed.String())
		}
	}
}

// A test that broke has decided nothing: it fails and says what.
func TestUndecided(t *testing.T) {
	for script, want := range map[string]string{
		"no-such-command-at-all":           "Bash test 'x' decided nothing, since a command in it was not found [exit 127]: bash: line 1: no-such-command-at-all: command not found",
		"exit 127":                         "Bash test 'x' decided nothing, since a command in it was not found [exit 127]",
		"/":                                "Bash test 'x' decided nothing, since a part of it could not be executed [exit 126]: bash: line 1: /: Is a directory",
		"kill -KILL $$":                    "Bash test 'x' failed [signal SIGKILL]: no diagnostic output",
		"echo a\x00b":                      "Bash test 'x' failed before it started: the script contains a NUL byte, which bash cannot read",
		"head -c 2000 /dev/zero; sleep 60": "Bash test 'x' failed: more than 1000 bytes came on standard output; write large data to a file in the artifacts folder and print its name",
	} {
		b := newBench(t)
		p := shell.Limited(process.Limits{Output: 1000, Grace: 10 * time.Millisecond})
		r := p.Perform(context.Background(), b.call(flow.Bash{Script: script, Test: true}))
		if r.Status != flow.Failed || r.Text != "" || r.Failure.Message != want {
			t.Errorf("%s: got %+v %+v, want %s", script, r, r.Failure, want)
		}
	}
	b := newBench(t)
	b.environ = []string{"PATH=" + t.TempDir()}
	if got := b.message(flow.Bash{Script: "true", Test: true}); !strings.HasPrefix(got, "Bash test 'x' failed before it started: bash is not on PATH") {
		t.Errorf("got %q", got)
	}
}

func TestUndecidedInTime(t *testing.T) {
	b := newBench(t)
	call := b.call(flow.Bash{Script: "sleep 60", Test: true})
	call.Action.Timeout = 20 * time.Millisecond
	r := (&shell.Performer{}).Perform(context.Background(), call)
	if r.Status != flow.Failed || r.Failure.Reason != process.ReasonTimeout || r.Failure.Message != "Bash test 'x' timed out after 20ms" {
		t.Errorf("got %+v %+v", r, r.Failure)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := (&shell.Performer{}).Perform(ctx, b.call(flow.Bash{Script: "true", Test: true})); r.Status != flow.Cancelled {
		t.Errorf("cancelled: got %+v", r)
	}
}
