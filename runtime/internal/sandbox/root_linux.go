//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strconv"
	"unsafe"

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
	private   = "private" // a copy of the file or folder at Source, which ends with the program
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
	tree   uint64 // the result that is to be attached, or 0
	folder bool
}

// findSources adds that the sources of mounts are found in the file system where the calls are performed.
func (l *list) findSources(mounts []mount) (parts []part) {
	for _, m := range mounts {
		var info unix.Stat_t
		p := part{m, 0, true}
		isFolder := func(path string) bool { return unix.Lstat(path, &info) != nil || info.Mode&unix.S_IFMT == unix.S_IFDIR }
		switch m.Kind {
		case readOnly, private:
			p.folder, p.tree = isFolder(m.Source), l.cloneTree(&m, m.Source, unprivileged|unix.MOUNT_ATTR_RDONLY)
		case readWrite:
			p.folder, p.tree = isFolder(m.Source), l.cloneTree(&m, m.Source, unprivileged)
		case device:
			p.folder, p.tree = false, l.cloneTree(&m, m.Source, onlyDevice)
		case processes:
			p.tree = heldFile
		case hidden:
			if unix.Lstat(m.Target, &info) != nil {
				continue // nothing is there to hide
			}
			switch p.folder = info.Mode&unix.S_IFMT == unix.S_IFDIR; {
			case p.folder:
			case m.Source == "":
				p.tree = l.cloneTree(&m, "/dev/null", onlyDevice)
			default:
				p.tree = l.call(about{"open_tree", "", m.Target}, unix.SYS_OPEN_TREE, here, l.text(m.Source), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// findSourcesOutside adds that the sources of mounts are found in the file system of the run's process.
func (l *list) findSourcesOutside(mounts []mount) []part {
	if len(mounts) == 0 {
		return nil
	}
	l.enterMounts(outsideFile)
	parts := l.findSources(mounts)
	l.enterMounts(ownFile)
	return parts
}

// enterMounts adds that a helper gets the mounts of an open namespace.
func (l *list) enterMounts(file uint64) {
	l.call(about{call: "setns"}, unix.SYS_SETNS, file, unix.CLONE_NEWNS)
}

// cloneTree adds that what is at a path is taken, with everything below it. The path has no links: a
// program may have put one there since it was planned.
func (l *list) cloneTree(m *mount, path string, set uint64) (tree uint64) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	opened := l.call(about{"open", path, m.Target}, unix.SYS_OPENAT2, here, l.text(path), structure(l, &how), uint64(unsafe.Sizeof(how)))
	none, attr := l.text(""), unix.MountAttr{Attr_set: set}
	tree = l.call(about{"open_tree", "", m.Target}, unix.SYS_OPEN_TREE, opened, none,
		unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	l.call(about{"mount_setattr", "", m.Target}, unix.SYS_MOUNT_SETATTR, tree, none, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE,
		structure(l, &attr), uint64(unsafe.Sizeof(attr)))
	l.closeFile(opened)
	return tree
}

// closeFile adds that a file is closed.
func (l *list) closeFile(file uint64) { l.call(about{call: "close"}, unix.SYS_CLOSE, file) }

// openProcesses adds that a helper gets a /proc that is not attached yet, with the processes of the box:
// that takes a child of one whose children are there. The kernel permits it only to who sees another one.
func (l *list) openProcesses() {
	l.inChild(waitsForChild, func() {
		l.call(about{call: "setns"}, unix.SYS_SETNS, programsFile, unix.CLONE_NEWPID)
		l.inChild(waitsForChild, l.makeProcesses)
	})
}

// makeProcesses adds that a /proc is made, with the processes that the caller sees.
func (l *list) makeProcesses() {
	const target = "/proc"
	const setFlag, setString, create = 0, 1, 6 // commands of fsconfig
	fs := l.call(about{"fsopen", "", target}, unix.SYS_FSOPEN, l.text("proc"), unix.FSOPEN_CLOEXEC)
	what := about{"fsconfig", "", target}
	l.call(what, unix.SYS_FSCONFIG, fs, setString, l.text("hidepid"), l.text("4"), 0) // only what it could trace
	l.call(what, unix.SYS_FSCONFIG, fs, setFlag, l.text("ro"), 0, 0)
	l.call(what, unix.SYS_FSCONFIG, fs, create, 0, 0, 0)
	made := l.call(about{"fsmount", "", target}, unix.SYS_FSMOUNT, fs, unix.FSMOUNT_CLOEXEC, unprivileged|unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOEXEC)
	l.call(about{call: "dup3"}, unix.SYS_DUP3, made, heldFile, unix.O_CLOEXEC)
	l.closeFile(made)
	l.closeFile(fs)
}

// makeTemplate adds that a helper gets a file system with the base, which every program sees. A program
// gets a copy of the mounts, and more of them. The folders on which these are made stay in the
// template, so it is for programs with the same ones. held says that the helper has a /proc for it.
func (l *list) makeTemplate(base []mount, held bool) {
	const root = "/usr" // a folder that every system has, on which nobody else sees the new root
	if !held {
		l.openProcesses()
	}
	parts := l.findSources(base)
	l.call(about{call: "unshare"}, unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	l.openAs(mountsFile, here, "/proc/self/mountinfo", unix.O_RDONLY) // of which a change can be waited for
	l.mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755")
	for _, dir := range []string{outside, owned} {
		l.call(about{call: "mkdir", path: dir}, unix.SYS_MKDIRAT, here, l.text(root+dir), 0o700)
	}
	l.call(about{call: "pivot_root"}, unix.SYS_PIVOT_ROOT, l.text(root), l.text(root+outside))
	l.changeFolder("/")
	l.leaveOutside()
	f := &files{}
	for _, p := range parts {
		if isOwn(p.Kind) {
			l.makeFolder(p.Target)
		} else {
			f.attachPart(l, &p)
		}
	}
	l.waitOutside()
	l.call(about{call: "rmdir"}, unix.SYS_UNLINKAT, here, l.text(outside), unix.AT_REMOVEDIR)
}

// leaveOutside adds that the file system of the run's process begins to be unmounted. The kernel takes
// it away at once, but the caller of umount waits until no processor can still look at it, which
// takes many milliseconds on a busy machine. So the caller is a child.
func (l *list) leaveOutside() {
	l.inChild(0, func() {
		l.call(about{call: "umount"}, unix.SYS_UMOUNT2, l.text(outside), unix.MNT_DETACH)
	})
}

// waitOutside adds that the file system of the run's process is no longer there, by a folder that every
// system has.
func (l *list) waitOutside() {
	again := l.next()
	l.call(about{}, unix.SYS_FACCESSAT, here, l.text(outside+"/usr"), unix.F_OK)
	left := l.onFault()
	l.call(about{}, unix.SYS_PPOLL, l.numbers(mountsFile|unix.POLLPRI<<32), 1, 0, 0, 0)
	l.ignoring()
	l.goTo(again)
	left.land()
}

// A mask lies on something that is hidden.
type mask struct {
	target string
	info   unix.Stat_t // of what it hides
	recent bool        // what is in its place later may look the same
}

// mayBeReplaced reports whether something else may be there now.
func (m *mask) mayBeReplaced() bool {
	var now unix.Stat_t
	return m.recent || unix.Lstat(m.target, &now) == nil && (now.Dev != m.info.Dev || now.Ino != m.info.Ino || now.Ctim != m.info.Ctim)
}

// isOwn reports whether each program has such a mount of its own.
func isOwn(kind string) bool { return kind == empty || kind == terminals }

// files are the file system for one program.
type files struct {
	number int // of folders that only the program has
}

// copyTemplate adds that a helper with a template's mounts gets a copy of them, with the parts of its own
// and more mounts. finishMounts completes it.
func (f *files) copyTemplate(l *list, base, more []mount) {
	l.call(about{call: "unshare"}, unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	l.openAs(ownFile, processesFile, "self/ns/mnt", unix.O_RDONLY)
	parts := l.findSourcesOutside(more)
	l.mount("tmpfs", owned, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700")
	for _, m := range base {
		if isOwn(m.Kind) {
			f.attachPart(l, &part{m, 0, true})
		}
	}
	f.attachParts(l, parts)
}

// attachParts adds that parts are attached.
func (f *files) attachParts(l *list, parts []part) {
	for i := range parts {
		f.attachPart(l, &parts[i])
	}
}

// hide adds that masks are laid on what the file system shows. device is the device in their place, which is a
// mount of the base if nothing lies on that, or "".
func (l *list) hide(device string, masks ...mask) {
	new(files).attachParts(l, l.findSources(mountsOf(device, masks)))
}

func mountsOf(device string, masks []mask) (list []mount) {
	for _, m := range masks {
		list = append(list, mount{Kind: hidden, Source: device, Target: m.target})
	}
	return list
}

// finishMounts adds that the last mounts are made, and that the file system is closed.
func (f *files) finishMounts(l *list, last []mount, masks []mask) {
	f.attachParts(l, l.findSourcesOutside(last))
	// What was hidden may have been replaced outside, and the kernel takes away what lay on it.
	for _, m := range masks {
		if m.mayBeReplaced() {
			l.hide("", m)
		}
	}
	// The program sees its own folders where they were attached, and only there.
	l.changeMode(owned, 0)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, path := range []string{owned, "/"} {
		l.call(about{call: "mount_setattr"}, unix.SYS_MOUNT_SETATTR, here, l.text(path), 0, structure(l, &attr), uint64(unsafe.Sizeof(attr)))
	}
}

// mount adds that a file system is mounted.
func (l *list) mount(source, target, kind string, flags uint64, data string) {
	l.call(about{call: "mount " + kind, target: target}, unix.SYS_MOUNT, l.text(source), l.text(target), l.text(kind), flags, l.text(data))
}

func (l *list) changeMode(path string, mode uint64) {
	l.call(about{call: "chmod", path: path}, unix.SYS_FCHMODAT, here, l.text(path), mode)
}

func (l *list) changeFolder(path string) {
	l.call(about{call: "chdir", path: path}, unix.SYS_CHDIR, l.text(path))
}

// moveTree adds that a tree is attached.
func (l *list) moveTree(tree uint64, target string) {
	l.call(about{"move_mount", "", target}, unix.SYS_MOVE_MOUNT, tree, l.text(""), here, l.text(target), unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// attachPart adds that a part is made.
func (f *files) attachPart(l *list, p *part) {
	target := p.Target
	if p.Kind == link {
		// A folder that is shown has it already.
		l.makeEntry(target, unix.SYS_SYMLINKAT, l.text(p.Source), here, l.text(target))
		return
	}
	switch {
	case p.Kind == hidden: // it is there
	case p.folder:
		l.makeFolder(target)
	default:
		l.makeEntry(target, unix.SYS_MKNODAT, here, l.text(target), unix.S_IFREG|0o644, 0)
	}
	switch p.Kind {
	case private:
		// An overlay takes what lies below it from this file system only.
		l.moveTree(p.tree, target)
		if p.folder {
			f.mountOverlay(l, p.tree, target)
		} else {
			f.mountCopy(l, target)
		}
	case empty:
		f.mountPrivateFolder(l, target, 0o777|unix.S_ISVTX)
	case home:
		f.mountPrivateFolder(l, target, 0o755)
	case terminals:
		l.mount("devpts", target, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	default:
		if p.tree == 0 { // a folder that is hidden
			l.mount("tmpfs", target, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=555")
			return
		}
		l.moveTree(p.tree, target)
	}
	if p.tree != 0 {
		l.closeFile(p.tree)
	}
}

// makePrivateFolder adds that a folder is made which only the program has.
func (f *files) makePrivateFolder(l *list) string {
	f.number++
	dir := owned + "/" + strconv.Itoa(f.number)
	l.call(about{call: "mkdir", path: dir}, unix.SYS_MKDIRAT, here, l.text(dir), 0o700)
	return dir
}

// mountPrivateFolder adds that a target becomes a folder that only the program has.
func (f *files) mountPrivateFolder(l *list, target string, mode uint64) {
	dir := f.makePrivateFolder(l)
	l.changeMode(dir, mode)
	tree := l.call(about{"open_tree", "", target}, unix.SYS_OPEN_TREE, here, l.text(dir), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	l.moveTree(tree, target)
	l.closeFile(tree)
}

// mountCopy adds that a copy, which only the program has, takes the place of a file.
func (f *files) mountCopy(l *list, target string) {
	f.number++
	path := owned + "/" + strconv.Itoa(f.number)
	from := l.call(about{"open", "", target}, unix.SYS_OPENAT, here, l.text(target), unix.O_RDONLY|unix.O_CLOEXEC)
	to := l.call(about{"open", "", target}, unix.SYS_OPENAT, here, l.text(path), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	l.call(about{"sendfile", "", target}, unix.SYS_SENDFILE, to, from, 0, largestCopy)
	l.closeFile(from)
	l.closeFile(to)
	tree := l.call(about{"open_tree", "", target}, unix.SYS_OPEN_TREE, here, l.text(path), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	l.moveTree(tree, target)
	l.closeFile(tree)
}

// largestCopy is how many bytes of a private file a program sees: as many as one call copies.
const largestCopy = 0x7ffff000

// mountOverlay adds that an empty folder is laid over one that is open, or, where its file system
// cannot have that, that an empty one is in its place.
func (f *files) mountOverlay(l *list, lower uint64, target string) {
	upper, work := f.makePrivateFolder(l), f.makePrivateFolder(l)
	// The path of the lower folder may have characters that separate options.
	l.call(about{"fchdir", "", target}, unix.SYS_FCHDIR, lower)
	l.mount("overlay", target, "overlay", unix.MS_NOSUID|unix.MS_NODEV, "userxattr,lowerdir=.,upperdir="+upper+",workdir="+work)
	made, failed := l.onZero(), l.onFault()
	failed.land()
	f.mountPrivateFolder(l, target, 0o755)
	made.land()
	l.changeFolder("/")
}

// makeFolder adds that a folder is made, with those above it.
func (l *list) makeFolder(path string) {
	l.makeEntry(path, unix.SYS_MKDIRAT, here, l.text(path), 0o755)
}

// makeEntry adds a call that makes what is to be at a path, with the folders above it, unless
// something is there. Most folders are there, so it begins at the end.
func (l *list) makeEntry(path string, number uintptr, args ...uint64) {
	l.call(about{}, number, args...)
	made, failed := l.onZero(), l.onFault()
	failed.land()
	l.call(about{}, unix.SYS_FACCESSAT2, here, l.text(path), unix.F_OK, unix.AT_SYMLINK_NOFOLLOW)
	there, missing := l.onZero(), l.onFault()
	missing.land()
	for i := range len(path) {
		if i > 0 && path[i] == '/' {
			l.call(about{}, unix.SYS_MKDIRAT, here, l.text(path[:i]), 0o755)
			l.ignoring()
		}
	}
	l.call(about{call: "make", path: path}, number, args...)
	made.land()
	there.land()
}
