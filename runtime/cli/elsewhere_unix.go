//go:build unix

package cli

import (
	"fmt"
	"os"
	"syscall"

	"github.com/wfc-lang/wfc/runtime/engine/local"
)

// resumeElsewhere goes on in the binary that the run began with: this process
// becomes that one, with the same command line.
func (a *app) resumeElsewhere(other *local.OtherBuildError) error {
	fmt.Fprintf(a.streams.Err, "%s: run %s goes on in the build that it began with\n", a.name, other.Run)
	err := syscall.Exec(other.Executable, append([]string{a.name}, os.Args[1:]...), os.Environ())
	return failed(fmt.Errorf("the build that run %s began with cannot be started: %w; resume it with --force to move it to this one", other.Run, err))
}
