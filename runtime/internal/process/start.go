package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A StartError says why a program could not be started.
type StartError struct {
	// Program is the name that was asked for.
	Program string
	// Dir is the working directory that was asked for.
	Dir string
	Err error
}

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }

func (e *StartError) Error() string {
	err := e.Err
	switch {
	case e.Dir != "" && !isFolder(e.Dir):
		return fmt.Sprintf("cannot start `%s`: the working directory %s is not there", e.Program, e.Dir)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("cannot start `%s`: there is no such program, or the interpreter that its first line names is missing", e.Program)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("cannot start `%s`: it may not be executed; check its mode (chmod +x) and that of its folders", e.Program)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("cannot start `%s`: the system cannot execute this kind of file; a script needs a first line such as `#!/usr/bin/env bash`", e.Program)
	case errors.Is(err, syscall.E2BIG):
		return fmt.Sprintf("cannot start `%s`: its arguments and environment together are larger than the system allows; hand large values over in files", e.Program)
	case isBusy(err):
		return fmt.Sprintf("cannot start `%s`: another process is still writing to the file", e.Program)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Sprintf("cannot start `%s`: the system has no room for another process now: %v", e.Program, bare(err))
	}
	return fmt.Sprintf("cannot start `%s`: %v", e.Program, bare(err))
}

// Class says whether trying again can help.
func (e *StartError) Class() flow.Class {
	switch {
	case isBusy(e.Err), errors.Is(e.Err, syscall.EAGAIN), errors.Is(e.Err, syscall.ENOMEM), errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		return flow.ClassTransient
	}
	return flow.ClassFatal
}

// bare drops the operation and path that Go's errors begin with: the message
// names the program itself.
func bare(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// A file that was written a moment ago counts as being written to for as long
// as any process that was started meanwhile has not come to its own program.
const (
	busyTries = 6
	busyWait  = 2 * time.Millisecond // doubled each time
)

// startCommand starts a command, and tries again when its file is busy.
func startCommand(cmd *exec.Cmd) (birth, error) {
	wait := busyWait
	for try := 1; ; try++ {
		born := beforeStart()
		err := children.start(cmd)
		born.started()
		if err == nil || try == busyTries || !isBusy(err) {
			return born, err
		}
		time.Sleep(wait)
		wait *= 2
		// A command cannot be started twice, even when it did not start.
		*cmd = exec.Cmd{Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env,
			Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: cmd.SysProcAttr}
	}
}
