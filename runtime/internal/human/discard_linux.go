package human

import "golang.org/x/sys/unix"

// discard drops what was typed at a terminal and not read yet.
func discard(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
