package human

import (
	"io"
	"os"
	"os/user"
)

// User is the name of the person at the command line.
func User() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "someone"
}

// Place says from where a person answers whose input is in: the machine, and
// the terminal or "command line".
func Place(in io.Reader) string {
	where := "command line"
	if file, ok := in.(*os.File); ok && isTerminal(file) {
		where = terminalName(file)
	}
	host, err := os.Hostname()
	if err != nil {
		return where
	}
	return host + ", " + where
}
