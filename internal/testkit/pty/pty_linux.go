package pty

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Pair makes a terminal that lives until the test ends: text written to keys is
// typed at it, and its screen is read from keys. The test is skipped where no
// terminals can be made.
func Pair(t testing.TB) (keys, tty *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals can be made here: %v", err)
	}
	t.Cleanup(func() { keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminals can be made here: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return keys, tty
}

// A Seat is a program at a separate terminal, as a person has it.
type Seat struct {
	// Cmd is the program.
	Cmd *exec.Cmd
	// Exited gets the result of waiting for the program's end.
	Exited chan error

	t     testing.TB
	keys  *os.File // text written to it is typed
	mu    sync.Mutex
	shown bytes.Buffer
	grown chan struct{} // holds a token when more is shown
}

// Sit starts a program whose standard input and standard error are a terminal, as
// its standard output is unless it has one. The test is skipped where no session
// with a terminal can be made.
func Sit(t testing.TB, cmd *exec.Cmd) *Seat {
	t.Helper()
	keys, tty := Pair(t)
	defer tty.Close()
	s := &Seat{Cmd: cmd, Exited: make(chan error, 1), t: t, keys: keys, grown: make(chan struct{}, 1)}
	cmd.Stdin, cmd.Stderr = tty, tty
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("no session with a terminal can be made here: %v", err)
	}
	gone := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone // before its folder is removed
	})
	go s.readOutput()
	go func() {
		s.Exited <- cmd.Wait()
		close(gone)
	}()
	return s
}

func (s *Seat) readOutput() {
	var piece [4096]byte
	for {
		n, err := s.keys.Read(piece[:])
		s.mu.Lock()
		s.shown.Write(piece[:n])
		s.mu.Unlock()
		select {
		case s.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return // no process has the terminal open any more
		}
	}
}

// patience is how long something may take to be shown, or a program to end.
const patience = 30 * time.Second

// Sees waits until the text shown since the last call matches a pattern, and
// returns it.
func (s *Seat) Sees(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	limit := time.After(patience)
	for {
		s.mu.Lock()
		text := strings.ReplaceAll(s.shown.String(), "\r\n", "\n")
		found := re.MatchString(text)
		if found {
			s.shown.Reset()
		}
		s.mu.Unlock()
		if found {
			return text
		}
		select {
		case <-s.grown:
		case <-limit:
			s.t.Fatalf("%q does not come; shown is:\n%s", pattern, text)
		}
	}
}

// Types types a text.
func (s *Seat) Types(text string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// Exits wants an exit code.
func (s *Seat) Exits(code int) {
	s.t.Helper()
	select {
	case <-s.Exited:
		if got := s.Cmd.ProcessState.ExitCode(); got != code {
			s.t.Errorf("exit code %d, want %d; shown is:\n%s", got, code, s.shownText())
		}
	case <-time.After(patience):
		s.t.Fatalf("it does not end; shown is:\n%s", s.shownText())
	}
}

func (s *Seat) shownText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}
