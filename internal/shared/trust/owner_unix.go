//go:build unix

package trust

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

func foreignOwner(info fs.FileInfo) (owner string, foreign bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	uid, own := int(stat.Uid), os.Geteuid()
	caller, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	if uid == 0 || uid == own || own == 0 && err == nil && uid == caller {
		return "", false
	}
	owner = "user " + strconv.Itoa(uid)
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		owner = "user " + u.Username
	}
	return owner, true
}

// isWritableByOthers reports whether others can write to a folder.
func isWritableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }
