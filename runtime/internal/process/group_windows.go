package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// Windows has no groups in the sense of run.go. A command is started as the
// root of a console group, which can be asked to end; killing goes down the
// tree of child processes.

// ownSession has a command start as the root of a console group.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func terminate(group int) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(group))
}

func kill(group int) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(group)).Run() == nil {
		return
	}
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// alive reports whether the leader runs.
func alive(group int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(group))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

func signalName(*os.ProcessState) string { return "" }
