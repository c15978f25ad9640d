//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession has a command start in a session of its own, whose only process
// group it leads. It has no controlling terminal: it cannot open /dev/tty, and
// the system does not let it push input into the terminal of another session.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// terminate asks every process of a group to end. Only a group without
// members, or one whose members have another owner, makes the call fail, and
// then there is nothing to do.
func terminate(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }

// kill ends every process of a group.
func kill(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		if name := unix.SignalName(ws.Signal()); name != "" {
			return name
		}
		return ws.Signal().String()
	}
	return ""
}
