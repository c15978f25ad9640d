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
