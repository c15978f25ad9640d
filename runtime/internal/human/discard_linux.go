package human

import "golang.org/x/sys/unix"

// discard drops the typed text that was not read yet.
func discard(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
