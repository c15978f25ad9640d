package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processIdentity distinguishes a process from all others that ever had its number: it is the
// time of its start.
func processIdentity(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", err
	}
	at := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), nil
}
