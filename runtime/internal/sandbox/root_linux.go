//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// A mount is a part of the file system that a program sees. Parts come in order: a later one
// lies on an earlier one.
type mount struct {
	// Kind is one of those below.
	Kind string
	// Source is the path outside, or what a link says. Target is the path inside.
	Source, Target string
	// Device and Inode are those of the source, if the mount may be made before the program is known.
	Device, Inode uint64
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

// The parts of a root that no program uses by these names.
const (
	// outside is where the file system of the run's process is while a template is built.
	outside = "/.outside"
	// owned is where the file system is that one program has: its empty folders, and the upper
	// parts of its private copies.
	owned = "/.own"
)

const (
	unprivileged = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	// A device is written all the same, and nobody changes its mode.
	onlyDevice = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_RDONLY
)

// A part is a mount whose source was found.
type part struct {
	mount
	tree   int // what is to be attached, or -1
	folder bool
}

// findMountSources finds the sources of mounts in the file system of this thread.
func findMountSources(mounts []mount) (list []part, err error) {
	null := -1 // what hides files, open
	for _, m := range mounts {
		p := part{m, -1, true}
		switch m.Kind {
		case readOnly, private:
			err = p.cloneTree(m.Source, unprivileged|unix.MOUNT_ATTR_RDONLY)
		case readWrite:
			err = p.cloneTree(m.Source, unprivileged)
		case device:
			err = p.cloneTree(m.Source, onlyDevice)
		case processes:
			err = p.openProcesses()
		case hidden:
			var info unix.Stat_t
			if unix.Lstat(m.Target, &info) != nil {
				continue // nothing is there to hide
			}
			if info.Mode&unix.S_IFMT == unix.S_IFDIR {
				break
			}
			if null < 0 {
				if null, err = openSource("/dev/null"); err == nil {
					defer unix.Close(null)
				}
			}
			if err == nil {
				p.folder, err = false, p.cloneOpenTree(null, onlyDevice)
			}
		}
		if err != nil {
			closeParts(list)
			return nil, fmt.Errorf("%s: %w", m.Target, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// closeParts closes what was found.
func closeParts(list []part) {
	for _, p := range list {
		if p.tree >= 0 {
			unix.Close(p.tree)
		}
	}
}

// openSource opens a path, which has no links: a program may have put one there since it was planned.
func openSource(path string) (int, error) {
	at, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return at, nil
}

// cloneTree takes what is at a path, with everything below it.
func (p *part) cloneTree(path string, set uint64) error {
	at, err := openSource(path)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	p.folder = info.Mode&unix.S_IFMT == unix.S_IFDIR
	return p.cloneOpenTree(at, set)
}

// cloneOpenTree takes what is open.
func (p *part) cloneOpenTree(at int, set uint64) error {
	tree, err := unix.OpenTree(at, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree", err)
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: set}); err != nil {
		unix.Close(tree)
		return os.NewSyscallError("mount_setattr", err)
	}
	p.tree = tree
	return nil
}

// openProcesses makes a /proc that is not attached yet. The kernel permits that only to a thread
// that sees another one.
func (p *part) openProcesses() error {
	fs, err := unix.Fsopen("proc", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("fsopen", err)
	}
	defer unix.Close(fs)
	if err := unix.FsconfigSetString(fs, "hidepid", "4"); err != nil { // only what it could trace
		return os.NewSyscallError("fsconfig", err)
	}
	if err := unix.FsconfigSetFlag(fs, "ro"); err != nil {
		return os.NewSyscallError("fsconfig", err)
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return os.NewSyscallError("fsconfig", err)
	}
	p.tree, err = unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unprivileged|unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		p.tree = -1
		return os.NewSyscallError("fsmount", err)
	}
	return nil
}

// A template is a file system with the base, which every program sees. A program gets a copy of
// the mounts, and more of them. The folders on which these are made stay in the template, so it
// is for programs with the same ones.
type template struct {
	namespace int // open
	base      []mount

	masking sync.Mutex
	masked  bool
	masks   []mask // do not change once it is masked
}

// A mask lies on something that is hidden.
type mask struct {
	target string
	info   unix.Stat_t
}

// newTemplate makes a template. The thread gets a file system of its own by that.
func newTemplate(base []mount) (*template, error) {
	const root = "/usr" // a folder that every system has, on which nobody else sees the new root
	parts, err := findMountSources(base)
	if err != nil {
		return nil, err
	}
	defer closeParts(parts)
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return nil, os.NewSyscallError("unshare", err)
	}
	t := &template{base: base}
	if t.namespace, err = openThreadFile("ns/mnt"); err != nil {
		return nil, err
	}
	mounts, err := openThreadFile("mountinfo") // of which a change can be waited for
	if err != nil {
		return nil, err
	}
	defer unix.Close(mounts)
	if err := mountFilesystem("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return nil, err
	}
	for _, dir := range []string{outside, owned} {
		if err := os.Mkdir(root+dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := unix.PivotRoot(root, root+outside); err != nil {
		return nil, os.NewSyscallError("pivot_root", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return nil, os.NewSyscallError("chdir", err)
	}
	f := &files{}
	left, err := t.leaveOutside(mounts)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if isOwn(p.Kind) {
			err = makeFolder(p.Target)
		} else {
			err = f.attachPart(&p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Target, err)
		}
	}
	if err := left(); err != nil {
		return nil, err
	}
	return t, os.NewSyscallError("rmdir", unix.Rmdir(outside))
}

// leaveOutside begins to unmount the file system of the run's process, and returns a function that
// waits until it is no longer there. The kernel takes it away at once, but the caller of umount
// waits until no processor can still look at it, which takes many milliseconds on a busy machine.
// So another thread is the caller, and this one waits for the change of its mounts.
func (t *template) leaveOutside(mounts int) (left func() error, err error) {
	var before, now unix.Stat_t
	if err := unix.Lstat(outside, &before); err != nil {
		return nil, &os.PathError{Op: "lstat", Path: outside, Err: err}
	}
	done := make(chan error, 1)
	go func() {
		_, err := runOnOwnThread(func() (any, error) {
			if err := t.enterNamespace(); err != nil {
				return nil, err
			}
			return nil, os.NewSyscallError("umount", unix.Unmount(outside, unix.MNT_DETACH))
		})
		done <- err
	}()
	return func() error {
		for {
			if err := unix.Lstat(outside, &now); err != nil {
				return &os.PathError{Op: "lstat", Path: outside, Err: err}
			}
			if now.Dev != before.Dev || now.Ino != before.Ino {
				return nil
			}
			select {
			case err := <-done:
				return err
			default:
			}
			// The time is for an end of the other thread that changes no mount.
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(mounts), Events: unix.POLLPRI}}, 10)
			if err != nil && err != unix.EINTR {
				return os.NewSyscallError("poll", err)
			}
		}
	}, nil
}

// enterNamespace gives this thread the mounts of the template.
func (t *template) enterNamespace() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	return os.NewSyscallError("setns", unix.Setns(t.namespace, unix.CLONE_NEWNS))
}

// hide lays masks on what the template shows. This thread has its mounts.
func (t *template) hide(masks []mount) error {
	t.masking.Lock()
	defer t.masking.Unlock()
	if t.masked {
		return nil
	}
	parts, err := findMountSources(masks)
	if err != nil {
		return err
	}
	defer closeParts(parts)
	if err := new(files).attachParts(parts); err != nil {
		return err
	}
	for _, p := range parts {
		m := mask{target: p.Target}
		if err := unix.Lstat(p.Target, &m.info); err != nil {
			return &os.PathError{Op: "lstat", Path: p.Target, Err: err}
		}
		t.masks = append(t.masks, m)
	}
	t.masked = true
	return nil
}

// isOwn reports whether each program has such a mount of its own.
func isOwn(kind string) bool { return kind == empty || kind == terminals }

// openThreadFile opens a file that says something about this thread.
func openThreadFile(name string) (int, error) {
	path := "/proc/thread-self/" + name
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// files are the file system of a thread, for one program.
type files struct {
	*template
	namespace int // open
	number    int // of folders that only the program has
}

// enterCopy gives this thread a copy of the template, with masks and more parts. finishMounts
// completes it.
func (t *template) enterCopy(masks []mount, more []part) (*files, error) {
	if err := t.enterNamespace(); err != nil {
		return nil, err
	}
	if err := t.hide(masks); err != nil {
		return nil, err
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return nil, os.NewSyscallError("unshare", err)
	}
	own, err := openThreadFile("ns/mnt")
	if err != nil {
		return nil, err
	}
	f := &files{template: t, namespace: own}
	err = mountFilesystem("tmpfs", owned, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700")
	for _, m := range t.base {
		if err == nil && isOwn(m.Kind) {
			err = f.attachPart(&part{m, -1, true})
		}
	}
	if err == nil {
		err = f.attachParts(more)
	}
	if err != nil {
		unix.Close(own)
		return nil, err
	}
	return f, nil
}

// attachParts attaches parts.
func (f *files) attachParts(parts []part) error {
	for i := range parts {
		if err := f.attachPart(&parts[i]); err != nil {
			return fmt.Errorf("%s: %w", parts[i].Target, err)
		}
	}
	return nil
}

// finishMounts attaches the last parts, and closes the file system.
func (f *files) finishMounts(parts []part) error {
	if err := f.attachParts(parts); err != nil {
		return err
	}
	// What was hidden may have been replaced outside, and the kernel takes away what lay on it.
	for _, m := range f.masks {
		var now unix.Stat_t
		err := unix.Lstat(m.target, &now)
		if err != nil || now.Dev == m.info.Dev && now.Ino == m.info.Ino {
			continue
		}
		again, err := findMountSources([]mount{{Kind: hidden, Target: m.target}})
		if err == nil {
			err = f.attachParts(again)
			closeParts(again)
		}
		if err != nil {
			return err
		}
	}
	// The program sees its own folders where they were attached, and only there.
	if err := unix.Chmod(owned, 0); err != nil {
		return &os.PathError{Op: "chmod", Path: owned, Err: err}
	}
	for _, path := range []string{owned, "/"} {
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return os.NewSyscallError("mount_setattr", err)
		}
	}
	return nil
}

func mountFilesystem(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return os.NewSyscallError("mount "+kind, err)
	}
	return nil
}

func moveTree(tree int, target string) error {
	return os.NewSyscallError("move_mount", unix.MoveMount(tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

// attachPart makes a part in the file system of this thread.
func (f *files) attachPart(p *part) error {
	target := p.Target
	if p.Kind == link {
		// A folder that is shown has it already.
		return makeEntry(target, func() error { return unix.Symlink(p.Source, target) })
	}
	if err := makeMountPoint(p.folder, target); err != nil {
		return err
	}
	switch p.Kind {
	case readOnly, readWrite, device, processes:
		return moveTree(p.tree, target)
	case private:
		// An overlay takes what lies below it from this file system only.
		if err := moveTree(p.tree, target); err != nil {
			return err
		}
		if f.mountOverlay(p.tree, target) == nil {
			return nil
		}
		return f.mountPrivateFolder(target, 0o755) // not of this file system
	case empty:
		return f.mountPrivateFolder(target, 0o777|unix.S_ISVTX)
	case home:
		return f.mountPrivateFolder(target, 0o755)
	case hidden:
		if !p.folder {
			return moveTree(p.tree, target)
		}
		return mountFilesystem("tmpfs", target, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=555")
	case terminals:
		return mountFilesystem("devpts", target, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	}
	return fmt.Errorf("no mount is called %q", p.Kind)
}

// makePrivateFolder makes a folder that only the program has.
func (f *files) makePrivateFolder() (string, error) {
	f.number++
	dir := owned + "/" + strconv.Itoa(f.number)
	return dir, os.Mkdir(dir, 0o700)
}

// mountPrivateFolder makes a target a folder that only the program has.
func (f *files) mountPrivateFolder(target string, mode uint32) error {
	dir, err := f.makePrivateFolder()
	if err != nil {
		return err
	}
	if err := unix.Chmod(dir, mode); err != nil {
		return &os.PathError{Op: "chmod", Path: dir, Err: err}
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, dir, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("open_tree", err)
	}
	defer unix.Close(tree)
	return moveTree(tree, target)
}

// mountOverlay lays an empty folder over a folder that is open.
func (f *files) mountOverlay(lower int, target string) error {
	upper, err := f.makePrivateFolder()
	if err != nil {
		return err
	}
	for _, dir := range []string{upper + "/upper", upper + "/work"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	// The path of the lower folder may have characters that separate options.
	if err := unix.Fchdir(lower); err != nil {
		return os.NewSyscallError("fchdir", err)
	}
	err = mountFilesystem("overlay", target, "overlay", unix.MS_NOSUID|unix.MS_NODEV, "userxattr,lowerdir=.,upperdir="+upper+"/upper,workdir="+upper+"/work")
	return errors.Join(err, os.NewSyscallError("chdir", unix.Chdir("/")))
}

// makeMountPoint makes a folder or a file that something can be mounted on.
func makeMountPoint(folder bool, target string) error {
	if folder {
		return makeFolder(target)
	}
	// An open file would come to a program that another thread starts now, and the root could
	// not become read-only.
	return makeEntry(target, func() error { return unix.Mknod(target, unix.S_IFREG|0o644, 0) })
}

// makeFolder makes a folder with those above it.
func makeFolder(path string) error {
	return makeEntry(path, func() error { return unix.Mkdir(path, 0o755) })
}

// makeEntry makes what is to be at a path, with the folders above it, unless something is there. Most
// folders are there, so it begins at the end.
func makeEntry(path string, make func() error) error {
	err := make()
	if err == unix.ENOENT && path != "/" {
		if err := makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
		err = make()
	}
	if err != nil && err != unix.EEXIST {
		return &os.PathError{Op: "make", Path: path, Err: err}
	}
	return nil
}
