package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// elfMachine is its number in executable files.
const elfMachine = 183

// refusedHere are calls that only this processor has.
var refusedHere = []int{unix.SYS_NFSSERVCTL, unix.SYS_KEXEC_FILE_LOAD}
