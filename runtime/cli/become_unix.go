//go:build unix

package cli

import (
	"syscall"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// replaceProcess makes this process the given program, with its id and terminal. It
// returns only when that fails.
func replaceProcess(program string, argv, environ []string) error {
	process.LeaveForProgram()
	return syscall.Exec(program, argv, environ)
}
