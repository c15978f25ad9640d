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
	files                                []uintptr // their numbers are to be 0, 1 and so on
	userMap, groupMap                    []byte
	path, root, setgroups, users, groups *byte
	args, environ                        []*byte
	header                               unix.CapUserHeader
	capabilities                         [2]unix.CapUserData
	fault                                uintptr // why it did not execute the program
}

// capabilities are those that the first process of a box needs. Users who do not administer the
// system lose all others when a program is executed.
var capabilities = []uintptr{unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_SYS_ADMIN}

// startInNamespaces executes this program once more, as the first process in new namespaces, and
// returns its number. Package os would copy the memory map of this process for that, and
// each page that it writes until the program is executed: that takes a millisecond. Here
// both share the memory, so the child itself says who its user is.
func startInNamespaces(namespaces uintptr, files []*os.File, args, environ []string) (pid int, err error) {
	c := &child{header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, userMap: idMap(os.Getuid()), groupMap: idMap(os.Getgid())}
	for _, text := range []struct {
		to   **byte
		text string
	}{{&c.path, "/proc/self/exe"}, {&c.root, "/"}, {&c.setgroups, "/proc/self/setgroups"}, {&c.users, "/proc/self/uid_map"}, {&c.groups, "/proc/self/gid_map"}} {
		if *text.to, err = syscall.BytePtrFromString(text.text); err != nil {
			return 0, err
		}
	}
	if c.args, err = syscall.SlicePtrFromStrings(args); err != nil {
		return 0, err
	}
	if c.environ, err = syscall.SlicePtrFromStrings(environ); err != nil {
		return 0, err
	}
	for _, one := range capabilities {
		c.capabilities[one/32].Permitted |= 1 << (one % 32)
	}
	for i := range c.capabilities {
		own := &c.capabilities[i]
		own.Effective, own.Inheritable = own.Permitted, own.Permitted
	}
	// None of the numbers may be one of those that they become.
	for _, f := range files {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, len(files))
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
	if !c.calls(unix.SYS_SETSID, 0, 0, 0) || !c.writes(c.setgroups, deny[:]) || !c.writes(c.users, c.userMap) || !c.writes(c.groups, c.groupMap) ||
		!c.calls(unix.SYS_PRCTL, unix.PR_SET_KEEPCAPS, 1, 0) ||
		!c.calls(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&c.header)), uintptr(unsafe.Pointer(&c.capabilities[0])), 0) {
		return
	}
	for i := 0; i < len(capabilities); i++ {
		if !c.calls(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, capabilities[i]) {
			return
		}
	}
	for i := 0; i < len(c.files); i++ {
		if !c.calls(unix.SYS_DUP3, c.files[i], uintptr(i), 0) {
			return
		}
	}
	if c.calls(unix.SYS_CHDIR, uintptr(unsafe.Pointer(c.root)), 0, 0) {
		c.calls(unix.SYS_EXECVE, uintptr(unsafe.Pointer(c.path)), uintptr(unsafe.Pointer(&c.args[0])), uintptr(unsafe.Pointer(&c.environ[0])))
	}
}

// deny is what keeps a user who does not administer the system from leaving groups.
var deny = [...]byte{'d', 'e', 'n', 'y'}

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
