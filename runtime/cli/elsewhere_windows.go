package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/wfc-lang/wfc/runtime/engine/local"
)

// resumeElsewhere goes on in the binary that the run began with, as a child
// with the same command line, whose exit code becomes this process's.
func (a *app) resumeElsewhere(other *local.OtherBuildError) error {
	fmt.Fprintf(a.streams.Err, "%s: run %s goes on in the build that it began with\n", a.name, other.Run)
	cmd := exec.Command(other.Executable, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &exitError{code: exit.ExitCode()}
	}
	return failed(err)
}
