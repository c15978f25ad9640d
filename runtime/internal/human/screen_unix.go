//go:build unix

package human

import (
	"os"

	"golang.org/x/sys/unix"
)

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
