//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// holding starts the demo in a process of its own and waits until its step
// `hold` runs, which ignores being asked to end if how says anything. It returns the process, its
// standard error, and the number of the step's process.
func holding(t *testing.T, how string) (cmd *exec.Cmd, stderr *bytes.Buffer, step int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hold"), []byte(how), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(os.Args[0])
	cmd.Args = []string{"demo", "run"}
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stderr, await(t, filepath.Join(dir, "held"))
}

// await waits for a file with a number.
func await(t *testing.T, path string) int {
	t.Helper()
	for range 3000 {
		text, err := os.ReadFile(path)
		if n, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
			return n
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
	return 0
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("ended with %v", err)
	}
	return exit.ExitCode()
}

// gone waits until a process has ended.
func gone(pid int) bool {
	for range 3000 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func demoIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"demo"}, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// hangUp gives the programs that the test starts the default action of SIGHUP, also if the
// test itself was started by nohup.
func hangUp(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

func TestFirstSignalCancels(t *testing.T) {
	hangUp(t)
	for sig, want := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, stderr, step := holding(t, "")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd.Wait()); code != want {
				t.Errorf("exit code %d, want %d\n%s", code, want, stderr)
			}
			hint := "once more"
			if sig != syscall.SIGINT {
				hint = "SIGINT"
			}
			if !strings.Contains(stderr.String(), "demo: cancelling; "+hint+" to end at once\n") {
				t.Errorf("standard error:\n%s", stderr)
			}
			if !gone(step) {
				t.Error("the step's process goes on")
			}
			out, err := demoIn(t, cmd.Dir, "status")
			if err != nil || !strings.Contains(out, ": cancelled (cancelled by signal ") || !strings.Contains(out, "the run was cancelled") {
				t.Errorf("status %v:\n%s", err, out)
			}
		})
	}
}

// signalUntilEnd sends a signal until the process has ended, and returns how it ended. Signals
// that come at once may be one; so it is sent until it is heard.
func signalUntilEnd(t *testing.T, cmd *exec.Cmd, sig syscall.Signal) error {
	t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(100 * time.Millisecond):
			_ = cmd.Process.Signal(sig)
		}
	}
}

// TestRepeatedTermination sends SIGTERM more than once, as timeout(1) does: the run is
// cancelled all the same.
func TestRepeatedTermination(t *testing.T) {
	t.Parallel()
	cmd, stderr, step := holding(t, "stubborn")
	err := signalUntilEnd(t, cmd, syscall.SIGTERM)
	if code := exitCode(t, err); code != 143 || strings.Contains(stderr.String(), "ended at once") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if !gone(step) {
		t.Error("the step's process goes on")
	}
	out, err := demoIn(t, cmd.Dir, "status")
	if err != nil || !strings.Contains(out, ": cancelled (cancelled by signal SIGTERM)") {
		t.Errorf("status %v:\n%s", err, out)
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	cmd, stderr, step := holding(t, "stubborn")
	err := signalUntilEnd(t, cmd, syscall.SIGINT)
	if code := exitCode(t, err); code != 130 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "ended at once; `demo resume demo-") {
		t.Errorf("standard error:\n%s", stderr)
	}
	if !gone(step) {
		t.Error("the step's process goes on")
	}
	out, err := demoIn(t, cmd.Dir, "status")
	if err != nil || !strings.Contains(out, ": interrupted") {
		t.Errorf("status %v:\n%s", err, out)
	}
}

// After SIGKILL the run is interrupted, and its step ends; resuming does no completed step
// again.
func TestKilled(t *testing.T) {
	cmd, _, step := holding(t, "")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	out, err := demoIn(t, cmd.Dir, "status")
	if err != nil || !strings.Contains(out, ": interrupted") {
		t.Errorf("status %v:\n%s", err, out)
	}
	if out, err = demoIn(t, cmd.Dir, "list", "--status", "interrupted"); err != nil || !strings.Contains(out, "demo-") {
		t.Errorf("list %v:\n%s", err, out)
	}
	if !gone(step) {
		t.Error("the step of the killed process goes on")
	}
	if err := os.Remove(filepath.Join(cmd.Dir, "hold")); err != nil {
		t.Fatal(err)
	}
	if out, err = demoIn(t, cmd.Dir, "resume", "latest"); err != nil || !strings.Contains(out, "bye, world") {
		t.Errorf("resume %v:\n%s", err, out)
	}
	performed, err := os.ReadFile(filepath.Join(cmd.Dir, "performed"))
	if err != nil || string(performed) != "greeted\n" {
		t.Errorf("performed %q %v", performed, err)
	}
}
