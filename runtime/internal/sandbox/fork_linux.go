//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A child is what the first process of a box needs until it executes its program. It cannot
// allocate memory, which it shares with its parent.
type child struct {
	files             []uintptr // their numbers are to be 0, 1 and so on; the last one is the program
	userMap, groupMap []byte
	header            unix.CapUserHeader
	capabilities      [2]unix.CapUserData
	fault             uintptr // why it did not execute the program
}

// capabilities are those that the first process of a box needs. Users who do not administer the
// system lose all others when a program is executed.
var capabilities = []uintptr{unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_ADMIN}

// startInNamespaces starts the first helper in new namespaces, and returns its number. Package os
// would copy the memory map of this process for that, and each page that it writes until the
// program is executed: that takes a millisecond. Here both share the memory, so the child
// itself says who its user is.
func startInNamespaces(namespaces uintptr, files ...*os.File) (pid int, err error) {
	program, err := executable()
	if err != nil {
		return 0, err
	}
	c := &child{header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, userMap: idMap(os.Getuid()), groupMap: idMap(os.Getgid())}
	for _, one := range capabilities {
		c.capabilities[one/32].Permitted |= 1 << (one % 32)
	}
	for i := range c.capabilities {
		own := &c.capabilities[i]
		own.Effective, own.Inheritable = own.Permitted, own.Permitted
	}
	// None of the numbers may be one of those that they become.
	for _, f := range append(files, program) {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, len(files)+1)
		if err != nil {
			return 0, os.NewSyscallError("fcntl", err)
		}
		defer unix.Close(fd)
		c.files = append(c.files, uintptr(fd))
	}
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	number, errno := forkChild(namespaces|unix.CLONE_VM|unix.CLONE_VFORK|uintptr(unix.SIGCHLD), c)
	afterFork()
	if errno != 0 {
		return 0, os.NewSyscallError("clone", syscall.Errno(errno))
	}
	if c.fault != 0 {
		_, _ = syscall.Wait4(int(number), nil, 0, nil)
		return 0, syscall.Errno(c.fault)
	}
	return int(number), nil
}

func idMap(id int) []byte {
	return []byte(strconv.Itoa(id) + " " + strconv.Itoa(id) + " 1\n")
}

// forkChild returns in the parent, when the child has executed its program or has ended.
//
// Nothing of the parent may change on this stack frame until then. So it returns at once, and
// the child never does.
//
//go:noinline
//go:norace
//go:nocheckptr
func forkChild(flags uintptr, c *child) (pid, errno uintptr) {
	beforeFork()
	pid, errno = cloneVfork(flags)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	afterForkInChild()
	c.execute()
	for {
		unix.RawSyscall(unix.SYS_EXIT, 253, 0, 0)
	}
}

// execute executes the program, or notes the fault.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) execute() {
	if !c.calls(unix.SYS_SETSID, 0, 0, 0) || !c.writes(&setgroupsFile[0], deny) || !c.writes(&usersFile[0], c.userMap) || !c.writes(&groupsFile[0], c.groupMap) ||
		!c.calls(unix.SYS_PRCTL, unix.PR_SET_KEEPCAPS, 1, 0) ||
		!c.calls(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&c.header)), uintptr(unsafe.Pointer(&c.capabilities[0])), 0) {
		return
	}
	for i := 0; i < len(capabilities); i++ {
		if !c.calls(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, capabilities[i]) {
			return
		}
	}
	program := len(c.files) - 1
	for i := 0; i < program; i++ {
		if !c.calls(unix.SYS_DUP3, c.files[i], uintptr(i), 0) {
			return
		}
	}
	if c.calls(unix.SYS_CHDIR, uintptr(unsafe.Pointer(&rootFolder[0])), 0, 0) {
		_, _, e := unix.RawSyscall6(unix.SYS_EXECVEAT, c.files[program], uintptr(unsafe.Pointer(&noName[0])), uintptr(unsafe.Pointer(&helperArgs[0])),
			uintptr(unsafe.Pointer(&helperArgs[1])), unix.AT_EMPTY_PATH, 0)
		c.fault = uintptr(e)
	}
}

// The paths end with a zero, as the system wants them. deny keeps a user who does not administer the
// system from leaving groups.
var (
	noName        = []byte("\x00")
	helperName    = []byte("wfc-sandbox\x00")
	helperArgs    = []*byte{&helperName[0], nil} // its environment is empty
	rootFolder    = []byte("/\x00")
	usersFile     = []byte("/proc/self/uid_map\x00")
	groupsFile    = []byte("/proc/self/gid_map\x00")
	setgroupsFile = []byte("/proc/self/setgroups\x00")
	deny          = []byte("deny")
)

// calls calls the system, and reports whether there was no fault.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) calls(number, a, b, d uintptr) bool {
	_, _, e := unix.RawSyscall6(number, a, b, d, 0, 0, 0)
	c.fault = uintptr(e)
	return e == 0
}

// writes writes a file of /proc, and reports whether there was no fault.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) writes(path *byte, text []byte) bool {
	const here = ^uintptr(99) // AT_FDCWD
	fd, _, e := unix.RawSyscall6(unix.SYS_OPENAT, here, uintptr(unsafe.Pointer(path)), unix.O_WRONLY|unix.O_CLOEXEC, 0, 0, 0)
	c.fault = uintptr(e)
	return e == 0 && c.calls(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(&text[0])), uintptr(len(text)))
}

// cloneVfork calls clone with the memory of this process.
func cloneVfork(flags uintptr) (pid, errno uintptr)

// Package runtime keeps these names for programs like this one.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()
