//go:build unix

package cli

import "syscall"

// become makes this process the given program, with its id and terminal. It
// returns only when that fails.
func become(program string, argv, environ []string) error {
	return syscall.Exec(program, argv, environ)
}
