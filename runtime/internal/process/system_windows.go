package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// appendFile appends a line to a file, which it makes when it is not there.
func appendFile(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// hasProcessEnded reports whether the process of an identity has ended.
func hasProcessEnded(pid int, id string) bool {
	now, err := processIdentity(pid)
	return err == nil && now != id
}

// Windows has no groups in the sense of run.go. A command is started as the
// root of a console group, which can be asked to end; killing goes down the
// tree of child processes.

// ownSession has a command start as the root of a console group.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// interruptProcess reports false: what comes nearest to SIGINT goes to the whole group, as terminate does.
func interruptProcess(int) bool { return false }

func terminateGroup(group int) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(group))
}

func killGroup(group int) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(group)).Run() == nil {
		return
	}
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// isGroupAlive reports whether the leader runs.
func isGroupAlive(group int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(group))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

// job has all commands that this process has started, and what those have started. The system
// ends them when the last handle is closed, which is at the end of this process.
var job = sync.OnceValue(func() windows.Handle {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(h, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(h)
		return 0
	}
	return h
})

// guardCommand has the system end a command that has just started, if this process ends.
func guardCommand(pid int, _ uint64, _ bool) (tag uint64) {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return 0 // it has ended
	}
	defer windows.CloseHandle(h)
	_ = windows.AssignProcessToJobObject(job(), h) // without it, the next process of the run ends it
	return 0
}

func unguardCommand(int, uint64, bool) {}

func startWatcher() {}

// Leave does nothing on this system.
func Leave() {}

// suspendProcess does nothing on this system.
func (s *survivor) suspendProcess() {}

func signalName(*os.ProcessState) string { return "" }

// processIdentity distinguishes a process from all others that ever had its number: it is the
// time of its start.
func processIdentity(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer windows.CloseHandle(h)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}
