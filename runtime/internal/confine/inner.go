package confine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// innerRepositories are the repositories inside of a work tree that its index names. git enters
// them when somebody looks at the work tree, and runs what their configuration names.
type innerRepositories struct {
	index os.FileInfo // as it was when it was read
	paths []string    // below the work tree
}

// read reads the index of a work tree again if it has changed.
func (i *innerRepositories) read(folder git.Folder) {
	index := filepath.Join(folder.Repository, "index")
	info, err := os.Stat(index)
	if err != nil || i.index != nil && os.SameFile(info, i.index) && changeTime(info).Equal(changeTime(i.index)) {
		return
	}
	if text, err := wholefile.Source.Read(index); err == nil && !namesRepositories(text) {
		i.index, i.paths = info, nil
		return
	}
	if paths, err := folder.Inner(context.Background()); err == nil {
		i.index, i.paths = info, paths
	}
}

// namesRepositories reports whether an index may name repositories: the mode of such an entry is in it
// as a number of 32 bits, or the index says that some of its entries are in another file. Starting git
// to ask would cost a step as much as its sandbox. See gitformat-index(5).
func namesRepositories(index []byte) bool {
	return bytes.Contains(index, []byte("\x00\x00\xe0\x00")) || bytes.Contains(index, []byte("link\x00"))
}

// gitFolder returns the folder that git has for a work tree.
func gitFolder(workTree string) string {
	own := filepath.Join(workTree, ".git")
	if to, ok := strings.CutPrefix(readTrimmed(own), "gitdir: "); ok {
		return absolutePath(workTree, to)
	}
	return own
}

// plantedRepositories returns the folders `.git` of the repositories whose configuration has
// changed since a time. Nobody in the sandbox can set back the time of a change.
func (i *innerRepositories) plantedRepositories(p *sandbox.Policy, folder git.Folder, since time.Time) []string {
	i.read(folder)
	var list []string
	for _, path := range i.paths {
		inner := filepath.Join(p.WorkTree, filepath.FromSlash(path))
		own := gitFolder(inner)
		for _, file := range []string{filepath.Join(own, "config"), filepath.Join(own, "config.worktree"), filepath.Join(own, "commondir"), filepath.Join(inner, ".git")} {
			info, err := os.Lstat(file)
			if err != nil || info.IsDir() || changeTime(info).Before(since) {
				continue
			}
			if !p.Grants(file) {
				list = append(list, filepath.Join(inner, ".git"))
			}
			break
		}
	}
	return list
}
