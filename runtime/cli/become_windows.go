package cli

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs the given program as a child, whose exit code becomes this
// process's.
func replaceProcess(program string, argv, environ []string) error {
	cmd := exec.Command(program)
	cmd.Args, cmd.Env = argv, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &exitError{code: exit.ExitCode()}
	}
	return err
}
