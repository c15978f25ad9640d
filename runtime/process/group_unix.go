//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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
