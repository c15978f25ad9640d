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
