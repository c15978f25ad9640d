//go:build unix && !linux

package process

import "syscall"

// hasProcessEnded reports whether the process of an identity has ended.
func hasProcessEnded(pid int, id string) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	now, err := processIdentity(pid)
	return err == nil && now != id
}

// isGroupAlive reports whether a group has a member that runs. Members that have
// ended without their parent taking note cannot be signalled on these systems.
func isGroupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }
