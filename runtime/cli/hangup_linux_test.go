package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// A terminal that is closed cancels the run, whose messages have no place to go,
// and leaves nothing running.
func TestClosedTerminalCancels(t *testing.T) {
	hangUp(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hold"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keys, tty := pty.Pair(t)
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"demo", "run"}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("no session with a terminal can be made here: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	step := await(t, filepath.Join(dir, "held"))
	tty.Close()
	keys.Close()
	if code := exitCode(t, cmd.Wait()); code != 129 {
		t.Errorf("exit code %d", code)
	}
	if !gone(step) {
		t.Error("the step's process goes on")
	}
	if out, err := demoIn(t, dir, "status"); err != nil || !strings.Contains(out, ": cancelled (cancelled by signal SIGHUP)") {
		t.Errorf("status %v:\n%s", err, out)
	}
}
