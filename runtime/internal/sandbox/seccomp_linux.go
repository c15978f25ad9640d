//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refused are the system calls that fail with EPERM. They administer the system, look into
// other processes, make namespaces, or reach the kernel by ways that nothing else here checks.
var refused = append([]int{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_ACCT,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_LOOKUP_DCOOKIE,
}, refusedHere...)

// Offsets in what a filter sees of a call: struct seccomp_data.
const (
	callNumber = 0
	callArch   = 4
	callArgs   = 16 // 8 bytes each, the lower half first on the processors that there are
)

const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET

// restrictCalls adds that system calls are refused to a program.
func (l *list) restrictCalls() {
	f := filter()
	at := l.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&f[0])), len(f)*int(unsafe.Sizeof(f[0]))))
	l.call(about{call: "seccomp"}, unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, l.numbers(uint64(len(f)), at))
}

// filter is the program that decides about each call.
var filter = sync.OnceValue(func() []unix.SockFilter {
	var f []unix.SockFilter
	add := func(code uint16, k uint32, jt, jf uint8) {
		f = append(f, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
	}
	load := func(at uint32) { add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }
	give := func(action uint32) { add(unix.BPF_RET|unix.BPF_K, action, 0, 0) }
	fails := func(errno unix.Errno) { give(unix.SECCOMP_RET_ERRNO | uint32(errno)) }
	// when runs the next instruction if what was loaded compares so with k, and else skips it.
	when := func(compares uint16, k uint32) { add(unix.BPF_JMP|compares|unix.BPF_K, k, 0, 1) }
	unless := func(compares uint16, k uint32) { add(unix.BPF_JMP|compares|unix.BPF_K, k, 1, 0) }
	// on adds checks of the arguments of a call, after which it is permitted.
	on := func(number uint32, checks func()) {
		at := len(f)
		add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, 0)
		checks()
		give(unix.SECCOMP_RET_ALLOW)
		f[at].Jf = uint8(len(f) - at - 1)
	}

	load(callArch)
	unless(unix.BPF_JEQ, auditArch)
	fails(unix.ENOSYS) // programs for another processor, such as those of 32 bits
	load(callNumber)
	when(unix.BPF_JGE, 0x40000000) // the other set of calls of x86
	fails(unix.ENOSYS)
	// Its flags are in memory, where a filter does not see them. Without it, libraries use clone.
	when(unix.BPF_JEQ, unix.SYS_CLONE3)
	fails(unix.ENOSYS)
	on(unix.SYS_CLONE, func() {
		load(callArgs)
		when(unix.BPF_JSET, newNamespaces)
		fails(unix.EPERM)
	})
	on(unix.SYS_IOCTL, func() {
		load(callArgs + 8)
		for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX} {
			when(unix.BPF_JEQ, request)
			fails(unix.EPERM)
		}
	})
	on(unix.SYS_SOCKET, func() {
		load(callArgs)
		// Netlink is for the list of the network's devices: protocol 0.
		add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_NETLINK, 0, 4)
		load(callArgs + 16)
		unless(unix.BPF_JEQ, unix.NETLINK_ROUTE)
		fails(unix.EAFNOSUPPORT)
		give(unix.SECCOMP_RET_ALLOW)
		for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6} {
			when(unix.BPF_JEQ, family)
			give(unix.SECCOMP_RET_ALLOW)
		}
		fails(unix.EAFNOSUPPORT)
	})
	// Of sorted calls, the others. The kernel runs a filter for each of its calls when it is set.
	var refuse func(numbers []int)
	refuse = func(numbers []int) {
		if half, at := len(numbers)/2, len(f); len(numbers) > 3 {
			add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, uint32(numbers[half]), 0, 0)
			refuse(numbers[:half])
			f[at].Jt = uint8(len(f) - at - 1)
			refuse(numbers[half:])
			return
		}
		for i, number := range numbers {
			add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint32(number), uint8(len(numbers)-1-i), 0)
		}
		f[len(f)-1].Jf = 1
		fails(unix.EPERM)
		give(unix.SECCOMP_RET_ALLOW)
	}
	numbers := slices.Clone(refused)
	slices.Sort(numbers)
	refuse(numbers)
	return f
})
