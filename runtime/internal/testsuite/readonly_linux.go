package testsuite

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// A script of a mutant may get wrong values, such as an empty folder name in front of a
// slash. So workers see the file system read-only, but for the folder for temporary files.

// sysMountSetattr is the number of the system call mount_setattr (Linux 5.12), which is the
// same on all architectures.
const sysMountSetattr = 442

// The constants of mount_setattr.
const (
	atCurrentFolder = -100
	atRecursive     = 0x8000
	attrReadOnly    = 0x1
)

// mountAttr is struct mount_attr.
type mountAttr struct{ set, clear, propagation, userNamespace uint64 }

// ownMounts makes the process have its own mounts, which it can change.
func ownMounts(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
}

// readOnly makes all files read-only for this process and its children, but for those of a
// folder. The process must have its own mounts.
func readOnly(except string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return err
	}
	if err := syscall.Mount(except, except, "", syscall.MS_BIND, ""); err != nil {
		return err
	}
	if err := setMount("/", atRecursive, mountAttr{set: attrReadOnly}); err != nil {
		return err
	}
	return setMount(except, 0, mountAttr{clear: attrReadOnly})
}

func setMount(path string, flags uintptr, attr mountAttr) error {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	folder := atCurrentFolder
	_, _, code := syscall.Syscall6(sysMountSetattr, uintptr(folder), uintptr(unsafe.Pointer(name)), flags, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if code != 0 {
		return code
	}
	return nil
}
