package process

import "golang.org/x/sys/unix"

// KeepPrivate keeps the memory, the first environment and the open files of this
// process from other processes of the same user, unless those may administer the
// system. Programs that it starts are as always.
func KeepPrivate() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
