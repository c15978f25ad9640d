//go:build unix

package state

import (
	"os"
	"syscall"
)

// hasSingleLink reports whether a file has no other name.
func hasSingleLink(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
