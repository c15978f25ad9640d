package build

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How long the cache keeps what nobody uses, and how many programs it keeps at
// most. Programs of about 15 MB come with every edit of a workflow; the folders
// of builds are left behind only by processes that were killed.
const (
	keepPrograms = 40
	programAge   = 14 * 24 * time.Hour
	moduleAge    = 60 * 24 * time.Hour
	workAge      = 24 * time.Hour
)

// clean removes from the cache what nobody has used for long. A program that a
// run needs for going on is safe: the state folder keeps one of its own. What
// cannot be removed, such as a running program on Windows, is left for the next
// time.
func (b *Builder) clean(now time.Time) {
	removeOld(filepath.Join(b.Cache, "bin"), now.Add(-programAge), keepPrograms)
	removeOld(filepath.Join(b.Cache, "module"), now.Add(-moduleAge), 0)
	removeOld(filepath.Join(b.Cache, "tmp"), now.Add(-workAge), 0)
}

// removeOld removes the entries of a folder that were last used before a time,
// and, unless keep is 0, the oldest until only so many are left.
func removeOld(dir string, before time.Time, keep int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(x, y fs.FileInfo) int { return y.ModTime().Compare(x.ModTime()) })
	for i, info := range infos {
		if info.ModTime().Before(before) || keep > 0 && i >= keep {
			_ = os.RemoveAll(filepath.Join(dir, info.Name()))
		}
	}
}

// touch notes that an entry of the cache is in use. A failure only means that it
// is cleaned away sooner.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}
