package pgtest

import "syscall"

// attributes start a program as the given user, and end it when this process
// dies.
func attributes(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: user, Pdeathsig: syscall.SIGQUIT, Setpgid: true}
}
