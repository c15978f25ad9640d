//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func address() uintptr { return uintptr(unsafe.Pointer(&secretInMemory)) }

// reads wants the secret in a file.
func reads(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), secret) {
		err = errors.New("it is empty")
	}
	return err
}

// opens wants to open a file.
func opens(path string, how int) error {
	fd, err := unix.Open(path, how|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// writes wants to write a file, which has its content again afterwards.
func writes(path string) error {
	if err := os.WriteFile(path, []byte("evil"), 0o600); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(secret), 0o600)
}

// calls wants a system call to be tried: any error but that of a refusal says that it was.
func calls(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS || errno == unix.EAFNOSUPPORT {
		return errno
	}
	return nil
}

// hears wants a server to say the secret.
func hears(kind, at string) error {
	c, err := net.DialTimeout(kind, at, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(300 * time.Millisecond))
	_, _ = io.WriteString(c, "hello") // some say it at once, and hang up
	var b [100]byte
	n, err := c.Read(b[:])
	if n > 0 && string(b[:n]) == secret {
		return nil
	}
	return fmt.Errorf("it says %q, %w", b[:n], err)
}

// sees wants the secret in the memory of a process.
func sees(memory []byte) error {
	if !strings.HasPrefix(string(memory), secret) {
		return errors.New("it is not there")
	}
	return nil
}

func proc(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

func readMemory(pid int, at uintptr) error {
	f, err := os.Open(proc(pid, "mem"))
	if err != nil {
		return err
	}
	defer f.Close()
	var b [32]byte
	if _, err := f.ReadAt(b[:], int64(at)); err != nil {
		return err
	}
	return sees(b[:])
}

func readByCall(pid int, at uintptr) error {
	var b [32]byte
	local := []unix.Iovec{{Base: &b[0], Len: 32}}
	if _, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: at, Len: 32}}, 0); err != nil {
		return err
	}
	return sees(b[:])
}

func trace(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return err
	}
	return nil // it ends with this process
}

func takeFile(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	_, err = unix.PidfdGetfd(fd, 1, 0)
	return err
}

// starts wants a program to start with some flags of clone.
func starts(flags uintptr) error {
	return (&exec.Cmd{Path: "/bin/true", Args: []string{"true"}, SysProcAttr: &syscall.SysProcAttr{Cloneflags: flags}}).Run()
}

// signals wants to send a signal to a process that does not end of it.
func signals(pid int) error { return unix.Kill(pid, unix.SIGCONT) }

// replaces wants to replace a guarded file by moving the folder above it.
func replaces(w *world) error {
	git := w.Work + "/.git"
	if err := os.Rename(git, git+".old"); err != nil {
		return err
	}
	return os.Rename(git+".old", git)
}

// bomb wants to start more processes than it may.
func bomb(*world) error {
	var list []*exec.Cmd
	defer func() {
		for _, c := range list {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}()
	for range int(limits.Processes) + 50 {
		c := exec.Command("/bin/sleep", "20")
		if err := c.Start(); err != nil {
			return err
		}
		list = append(list, c)
	}
	return nil
}

func setMode(path string, mode uint32) error {
	err := unix.Chmod(path, mode)
	return err
}

// probes are all attacks on the sandbox. Those on wfc itself are in package confine/probes.
func probes() []probe {
	zero := uintptr(0)
	ownNull := func(name string) func(*world) error {
		return func(*world) error {
			var info unix.Stat_t
			if err := unix.Stat(name, &info); err != nil {
				return err
			}
			return setMode(name, info.Mode&0o7777)
		}
	}
	return []probe{
		// Files. Those of the lab are in /tmp, which Landlock lets programs write.
		{name: "read a key in the home folder", by: "mounts", attack: func(w *world) error { return reads(w.Home + "/.ssh/id_ed25519") }},
		{name: "read a file outside", by: "mounts", attack: func(w *world) error { return reads(w.Outside + "/file") }},
		{name: "list the folder above", by: "mounts", attack: func(w *world) error { _, err := os.ReadDir(filepath.Dir(w.Home) + "/outside"); return err }},
		{name: "write a file outside", by: "mounts", attack: func(w *world) error { return writes(w.Outside + "/file") }},
		{name: "read through a link of the work tree", by: "mounts", attack: func(w *world) error { return reads(w.Work + "/link") }},
		{name: "read through a linked folder of the work tree", by: "mounts", attack: func(w *world) error { return reads(w.Work + "/folder/file") }},
		{name: "read through a link in the place of a granted folder", by: "mounts", attack: func(w *world) error { return reads(w.Work + "/granted/file") }},
		{name: "hard link to a file outside", by: "mounts", attack: func(w *world) error {
			defer os.Remove(w.Work + "/hard")
			return os.Link(w.Outside+"/file", w.Work+"/hard")
		}},
		{name: "hard link to a guarded file", by: "mounts", attack: func(w *world) error {
			defer os.Remove(w.Work + "/hard")
			return os.Link(w.Work+"/.git/config", w.Work+"/hard")
		}},
		{name: "read through /proc/self/root", by: "mounts", attack: func(w *world) error { return reads("/proc/self/root" + w.Outside + "/file") }},
		{name: "read through .. of the root", by: "mounts", attack: func(w *world) error { return reads("/../../../../.." + w.Outside + "/file") }},
		{name: "write a folder that may be read", by: "mounts", attack: func(w *world) error { return writes(w.Read + "/file") }},
		{name: "change the mode of a file that may be read", by: "mounts", attack: func(w *world) error { return setMode(w.Read+"/file", 0o600) }},
		{name: "change the time of a file that may be read", by: "mounts", attack: func(w *world) error { return os.Chtimes(w.Read+"/file", time.Now(), time.Now()) }},
		{name: "give a file that may be read an attribute", by: "mounts", attack: func(w *world) error { return unix.Setxattr(w.Read+"/file", "user.evil", []byte("x"), 0) }},
		{name: "write a system folder", by: "mounts+landlock", root: true, attack: func(*world) error {
			defer os.Remove("/usr/.wfc-probe")
			return os.WriteFile("/usr/.wfc-probe", nil, 0o600)
		}},
		{name: "make a job of cron", by: "mounts+landlock", root: true, attack: func(*world) error {
			defer os.Remove("/etc/.wfc-probe")
			return os.WriteFile("/etc/.wfc-probe", nil, 0o600)
		}},
		{name: "poison a cache of packages", by: "mounts", attack: func(w *world) error {
			if err := writes(w.Cache + "/package"); err != nil {
				return err
			}
			info, err := os.Stat(w.Cache + "/package")
			var fs unix.Statfs_t
			if err == nil {
				err = unix.Statfs(w.Cache, &fs)
			}
			if err == nil && (fs.Type == unix.OVERLAYFS_SUPER_MAGIC || fs.Type == unix.TMPFS_MAGIC) {
				err = fmt.Errorf("%s is a copy", info.Name())
			}
			return err
		}},
		{name: "read what other programs have in /tmp", by: "mounts", attack: func(w *world) error { return reads(w.Outside + "/file") }},
		{name: "read a file that only administrators may read", by: "mounts", root: true, attack: func(*world) error {
			text, err := os.ReadFile("/etc/shadow")
			if err == nil && len(text) == 0 {
				err = errors.New("it is empty")
			}
			return err
		}},
		{name: "write a guarded file", by: "mounts", attack: func(w *world) error { return writes(w.Work + "/.git/config") }},
		{name: "make a file in a guarded folder", by: "mounts", attack: func(w *world) error {
			defer os.Remove(w.Work + "/.git/hooks/post-commit")
			return os.WriteFile(w.Work+"/.git/hooks/post-commit", nil, 0o700)
		}},
		{name: "remove a guarded file", by: "mounts", attack: func(w *world) error {
			if err := os.Remove(w.Work + "/.git/config"); err != nil {
				return err
			}
			return os.WriteFile(w.Work+"/.git/config", []byte(secret), 0o600)
		}},
		{name: "replace a guarded file", by: "mounts", attack: func(w *world) error {
			if err := os.WriteFile(w.Work+"/new", []byte(secret), 0o600); err != nil {
				return err
			}
			return os.Rename(w.Work+"/new", w.Work+"/.git/config")
		}},
		{name: "move the folder of a guarded file", by: "mounts", attack: replaces},

		// Devices and the kernel's own files.
		{name: "make a device", by: "all", root: true, attack: func(w *world) error {
			defer os.Remove(w.Work + "/device")
			return unix.Mknod(w.Work+"/device", unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0)))
		}},
		{name: "read the kernel's messages", by: "mounts", root: true, attack: func(*world) error { return opens("/dev/kmsg", unix.O_WRONLY|unix.O_PATH) }},
		{name: "open a device in the work tree", by: "mounts", root: true, attack: func(w *world) error { return opens(w.Work+"/null", unix.O_RDONLY) }},
		{name: "change the mode of a device", by: "mounts", root: true, attack: ownNull("/dev/null")},
		{name: "change the mode of a hidden file", by: "mounts", root: true, attack: ownNull("/etc/shadow")},
		{name: "write a setting of the kernel", by: "mounts+landlock", root: true, attack: func(*world) error { return opens("/proc/sys/kernel/core_pattern", unix.O_WRONLY) }},
		{name: "trigger SysRq", by: "mounts+landlock", root: true, attack: func(*world) error {
			if _, err := os.Stat("/proc/sysrq-trigger"); err != nil {
				return opens("/proc/sys/vm/drop_caches", unix.O_WRONLY) // a kernel without it
			}
			return opens("/proc/sysrq-trigger", unix.O_WRONLY)
		}},
		{name: "write in /sys", by: "mounts+landlock", root: true, attack: func(*world) error { return opens("/sys/kernel/mm/transparent_hugepage/enabled", unix.O_WRONLY) }},
		{name: "see the machine's control groups", by: "mounts", attack: func(*world) error { _, err := os.ReadDir("/sys/fs/cgroup"); return err }},
		{name: "load a module", by: "all", root: true, attack: func(*world) error {
			// It has no file, so nothing is loaded.
			if _, _, errno := unix.Syscall(unix.SYS_FINIT_MODULE, ^zero, 0, 0); errno == unix.EPERM {
				return errno
			}
			return nil
		}},

		// Processes outside.
		{name: "see a process outside", by: "all", attack: func(w *world) error { _, err := os.Stat(proc(w.Victim, "status")); return err }},
		{name: "signal a process outside", by: "all", attack: func(w *world) error { return signals(w.Victim) }},
		{name: "read the environment of a process outside", by: "all", attack: func(w *world) error { return reads(proc(w.Victim, "environ")) }},
		{name: "read the memory of a process outside", by: "all", attack: func(w *world) error { return readByCall(w.Victim, w.Address) }},
		{name: "read through the root of a process outside", by: "all", attack: func(w *world) error { return reads(proc(w.Victim, "root") + w.Outside + "/file") }},
		{name: "read through the folder of a process outside", by: "all", attack: func(w *world) error { return reads(proc(w.Victim, "cwd/file")) }},
		{name: "take a file of a process outside", by: "all", attack: func(w *world) error { return takeFile(w.Victim) }},
		{name: "trace a process outside", by: "all", attack: func(w *world) error { return trace(w.Victim) }},
		{name: "read the first process", by: "all", attack: func(w *world) error {
			pid := 1
			if os.Getuid() != 0 || w.Neighbour == w.Victim {
				pid = w.Neighbour
			}
			_, err := os.ReadFile(proc(pid, "environ"))
			return err
		}},

		// Processes of another step in the box.
		{name: "signal another step", by: "landlock", attack: func(w *world) error { return signals(w.Neighbour) }},
		{name: "trace another step", by: "landlock+seccomp", attack: func(w *world) error { return trace(w.Neighbour) }},
		{name: "read the memory of another step", by: "landlock", attack: func(w *world) error { return readMemory(w.Neighbour, w.Address) }},
		{name: "read the memory of another step by a call", by: "landlock+seccomp", attack: func(w *world) error { return readByCall(w.Neighbour, w.Address) }},
		{name: "take a file of another step", by: "landlock+seccomp", attack: func(w *world) error { return takeFile(w.Neighbour) }},
		{name: "read the environment of another step", by: "landlock", attack: func(w *world) error { return reads(proc(w.Neighbour, "environ")) }},
		{name: "read through the root of another step", by: "landlock", attack: func(w *world) error { _, err := os.Stat(proc(w.Neighbour, "root/.")); return err }},
		{name: "read the arguments of another step", by: "landlock", attack: func(w *world) error { _, err := os.ReadFile(proc(w.Neighbour, "cmdline")); return err }},

		// Ways into the kernel.
		{name: "use a keyring", by: "seccomp", attack: func(*world) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err }},
		{name: "io_uring", by: "seccomp", attack: func(*world) error { return calls(unix.SYS_IO_URING_SETUP, 1, 0) }},
		{name: "bpf", by: "all", root: true, attack: func(*world) error { return calls(unix.SYS_BPF, 0, 0, 0) }},
		{name: "userfaultfd", by: "seccomp", attack: func(*world) error { return calls(unix.SYS_USERFAULTFD, 1) }},
		{name: "perf_event_open", by: "all", root: true, attack: func(*world) error {
			attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}
			_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
			return err
		}},
		{name: "open a file by its handle", by: "all", root: true, attack: func(w *world) error {
			handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, "/", 0)
			_ = mount
			if err != nil {
				return err
			}
			at, err := unix.Open("/", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			_, err = unix.OpenByHandleAt(at, handle, unix.O_RDONLY)
			return err
		}},
		{name: "mount", by: "capabilities+landlock+seccomp", attack: func(w *world) error { return unix.Mount("tmpfs", "/tmp", "tmpfs", 0, "") }},
		{name: "mount by the newer calls", by: "capabilities+seccomp", attack: func(*world) error { _, err := unix.Fsopen("tmpfs", 0); return err }},
		{name: "unmount", by: "capabilities+landlock+seccomp", attack: func(*world) error {
			if err := unix.Unmount("/tmp", unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
				return err
			}
			return nil
		}},
		{name: "pivot_root", by: "capabilities+landlock+seccomp", attack: func(*world) error {
			if err := unix.PivotRoot("/tmp", "/tmp"); errors.Is(err, unix.EPERM) {
				return err
			}
			return nil
		}},
		{name: "chroot", by: "all", root: true, attack: func(*world) error { return unix.Chroot("/tmp") }},
		{name: "unshare", by: "capabilities+seccomp", attack: func(*world) error { return unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS) }},
		{name: "setns", by: "capabilities+seccomp", attack: func(*world) error {
			fd, err := unix.Open("/proc/self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			return unix.Setns(fd, unix.CLONE_NEWNET)
		}},
		{name: "a user namespace", by: "seccomp", attack: func(*world) error { return starts(unix.CLONE_NEWUSER) }},
		{name: "a user namespace by clone3", by: "seccomp", attack: func(*world) error {
			args := [11]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
			pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
			if errno == 0 && pid == 0 {
				unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			if errno != 0 {
				return errno
			}
			return nil
		}},
		{name: "a namespace of processes", by: "capabilities+seccomp", attack: func(*world) error { return starts(unix.CLONE_NEWPID) }},
		{name: "a program that runs as another user", by: "all", attack: func(w *world) error {
			if w.Setuid == "" {
				return setuid()
			}
			c := exec.Command(w.Setuid)
			c.Env = []string{probeVariable + "=" + whoAmI, worldVariable + "={}"}
			out, err := c.CombinedOutput()
			if err == nil && !strings.Contains(string(out), "user 0") {
				err = fmt.Errorf("%s", out)
			}
			return err
		}},
		{name: "set the clock", by: "all", root: true, attack: func(*world) error {
			var now unix.Timex
			now.Modes = 0x8000 // no such mode: what is tried is whether it may be asked
			if _, err := unix.Adjtimex(&now); errors.Is(err, unix.EPERM) {
				return err
			}
			return nil
		}},
		{name: "set the name of the machine", by: "capabilities+seccomp", attack: func(*world) error {
			name, err := os.Hostname()
			if err != nil {
				return err
			}
			return unix.Sethostname([]byte(name))
		}},
		{name: "type at a terminal", by: "seccomp", attack: func(*world) error {
			m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
			if err != nil {
				return err
			}
			n, err1 := unix.IoctlGetInt(m, unix.TIOCGPTN)
			err2 := unix.IoctlSetPointerInt(m, unix.TIOCSPTLCK, 0)
			tty, err3 := unix.Open(fmt.Sprintf("/dev/pts/%d", n), unix.O_RDWR, 0)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			b := byte('x')
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(tty), unix.TIOCSTI, uintptr(unsafe.Pointer(&b))); errno == unix.EPERM {
				return errno
			}
			return nil // some kernels refuse it by themselves, with another error
		}},
		{name: "the terminal of the program", by: "all", attack: func(w *world) error {
			if w.Neighbour == w.Victim {
				return nil // the whole program's test has a terminal
			}
			return opens("/dev/tty", unix.O_RDWR)
		}},

		// Networks.
		{name: "TCP", by: "network", attack: func(w *world) error { return hears("tcp", w.TCP) }},
		{name: "UDP, as of DNS", by: "network", attack: func(w *world) error { return hears("udp", w.UDP) }},
		{name: "a Unix socket", by: "mounts", attack: func(w *world) error { return hears("unix", w.Unix) }},
		{name: "an abstract Unix socket", by: "network+landlock", attack: func(w *world) error { return hears("unix", w.Abstract) }},
		{name: "an address of the machine", by: "network", attack: func(w *world) error {
			list, err := net.InterfaceAddrs()
			if err == nil && len(list) <= 2 {
				err = errors.New("there is only the loopback device")
			}
			return err
		}},
		{name: "raw packets", by: "all", root: true, attack: func(*world) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{name: "packets of the link", by: "capabilities+seccomp", root: true, attack: func(*world) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) }},
		{name: "vsock", by: "seccomp", attack: func(*world) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) }},
		{name: "events of the kernel", by: "seccomp", attack: func(*world) error {
			fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{name: "switch a network device off", by: "capabilities", attack: func(*world) error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			lo, err := unix.NewIfreq("lo")
			if err != nil {
				return err
			}
			lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
			return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
		}},
		{name: "shared memory", by: "messages", attack: func(w *world) error {
			at, err := unix.SysvShmAttach(w.Shared, 0, 0)
			if err == nil {
				_ = unix.SysvShmDetach(at)
			}
			return err
		}},

		// Limits.
		{name: "a file over the limit", by: "limits", attack: func(w *world) error {
			defer os.Remove(w.Work + "/large")
			return os.WriteFile(w.Work+"/large", make([]byte, limits.File+1), 0o600)
		}},
		{name: "memory over the limit", by: "limits", attack: func(*world) error {
			_, err := unix.Mmap(-1, 0, int(limits.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
			return err
		}},
		{name: "more processes than the limit", by: "limits", attack: bomb},

		// Files of others.
		{name: "files that another program left open", by: "all", attack: func(w *world) error {
			list, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				return err
			}
			for _, e := range list {
				to, err := os.Readlink("/proc/self/fd/" + e.Name())
				if n, _ := strconv.Atoi(e.Name()); err == nil && n > 2 && !strings.Contains(to, "/proc/") && !strings.HasPrefix(to, "anon_inode") {
					return nil
				}
			}
			if w.Neighbour == w.Victim {
				return nil
			}
			return errors.New("there are none")
		}},
	}
}

// whoAmI is the part of a probe that runs as another user.
const whoAmI = "who am I"

func setuid() error {
	_, _, errno := unix.Syscall(unix.SYS_SETUID, 12345, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		unix.Close(fd)
	}
	if errors.Is(err, unix.EPROTONOSUPPORT) || errors.Is(err, unix.ESOCKTNOSUPPORT) {
		return nil // the kernel was asked
	}
	return err
}
