//go:build unix

package shell_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// bench is a place to perform scripts in.
type bench struct {
	t       testing.TB
	dir     string // the run's own folder
	work    string
	environ []string
	logged  *strings.Builder
}

func newBench(t testing.TB) *bench {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash on PATH")
	}
	return &bench{t: t, dir: t.TempDir(), work: t.TempDir(), environ: os.Environ(), logged: &strings.Builder{}}
}

func (b *bench) call(payload flow.Bash) *engine.Attempt {
	return &engine.Attempt{
		Info:   &flow.RunInfo{ID: "w-abc123", WorkDir: b.work},
		Action: flow.Action{Key: "x", Payload: payload},
		Number: 1, RunDir: b.dir, Environ: b.environ,
		Log: slog.New(slog.NewTextHandler(b.logged, nil)),
	}
}

func (b *bench) perform(payload flow.Bash) flow.Result {
	b.t.Helper()
	return (&shell.Performer{}).Perform(context.Background(), b.call(payload))
}

// output performs a script that must succeed.
func (b *bench) output(payload flow.Bash) string {
	b.t.Helper()
	r := b.perform(payload)
	if r.Status != flow.Completed {
		b.t.Fatalf("%s: %+v", r.Status, r.Failure)
	}
	return r.Text
}

// message performs a script that must fail and returns why.
func (b *bench) message(payload flow.Bash) string {
	b.t.Helper()
	r := b.perform(payload)
	if r.Status != flow.Failed || r.Text != "" {
		b.t.Fatalf("%s with %q, want a failure", r.Status, r.Text)
	}
	return r.Failure.Message
}

func bind(pairs ...string) []flow.Binding {
	var all []flow.Binding
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, flow.Binding{Name: pair[0], Value: pair[1]})
	}
	return all
}

func TestOutput(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{`echo out; echo err >&2`, "out"},
		{`printf '  a\n\nb  '`, "  a\n\nb  "},
		{`printf 'a\n\n'`, "a\n"},
		{`true`, ""},
		{``, ""},
		{`cat`, ""},
		{`echo "$0 $#"`, "bash 0"},
		{`printf 'a\xffb'`, "a\uFFFDb"},
		{`-v 2>/dev/null || echo a dash is no option`, "a dash is no option"},
		{`echo "$WFC_RUN_ID/$WFC_STEP_KEY"`, "w-abc123/x"},
	} {
		if got := newBench(t).output(flow.Bash{Script: test.script}); got != test.want {
			t.Errorf("%s: got %q, want %q", test.script, got, test.want)
		}
	}
}

func TestWorkingDirectory(t *testing.T) {
	b := newBench(t)
	other := t.TempDir()
	for dir, want := range map[string]string{"": b.work, other: other} {
		real, err := filepath.EvalSymlinks(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.output(flow.Bash{Script: "pwd -P", Dir: dir}); got != real {
			t.Errorf("got %s, want %s", got, real)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"echo partial; echo why >&2; exit 3", "Bash node 'x' failed [exit 3]: why"},
		{"echo test 3 failed; echo ' 4 ran'; exit 7", "Bash node 'x' failed [exit 7]: test 3 failed\n 4 ran"},
		{"seq 12; exit 1", "Bash node 'x' failed [exit 1]: 8\n9\n10\n11\n12"},
		{"echo last words; kill -KILL $$", "Bash node 'x' failed [signal SIGKILL]: last words"},
		{"exit 1", "Bash node 'x' failed [exit 1]: no diagnostic output"},
		{"kill -KILL $$", "Bash node 'x' failed [signal SIGKILL]: no diagnostic output"},
		{"\n\nno-such-command-at-all", "Bash node 'x' failed [exit 127]: bash: line 3: no-such-command-at-all: command not found"},
		{"echo a\x00b", "Bash node 'x' failed before it started: the script contains a NUL byte, which bash cannot read"},
	} {
		if got := newBench(t).message(flow.Bash{Script: test.script}); got != test.want {
			t.Errorf("%q: got %q, want %q", test.script, got, test.want)
		}
	}
	r := newBench(t).perform(flow.Bash{Script: "exit 3"})
	if r.Failure.ExitCode != 3 || r.Failure.Reason != "exit" {
		t.Errorf("got %+v", r.Failure)
	}
}

func TestMissingBash(t *testing.T) {
	b := newBench(t)
	b.environ = []string{"PATH=" + t.TempDir()}
	want := "Bash node 'x' failed before it started: bash is not on PATH; install bash, or set PATH so that it is found"
	if got := b.message(flow.Bash{Script: "true"}); got != want {
		t.Errorf("got %q", got)
	}
}

func TestTimeoutAndCancellation(t *testing.T) {
	b := newBench(t)
	call := b.call(flow.Bash{Script: "while :; do sleep 0.01; done"})
	call.Action.Timeout = 30 * time.Millisecond
	r := (&shell.Performer{}).Perform(t.Context(), call)
	if r.Status != flow.Failed || r.Failure.Message != "Bash node 'x' timed out after 30ms" || r.Failure.Reason != "timeout" {
		t.Errorf("got %s, %+v", r.Status, r.Failure)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call = b.call(flow.Bash{Script: "echo ready; while :; do sleep 0.01; done"})
	call.Output = func(string, []byte) { cancel() }
	if r := (&shell.Performer{}).Perform(ctx, call); r.Status != flow.Cancelled {
		t.Errorf("got %s, %+v", r.Status, r.Failure)
	}
}

func TestLogsWhatTheResultCannotSay(t *testing.T) {
	b := newBench(t)
	b.output(flow.Bash{Script: `printf '\xff'`})
	if !strings.Contains(b.logged.String(), "not UTF-8") {
		t.Errorf("logged %q", b.logged)
	}
}

func BenchmarkTrue(b *testing.B) {
	place := newBench(b)
	for b.Loop() {
		place.output(flow.Bash{Script: "true"})
	}
}

func BenchmarkTrueWithBinding(b *testing.B) {
	place := newBench(b)
	payload := flow.Bash{Script: "true", Bindings: bind("V", "value")}
	for b.Loop() {
		place.output(payload)
	}
}

func BenchmarkForkExec(b *testing.B) {
	path, err := exec.LookPath("bash")
	if err != nil {
		b.Skip("there is no bash on PATH")
	}
	for b.Loop() {
		if err := exec.Command(path, "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
