//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A mount is a part of the file system that a program sees. Parts come in order: a later one
// lies on an earlier one.
type mount struct {
	// Kind is one of those below.
	Kind string
	// Source is the path outside, or what a link says. Target is the path inside.
	Source, Target string
}

const (
	readOnly  = "read-only" // the file or folder at Source
	readWrite = "read-write"
	private   = "private" // a copy of the folder at Source, which ends with the program
	empty     = "empty"   // an empty folder that everybody may write
	home      = "home"    // an empty folder that its owner may write
	hidden    = "hidden"  // an empty file or folder in the place of Target
	device    = "device"  // the device at Source
	link      = "link"
	processes = "processes" // /proc with the program and what it starts
	terminals = "terminals" // terminals of the program's own
)

// overlays is where the upper parts of private copies are.
const overlays = "/.private"

// outside is where the file system of the run's process is while a root is built. A link in
// the new root leads to nothing there.
const outside = "/.outside"

// enter gives this thread a file system of its own, made of mounts on an empty root. The
// root's folder must exist. It returns the namespace of the mounts, open. finish completes it.
func enter(root string, mounts []mount) (own int, err error) {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return -1, os.NewSyscallError("unshare", err)
	}
	const path = "/proc/thread-self/ns/mnt"
	if own, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if err := build(root, mounts); err != nil {
		unix.Close(own)
		return -1, err
	}
	return own, nil
}

// build makes an empty root, and mounts on it.
func build(root string, mounts []mount) error {
	if err := put("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return err
	}
	for _, dir := range []string{outside, overlays} {
		if err := os.Mkdir(root+dir, 0o700); err != nil {
			return err
		}
	}
	if err := unix.PivotRoot(root, root+outside); err != nil {
		return os.NewSyscallError("pivot_root", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return os.NewSyscallError("chdir", err)
	}
	return add(mounts, 0)
}

// add makes mounts, after a number of others.
func add(mounts []mount, before int) error {
	for i, m := range mounts {
		if err := m.make(before + i); err != nil {
			return fmt.Errorf("%s: %w", m.Target, err)
		}
	}
	return nil
}

// finish makes the last mounts, after a number of others, and closes the file system of this
// thread.
func finish(mounts []mount, before int) error {
	if err := add(mounts, before); err != nil {
		return err
	}
	if err := unix.Unmount(outside, unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("umount", err)
	}
	if err := os.Remove(outside); err != nil {
		return err
	}
	return attributes("/", false, unix.MOUNT_ATTR_RDONLY)
}

func put(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return os.NewSyscallError("mount "+kind, err)
	}
	return nil
}

// attributes sets attributes of a mount, and of all mounts below it if deep is true.
func attributes(path string, deep bool, set uint64) error {
	flags := uint(0)
	if deep {
		flags = unix.AT_RECURSIVE
	}
	return os.NewSyscallError("mount_setattr", unix.MountSetattr(unix.AT_FDCWD, path, flags, &unix.MountAttr{Attr_set: set}))
}

const unprivileged = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// bind shows what is at a path outside, with everything below it. The path has no links: a
// program may have put one there since it was planned.
func bind(source, target string) error {
	at, err := openOutside(source)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return &os.PathError{Op: "stat", Path: source, Err: err}
	}
	if err := place(info.Mode&unix.S_IFMT == unix.S_IFDIR, target); err != nil {
		return err
	}
	tree, err := unix.OpenTree(at, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree", err)
	}
	defer unix.Close(tree)
	return os.NewSyscallError("move_mount", unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

func openOutside(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, outside+path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// make makes the part; number distinguishes it from others.
func (m *mount) make(number int) error {
	target := m.Target
	switch m.Kind {
	case link:
		if _, err := os.Lstat(target); err == nil {
			return nil // it is in a folder that is shown
		}
		if err := makeFolder(filepath.Dir(target)); err != nil {
			return err
		}
		return os.Symlink(m.Source, target)
	case readOnly, readWrite, device:
		if err := bind(m.Source, target); err != nil {
			return err
		}
		switch m.Kind {
		case readOnly:
			return attributes(target, true, unprivileged|unix.MOUNT_ATTR_RDONLY)
		case readWrite:
			return attributes(target, true, unprivileged)
		}
		// It is written all the same, and nobody changes its mode.
		return attributes(target, false, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_RDONLY)
	case private:
		upper := fmt.Sprintf("%s/%d", overlays, number)
		if err := makeFolder(target); err != nil {
			return err
		}
		for _, dir := range []string{upper, upper + "/upper", upper + "/work"} {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
		}
		if overlay(m.Source, upper, target) == nil {
			return nil
		}
		return put("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755") // not of this file system
	case empty, home:
		if err := makeFolder(target); err != nil {
			return err
		}
		mode := "mode=1777"
		if m.Kind == home {
			mode = "mode=755"
		}
		return put("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, mode)
	case hidden:
		info, err := os.Lstat(target)
		if err != nil {
			return nil // nothing is there to hide
		}
		if !info.IsDir() {
			if err := bind("/dev/null", target); err != nil {
				return err
			}
			return attributes(target, false, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC|unix.MOUNT_ATTR_RDONLY)
		}
		return put("tmpfs", target, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=555")
	case processes:
		if err := makeFolder(target); err != nil {
			return err
		}
		return put("proc", target, "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "hidepid=4") // only what it could trace
	case terminals:
		if err := makeFolder(target); err != nil {
			return err
		}
		return put("devpts", target, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	}
	return fmt.Errorf("no mount is called %q", m.Kind)
}

// overlay lays an empty folder over another one.
func overlay(lower, upper, target string) error {
	at, err := openOutside(lower)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	// The path of the lower folder may have characters that separate options.
	if err := unix.Fchdir(at); err != nil {
		return os.NewSyscallError("fchdir", err)
	}
	err = put("overlay", target, "overlay", unix.MS_NOSUID|unix.MS_NODEV, "userxattr,lowerdir=.,upperdir="+upper+"/upper,workdir="+upper+"/work")
	return errors.Join(err, os.NewSyscallError("chdir", unix.Chdir("/")))
}

// place makes a folder or a file that something can be mounted on.
func place(folder bool, target string) error {
	if folder {
		return makeFolder(target)
	}
	if err := makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	// An open file would come to a program that another thread starts now, and the root could
	// not become read-only.
	if err := unix.Mknod(target, unix.S_IFREG|0o644, 0); err != nil && !errors.Is(err, unix.EEXIST) {
		return &os.PathError{Op: "mknod", Path: target, Err: err}
	}
	return nil
}

// makeFolder makes a folder with those above it. Most of these are there, so it begins at the end.
func makeFolder(path string) error {
	err := unix.Mkdir(path, 0o755)
	if err == unix.ENOENT && path != "/" {
		if err := makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
		err = unix.Mkdir(path, 0o755)
	}
	if err != nil && err != unix.EEXIST {
		return &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}
