//go:build unix && !linux

package human

import "golang.org/x/sys/unix"

// discardInput drops the typed text that was not read yet.
func discardInput(fd int) {
	const input = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, input)
}
