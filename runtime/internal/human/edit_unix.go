//go:build unix

package human

import (
	"os"
	"syscall"

	"golang.org/x/term"
)

// terminate asks a program to end: editors then leave the terminal as it was.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

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
