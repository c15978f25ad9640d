package pgtest

import "syscall"

// processAttributes start a program as the given user, and end it when this process
// dies.
func processAttributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: user, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
}
