package confine

import (
	"os"
	"syscall"
	"time"
)

// changeTime returns when the system noted the last change of a file.
func changeTime(info os.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return info.ModTime()
}

// hasMoreNames reports whether a file has more than one hard link.
func hasMoreNames(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && stat.Nlink > 1
}
