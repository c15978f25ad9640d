package confine

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// A tree is a work tree with what git needs outside of it.
type tree struct {
	top string
	// own is the folder that git has for the work tree, and common that of its repository, or "".
	own, common string
	read, write []string
	guarded     []string // patterns, beside those of grants.Guarded
}

// workTree returns the work tree of the run, as it was before the first step: a step can make a
// repository in a folder between the run's and the top.
func (r *Run) workTree() tree {
	r.finding.tree.Do(func() {
		r.tree = treeOf(r.Info.WorkDir)
		for dir := r.Info.WorkDir; dir != r.tree.top && sandbox.Within(dir, r.tree.top); dir = filepath.Dir(dir) {
			r.tree.guardFolder(dir)
		}
	})
	return r.tree
}

// guardFolder guards in a folder below the top what is guarded there: tools that start in the folder
// read it. A repository there would be that of the folder.
func (t *tree) guardFolder(dir string) {
	below := sandbox.EscapePattern(strings.TrimPrefix(dir, t.top+"/")) + "/"
	t.guarded = append(t.guarded, below+".git")
	for _, pattern := range grants.Guarded {
		if !strings.HasPrefix(pattern, ".git/") {
			t.guarded = append(t.guarded, below+pattern)
		}
	}
}

// Git returns a folder of the run for wfc's own git, which takes the repository that was there before
// the first step: programs may have made another one, and git would start what that names. The
// settings of the first are guarded.
func (r *Run) Git(folder git.Folder) git.Folder {
	if r != nil {
		t := r.workTree()
		folder.Repository, folder.WorkTree = cmp.Or(t.own, os.DevNull), t.top
	}
	return folder
}

// repository is the repository of the run, for wfc's own git in the top folder.
func (r *Run) repository() git.Folder {
	return r.Git(git.Folder{Path: r.workTree().top, Environ: r.Environ()})
}

// guardedPatterns are the patterns of what no program writes without a grant.
func (t *tree) guardedPatterns() []string { return slices.Concat(grants.Guarded, t.guarded) }

// treeOf returns the work tree of a folder: that of its repository, or the folder.
func treeOf(folder string) tree {
	for dir := folder; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil && info.IsDir() {
			own := filepath.Join(dir, ".git")
			return tree{top: dir, own: own, common: own}
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
	t.own, t.common, t.read = own, common, []string{common}
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
