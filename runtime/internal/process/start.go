package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	// folder is a folder of PATH that may not be searched, if the program is in no other one.
	folder string
	// interpreter is what the first line of the program's file names, or "". The system
	// reports a missing one as a missing program.
	interpreter string
}

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }

func (e *StartError) Error() string {
	err := e.Err
	switch {
	case e.Dir != "" && !isFolder(e.Dir):
		return fmt.Sprintf("cannot start `%s`: the working directory %s does not exist", e.Program, e.Dir)
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(e.interpreter, "\r"):
		return fmt.Sprintf("cannot start `%s`: its first line ends with a carriage return (a Windows line end), which the system treats as a part of the interpreter's name; save the file with the line ends of Unix (LF)", e.Program)
	case errors.Is(err, fs.ErrNotExist) && e.interpreter != "":
		return fmt.Sprintf("cannot start `%s`: the interpreter that its first line names is missing: %s", e.Program, e.interpreter)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("cannot start `%s`: the program does not exist", e.Program)
	case e.folder != "":
		return fmt.Sprintf("cannot start `%s`: it is in no folder of PATH that can be searched, and %s cannot (permission denied); allow that (chmod +x), or remove the folder from PATH", e.Program, e.folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("cannot start `%s`: it is not executable; check its mode (chmod +x) and that of its folders", e.Program)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("cannot start `%s`: the system cannot execute this kind of file; a script needs a first line such as `#!/usr/bin/env bash`", e.Program)
	case errors.Is(err, syscall.E2BIG):
		return fmt.Sprintf("cannot start `%s`: its arguments and environment together are larger than the system allows; hand large values over in files", e.Program)
	case isBusy(err):
		return fmt.Sprintf("cannot start `%s`: another process is still writing to the file", e.Program)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Sprintf("cannot start `%s`: the system has no room for another process now: %v", e.Program, trimOpAndPath(err))
	}
	return fmt.Sprintf("cannot start `%s`: %v", e.Program, trimOpAndPath(err))
}

// interpreterOf returns the interpreter that the first line of a script names, with its
// arguments and a carriage return at its end; "" if the file is not a script.
func interpreterOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(f, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	name, _ := strings.CutPrefix(line, "#!")
	if name == line {
		return ""
	}
	return strings.TrimLeft(name, " \t")
}

// Class says whether trying again can help.
func (e *StartError) Class() flow.Class {
	switch {
	case isBusy(e.Err), errors.Is(e.Err, syscall.EAGAIN), errors.Is(e.Err, syscall.ENOMEM), errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		return flow.ClassTransient
	}
	return flow.ClassFatal
}

// trimOpAndPath drops the operation and path that Go's errors begin with: the message
// names the program itself.
func trimOpAndPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
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

// startCommand starts a command, in a container if there is one, and tries again when its file
// is busy.
func startCommand(ctx context.Context, cmd *exec.Cmd, tag uint64) (child Contained, born birth, err error) {
	in, _ := ctx.Value(containerKey{}).(Container)
	wait := busyWait
	for try := 1; ; try++ {
		born = beforeStart()
		if in != nil {
			child, err = in.Start(cmd, tag, ctx.Value(readOnlyKey{}) != nil)
		} else {
			child, err = ordinary{cmd}, children.startRegistered(cmd, tag)
		}
		born.markStarted()
		if err == nil || try == busyTries || !isBusy(err) {
			return child, born, err
		}
		time.Sleep(wait)
		wait *= 2
		// A command cannot be started twice, even when it did not start.
		*cmd = exec.Cmd{Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env,
			Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: cmd.ExtraFiles, SysProcAttr: cmd.SysProcAttr}
	}
}

// Variable returns the value of a variable in an environment, of two settings
// the later one.
func Variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		n, value, _ := strings.Cut(environ[i], "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

// LookPath finds a program: a name without a separator in the folders of the
// environment's PATH, any other name as a path from dir. Folders of PATH that
// are not absolute are passed over: a checkout must not be able to put its own
// program in front. The error is a *StartError.
func LookPath(name, dir string, environ []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if found, err := findExecutable(path, environ); err == nil {
			return found, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", &StartError{Program: name, Err: err}
		}
		return "", &StartError{Program: name, Err: exec.ErrNotFound}
	}
	missing := &StartError{Program: name, Err: exec.ErrNotFound}
	for _, folder := range filepath.SplitList(searchPath(environ)) {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := findExecutable(filepath.Join(folder, name), environ)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, fs.ErrPermission) {
			continue
		}
		unsearched := ""
		if err != fs.ErrPermission {
			unsearched = folder // the system did not say whether the file exists
		}
		if missing.Err == exec.ErrNotFound || missing.folder != "" && unsearched == "" {
			missing.Err, missing.folder = err, unsearched
		}
	}
	return "", missing
}

// searchPath is the environment's PATH. An environment without one is that of a program
// started by a service or cron; shells use a default path there.
func searchPath(environ []string) string {
	if path := Variable(environ, "PATH"); path != "" || runtime.GOOS == "windows" {
		return path
	}
	return "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
}

// findExecutable returns the file to execute for a path, with an ending of PATHEXT
// added on Windows.
func findExecutable(path string, environ []string) (string, error) {
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return "", err
		case info.IsDir(), info.Mode()&0o111 == 0:
			return "", fs.ErrPermission
		}
		return path, nil
	}
	endings := cmp.Or(Variable(environ, "PATHEXT"), ".COM;.EXE;.BAT;.CMD")
	if filepath.Ext(path) != "" {
		endings = ";" + endings
	}
	for _, ending := range strings.Split(endings, ";") {
		if info, err := os.Stat(path + ending); err == nil && !info.IsDir() {
			return path + ending, nil
		}
	}
	return "", fs.ErrNotExist
}
