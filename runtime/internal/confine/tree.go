package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A tree is a work tree with what git needs outside of it.
type tree struct {
	top         string
	read, write []string
	guarded     []string // patterns, beside those of grants.Guarded
}

// guardedPatterns are the patterns of what no program writes without a grant.
func (t *tree) guardedPatterns() []string { return slices.Concat(grants.Guarded, t.guarded) }

// treeOf returns the work tree of a folder: that of its repository, or the folder.
func treeOf(folder string) tree {
	for dir := folder; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil && info.IsDir() {
			return tree{top: dir}
		}
		if err == nil {
			return linkedWorkTree(dir)
		}
		if dir == filepath.Dir(dir) {
			return tree{top: folder, guarded: []string{".git"}}
		}
	}
}

// linkedWorkTree returns the work tree of a folder whose repository is elsewhere. Of that, commits need
// the objects, the references and what belongs to this work tree; hooks and settings are only
// read. A program may have written where the repository is, so the repository must name the
// work tree in turn.
func linkedWorkTree(dir string) tree {
	file := filepath.Join(dir, ".git")
	t := tree{top: dir, guarded: []string{".git"}}
	own := gitFolder(dir)
	if own == file {
		return t
	}
	own, err := filepath.EvalSymlinks(own)
	if err != nil {
		return t
	}
	common := own
	switch {
	case filepath.Base(filepath.Dir(own)) == "worktrees":
		common = filepath.Dir(filepath.Dir(own))
		if !isSameFile(absolutePath(own, readTrimmed(filepath.Join(own, "commondir"))), common) || !isSameFile(absolutePath(own, readTrimmed(filepath.Join(own, "gitdir"))), file) {
			return t
		}
	case !isSameFile(absolutePath(own, worktreeOf(filepath.Join(own, "config"))), dir):
		return t
	}
	for _, name := range []string{"hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes", "modules", "worktrees/*/config.worktree"} {
		t.guarded = append(t.guarded, filepath.Join(own, name))
	}
	t.read = []string{common}
	t.write = []string{own, filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs")}
	return t
}

// readTrimmed returns the line of a file, or "".
func readTrimmed(path string) string {
	text, _ := wholefile.Source.Read(path) // what cannot be read says nothing
	return strings.TrimSpace(string(text))
}

// worktreeOf returns the work tree that the settings of a repository name, or "".
func worktreeOf(config string) string {
	for l := range strings.Lines(readTrimmed(config)) {
		if name, path, ok := strings.Cut(l, "="); ok && strings.TrimSpace(name) == "worktree" {
			return strings.Trim(strings.TrimSpace(path), `"`)
		}
	}
	return ""
}

func absolutePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isSameFile reports whether two paths lead to the same file.
func isSameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}
