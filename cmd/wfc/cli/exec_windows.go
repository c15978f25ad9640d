package cli

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// execProgram runs the program and ends this process with its exit code. A console interrupt
// reaches the program too, which decides how to react.
func execProgram(path string, argv []string) error {
	// Ignoring the signal would leave it to Windows, which ends the process.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := &exec.Cmd{Path: path, Args: argv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}
