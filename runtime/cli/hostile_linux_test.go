package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// own are the sequences by which wfc colours and redraws.
var own = regexp.MustCompile(`\x1b\[[0-9;]*m|\x1b\[[0-9]+A\r\x1b\[J`)

// At a terminal neither the progress nor the result steers it, and a pipe gets the
// result as it is.
func TestNothingHostileReachesATerminal(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this test needs bash")
	}
	for _, h := range hostile {
		keys, tty := pty.Pair(t)
		cmd := exec.Command(os.Args[0])
		cmd.Args, cmd.Dir = []string{"shouts", "run"}, t.TempDir()
		cmd.Env = append(os.Environ(), "WFC_STATE="+t.TempDir(), "TERM=xterm", "FOUL="+h)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Skipf("no session with a terminal can be made here: %v", err)
		}
		tty.Close()
		var shown bytes.Buffer
		_, _ = shown.ReadFrom(keys) // it ends with an error when nobody has the terminal any more
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", h, err)
		}
		text := strings.ReplaceAll(own.ReplaceAllString(shown.String(), ""), "\r\n", "\n")
		if r := steering(text); r != 0 {
			t.Errorf("%q: %U in\n%q", h, r, shown.String())
		}

		cmd = exec.Command(os.Args[0])
		cmd.Args, cmd.Dir = []string{"shouts", "run"}, t.TempDir()
		cmd.Env = append(os.Environ(), "WFC_STATE="+t.TempDir(), "FOUL="+h)
		if out, err := cmd.Output(); err != nil || strings.TrimRight(string(out), "\n") != strings.TrimRight(h, "\n") {
			t.Errorf("a pipe gets %q (%v), want %q", out, err, h)
		}
	}
}
