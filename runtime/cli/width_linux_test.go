package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
)

// narrow runs a program whose three streams are a terminal of 40 columns, and
// returns what is shown there.
func narrow(t *testing.T, dir string, environ []string, args ...string) string {
	t.Helper()
	keys, tty := pty.Pair(t)
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}); err != nil {
		t.Skipf("the terminal has no size: %v", err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = args, dir
	cmd.Env = append(append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"), "TERM=xterm", "NO_COLOR=1"), environ...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("no session with a terminal can be made here: %v", err)
	}
	tty.Close() // now the program has the only other end
	var shown strings.Builder
	var piece [4096]byte
	for {
		n, err := keys.Read(piece[:])
		shown.Write(piece[:n])
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

// Questions wrap at words where the terminal ends; elsewhere they stay as they are.
func TestQuestionsWrap(t *testing.T) {
	dir, long := t.TempDir(), []string{"SHIP_LONG=1"}
	const wrapped = "\n    │ Shall this be published to all\n    │ customers, after everybody has\n    │ read it?\n"
	if text := narrow(t, dir, long, "ship", "run", "--no-ask"); !strings.Contains(text, wrapped) {
		t.Errorf("after a pause: %q", text)
	}
	if text := narrow(t, dir, nil, "ship", "status"); !strings.Contains(text, wrapped) {
		t.Errorf("status: %q", text)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = []string{"ship", "status"}, dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "\n    │ Shall this be published to all customers, after everybody has read it?\n") {
		t.Errorf("into a pipe: %v %q", err, text)
	}
	s := sit(t, t.TempDir(), long, "ship", "run") // of a terminal without a size nothing is known
	s.Sees(`\n  │ Shall this be published to all customers, after everybody has read it\?\n(.|\n)*` + prompt)
	s.Types("r\n\n")
	s.Exits(4)
}

// Tables break between words where the terminal ends.
func TestTablesWrap(t *testing.T) {
	dir := t.TempDir()
	narrow(t, dir, nil, "ship", "run", "--no-ask")
	for _, args := range [][]string{{"list"}, {"info"}} {
		for line := range strings.Lines(narrow(t, dir, nil, append([]string{"ship"}, args...)...)) {
			if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 40 && !strings.Contains(line, dir) {
				t.Errorf("%s: %q", args, line)
			}
		}
	}
	if text := narrow(t, dir, nil, "ship", "list"); !strings.HasPrefix(text, "RUN  STATUS  STARTED  TOOK  NOTE\n") {
		t.Errorf("list: %q", text)
	}
}

// An empty result is seen on a terminal, and is no data elsewhere.
func TestEmptyResult(t *testing.T) {
	dir := t.TempDir()
	if text := narrow(t, dir, nil, "mute", "run"); !strings.Contains(text, "\n(empty)\n") {
		t.Errorf("on a terminal: %q", text)
	}
	if text := narrow(t, dir, nil, "mute", "run", "--json"); strings.Contains(text, "(empty)") {
		t.Errorf("as JSON: %q", text)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir = []string{"mute", "run"}, dir
	cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
	if text, err := cmd.Output(); err != nil || len(text) > 0 {
		t.Errorf("into a pipe: %v %q", err, text)
	}
}
