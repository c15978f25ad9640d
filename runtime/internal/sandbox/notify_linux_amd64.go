package sandbox

import "golang.org/x/sys/unix"

// operationsHere are those of calls that only this processor has.
var operationsHere = []operation{
	{unix.SYS_OPEN, opens, -1, 0}, {unix.SYS_CREAT, creates, -1, 0}, {unix.SYS_CHMOD, writes, -1, 0},
	{unix.SYS_CHOWN, writes, -1, 0}, {unix.SYS_LCHOWN, writes, -1, 0}, {unix.SYS_UTIME, writes, -1, 0},
	{unix.SYS_UTIMES, writes, -1, 0}, {unix.SYS_FUTIMESAT, writes, 0, 1}, {unix.SYS_MKDIR, makesFolder, -1, 0},
	{unix.SYS_MKNOD, makes, -1, 0}, {unix.SYS_SYMLINK, makes, -1, 1}, {unix.SYS_LINK, reads, -1, 0},
	{unix.SYS_LINK, makes, -1, 1}, {unix.SYS_UNLINK, removes, -1, 0}, {unix.SYS_RMDIR, removes, -1, 0},
	{unix.SYS_RENAME, removes, -1, 0}, {unix.SYS_RENAME, replaces, -1, 1},
}
