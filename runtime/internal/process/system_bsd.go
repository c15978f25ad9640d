//go:build unix && !linux

package process

import "syscall"

// gone reports whether the process of an identity has ended.
func gone(pid int, id string) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	now, err := identity(pid)
	return err == nil && now != id
}

// alive reports whether a group has a member that runs. Members that have
// ended without their parent taking note cannot be signalled on these systems.
func alive(group int) bool { return syscall.Kill(-group, 0) == nil }
