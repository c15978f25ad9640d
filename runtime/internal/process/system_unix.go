//go:build unix

package process

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// The files that are touched with every process are small and on a disk or in
// /proc. An os.File for them would be offered to the poller, which refuses
// regular files, and be finalised: more work than the file itself.

// openSmall opens such a file.
func openSmall(path string, flags int, mode uint32) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, flags|syscall.O_CLOEXEC, mode)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// retryInterrupted repeats a call that a signal broke off.
func retryInterrupted(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

// appendFile appends a line to a file, which it makes when it is not there.
func appendFile(path string, line []byte) error {
	fd, err := openSmall(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	n, err := retryInterrupted(func() (int, error) { return syscall.Write(fd, line) })
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// ownSession makes a command start in a new session, whose only process group it leads.
// It has no controlling terminal: it cannot open /dev/tty, and the system does not let it
// push input into the terminal of another session.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// interruptProcess asks a process to end as Ctrl+C at a terminal does, and reports whether it could.
func interruptProcess(pid int) bool { return syscall.Kill(pid, syscall.SIGINT) == nil }

// terminateGroup asks every process of a group to end. Only a group without
// members, or one whose members have another owner, makes the call fail, and
// then there is nothing to do.
func terminateGroup(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }

// killGroup ends every process of a group.
func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// suspendProcess stops the process, and nothing can prevent that.
func (s *survivor) suspendProcess() { s.sendSignal(syscall.SIGSTOP) }

func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		if name := unix.SignalName(ws.Signal()); name != "" {
			return name
		}
		return ws.Signal().String()
	}
	return ""
}
