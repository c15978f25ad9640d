//go:build unix

package cli

import "syscall"

// replaceProcess makes this process the given program, with its id and terminal. It
// returns only when that fails.
func replaceProcess(program string, argv, environ []string) error {
	return syscall.Exec(program, argv, environ)
}
