package human

import (
	"io"
	"os"
)

// Open returns no terminal: waiting for a line and for something else at once
// is not possible with a console. A run pauses, and is answered by commands.
func Open(io.Reader, io.Writer) (Terminal, bool) { return nil, false }

func isTerminal(*os.File) bool { return false }

func terminalName(*os.File) string { return "" }

// terminateProcess ends a program.
func terminateProcess(p *os.Process) error { return p.Kill() }

// keepTerminal does nothing: consoles keep their settings themselves.
func keepTerminal(*os.File) (restore func()) { return func() {} }

// ShowAlone shows a text at the console, wherever standard output and standard
// error go, so that it is in no file. The error is ErrNoScreen when this process
// has none.
func ShowAlone(text string) error {
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return ErrNoScreen
	}
	defer console.Close()
	_, err = console.WriteString(text)
	return err
}
