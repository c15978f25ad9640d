//go:build unix && !linux

package process

import "syscall"

// alive reports whether a group has a member that runs. Members that have
// ended without their parent taking note cannot be signalled on these systems.
func alive(group int) bool { return syscall.Kill(-group, 0) == nil }
