//go:build linux && (amd64 || arm64)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock may forbid, by the version of its interface in which it came.
const (
	landRead    = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landVersion = 1<<13 - 1 // all of version 1
	// landFile is what has a meaning for a file that is no folder.
	landFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landScopes is the version of Landlock's interface that separates the steps of a run.
const landScopes = 6

// landlockVersion is the version of Landlock's interface, or 0. Tests change it.
var landlockVersion = func() int {
	v, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// restrictFiles adds that a program is forbidden to write anything but the given paths, to signal
// processes of other programs in the box, and to trace or inspect them.
func (l *list) restrictFiles(writable []string) {
	version := landlockVersion()
	all := uint64(landVersion)
	for v, more := range map[int]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= v {
			all |= more
		}
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: all}
	if version >= landScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	// An older kernel takes a larger struct if what it does not know is zero.
	rules := l.call(about{call: "landlock_create_ruleset"}, unix.SYS_LANDLOCK_CREATE_RULESET, structure(l, &attr), uint64(unsafe.Sizeof(attr)), 0)
	root := landRead & all
	l.allowBelow(rules, "/", root, root)
	for _, path := range writable {
		l.allowBelow(rules, path, all, all&landFile)
	}
	l.call(about{call: "landlock_restrict_self"}, unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0)
}

// allowBelow adds that something is permitted below a path, or what has a meaning for a file if it is no
// folder. Nothing is permitted of what cannot be opened.
func (l *list) allowBelow(rules uint64, path string, folder, file uint64) {
	opened := l.call(about{}, unix.SYS_OPENAT, here, l.text(path), unix.O_PATH|unix.O_CLOEXEC, 0)
	none := l.onFault()
	rule := func(access uint64) {
		attr := l.numbers(access, 0)
		l.store(attr+8, opened)
		l.call(about{call: "landlock_add_rule", path: path}, unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH, attr, 0)
	}
	rule(folder)
	added, refused := l.onZero(), l.onFault()
	refused.land()
	rule(file)
	added.land()
	none.land()
}
