//go:build unix

package cli_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// release lets the demo's step go on that holds.
func release(t *testing.T, dir string, step int) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "hold")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-step, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
}

// A run that was started to outlive its terminal does.
func TestHangupIsIgnoredWhereItWasBefore(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this test needs bash")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hold"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, "-c", `trap '' HUP; exec -a demo "$0" run`, os.Args[0])
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	step := await(t, filepath.Join(dir, "held"))
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	out, err := demoIn(t, dir, "status")
	if err != nil || !strings.Contains(out, ": running") {
		t.Errorf("status %v:\n%s", err, out)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd.Wait()); code != 143 {
		t.Errorf("exit code %d", code)
	}
	if !gone(step) {
		t.Error("the step's process goes on")
	}
}

// Nobody has to read what a run prints: it goes on without, and its exit code is
// its own.
func TestRunsOutliveTheirReaders(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}, {"--jsonl"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Args = append([]string{"demo", "run", "first"}, flags...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			progress, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			out.Close()
			progress.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			text, err := demoIn(t, dir, "status")
			if err != nil || !strings.Contains(text, ": completed") {
				t.Errorf("status %v:\n%s", err, text)
			}
		})
	}
}

// The pipe is closed while the run goes on, as by head.
func TestRunsOutliveAReaderThatLeaves(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hold"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"demo", "run", "--jsonl"}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"type":"begin"`) {
		t.Errorf("the first line is %q: %v", line, err)
	}
	out.Close()
	step := await(t, filepath.Join(dir, "held"))
	release(t, dir, step)
	// The step was killed, so the run fails: but it ends by itself.
	if code := exitCode(t, cmd.Wait()); code != 1 {
		t.Errorf("exit code %d", code)
	}
	text, err := demoIn(t, dir, "status")
	if err != nil || !strings.Contains(text, ": failed") {
		t.Errorf("status %v:\n%s", err, text)
	}
	if !gone(step) {
		t.Error("the step's process goes on")
	}
}
