//go:build unix

package cli

import (
	"os"
	"syscall"
)

// execProgram makes the program out of this process, which keeps its id,
// terminal and signals. It returns only when that fails.
func execProgram(path string, argv []string) error {
	return syscall.Exec(path, argv, os.Environ())
}
