//go:build !js

package wholefile

import "syscall"

// nonblocking makes the opening of a pipe return at once.
const nonblocking = syscall.O_NONBLOCK
