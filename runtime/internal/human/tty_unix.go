//go:build unix

package human

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// How a line is read.
//
// A read of a terminal cannot be cancelled: a goroutine that waits in one gets the next
// line even if the question is gone meanwhile, and would hand it to the next question, or
// keep it from the shell. So ReadLine reads only when a line is there. The terminal is in
// its usual mode, in which it delivers whole lines; ReadLine waits for one, or for a pipe
// that the end of its context writes to.
//
// A process in the background must touch neither the input nor the settings of
// its terminal: the system would stop it, and with it all that the run is doing. Such a
// process counts as unattended.

// tty is the terminal on standard input and standard error.
type tty struct {
	in   *os.File
	out  io.Writer
	half []byte // of a line that was not ended yet
}

// Open returns the terminal that a person sits at, if in and out both are it:
// questions in a log file help nobody, and nothing that is piped in answers. A
// process in the background has none.
func Open(in io.Reader, out io.Writer) (Terminal, bool) {
	file, ok := in.(*os.File)
	if !ok || !isTerminal(file) {
		return nil, false
	}
	if screen, ok := plain.File(out); !ok || !isTerminal(screen) {
		return nil, false
	}
	t := &tty{in: file, out: plain.NewWriter(out)}
	return t, t.isForeground()
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// isForeground reports whether the terminal's input belongs to this process. A
// terminal that is not the controlling one does not say, and does not care.
func (t *tty) isForeground() bool {
	group, err := unix.IoctlGetInt(int(t.in.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// controlling is what Controlling asks.
func (t *tty) controlling() bool {
	group, err := unix.IoctlGetInt(int(t.in.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Write implements Terminal.
func (t *tty) Write(p []byte) (int, error) { return t.out.Write(p) }

// Discard implements Terminal.
func (t *tty) Discard() {
	t.half = nil
	if t.isForeground() {
		discardInput(int(t.in.Fd()))
	}
}

// ReadLine implements Terminal.
func (t *tty) ReadLine(ctx context.Context) (string, error) {
	woken, wake, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer woken.Close()
	defer wake.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = wake.Write([]byte{0}) })
	defer stop()
	for {
		if err := waitFor(int(t.in.Fd()), int(woken.Fd())); err != nil {
			return "", err
		}
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case !t.isForeground():
			return "", io.EOF
		}
		var piece [4096]byte // as much as a terminal's line may have
		n, err := unix.Read(int(t.in.Fd()), piece[:])
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case !t.isForeground():
			// The terminal was given to another process in between: what came was
			// typed for that one, or by it.
			return "", io.EOF
		case err != nil, n == 0:
			return "", io.EOF // the end of input was typed, or the terminal is gone
		}
		t.half = append(t.half, piece[:n]...)
		if end := bytes.IndexAny(t.half, "\r\n"); end >= 0 {
			line := string(t.half[:end])
			t.half = bytes.TrimLeft(t.half[end:], "\r\n")
			return strings.ToValidUTF8(line, "\uFFFD"), nil
		}
	}
}

// waitFor returns when one of two files has something to read.
func waitFor(a, b int) error {
	const most = 1024 // the size of a set
	if a >= most || b >= most {
		return errors.New("too many files are open to wait for the terminal")
	}
	for {
		var set unix.FdSet
		set.Zero()
		set.Set(a)
		set.Set(b)
		_, err := unix.Select(max(a, b)+1, &set, nil, nil, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// terminalName is the name of a terminal, or "a terminal" if the system does not give it.
func terminalName(f *os.File) string {
	if name, err := os.Readlink("/proc/self/fd/0"); err == nil && f.Fd() == 0 && strings.HasPrefix(name, "/dev/") {
		return name
	}
	return "a terminal"
}

// terminateProcess asks a program to end: editors then leave the terminal as it was.
func terminateProcess(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// keepTerminal returns what puts a terminal's settings back.
func keepTerminal(f *os.File) (restore func()) {
	if !isTerminal(f) {
		return func() {}
	}
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }
}

// ShowAlone shows a text at the controlling terminal, wherever standard output and
// standard error go, so that it is in no file. The error is ErrNoScreen when this
// process has no such terminal, or not its foreground.
func ShowAlone(text string) error {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return ErrNoScreen
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return ErrNoScreen
	}
	_, err = tty.WriteString(text)
	return err
}
