package human

import "golang.org/x/sys/unix"

// discardInput drops the typed text that was not read yet.
func discardInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
