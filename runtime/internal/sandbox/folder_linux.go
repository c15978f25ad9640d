//go:build linux && (amd64 || arm64)

package sandbox

import (
	"golang.org/x/sys/unix"
)

// A folder is where paths begin. It is open, unless that failed.
type folder struct {
	file int
	path string // from there, with a slash at its end, or ""
}

// wholeSystem is the folder of absolute paths.
var wholeSystem = folder{file: unix.AT_FDCWD}

// folder opens the folder at a path, and returns nil if none is there.
func (f *folder) folder(path string) *folder {
	file, err := unix.Openat(f.file, f.path+path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
		return &folder{file: file}
	case unix.ENOENT, unix.ENOTDIR:
		return nil
	}
	return &folder{f.file, f.path + path + "/"} // there may be too many open files
}

// has reports whether something has a name in the folder.
func (f *folder) has(name string) bool {
	var info unix.Stat_t
	for {
		err := unix.Fstatat(f.file, f.path+name, &info, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

func (f *folder) close() {
	if f.path == "" {
		unix.Close(f.file)
	}
}
