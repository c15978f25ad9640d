package cli

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/gitignore"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// repositories knows the git repository of each folder. It is not safe for concurrent
// use.
type repositories struct{ roots map[string]string }

// findRoot returns the top folder of the repository that a folder belongs to, or "".
func (r *repositories) findRoot(dir string) string {
	root, known := r.roots[dir]
	if known {
		return root
	}
	for at := range workspace.Ancestors(dir) {
		if workspace.Exists(filepath.Join(at, ".git")) {
			root = at
			break
		}
	}
	plain.PutEntry(&r.roots, dir, root)
	return root
}

// relativePath returns the path of a file relative to its repository, with slashes; a file outside
// of every repository keeps its name.
func (r *repositories) relativePath(name string) string {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	root := r.findRoot(filepath.Dir(abs))
	if rel, err := filepath.Rel(root, abs); root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// changes knows which files differ from a commit of their repository.
type changes struct {
	repositories
	base string
	// files are the ids of the base's files and links by their paths, by the root of the
	// repository.
	files map[string]map[string]string
}

// isChanged reports whether a file differs from the base: its content, the links that lead to it,
// or it is new. Files outside of every repository are an error. git applies no filter to the
// file, so a file that a filter changes on its way into the repository differs.
func (c *changes) isChanged(path string) (bool, error) {
	root := c.findRoot(filepath.Dir(path))
	if root == "" {
		return false, fmt.Errorf("--changed needs a git repository, and %s is in none", plain.Line(path))
	}
	files, err := c.filesOf(root)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false, err
	}
	names := strings.Split(filepath.ToSlash(rel), "/")
	for i := range names {
		name := strings.Join(names[:i+1], "/")
		target, err := os.Readlink(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		if !isBlob(files[name], []byte(filepath.ToSlash(target))) {
			return true, nil
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || c.findRoot(filepath.Dir(real)) == "" {
			return false, nil
		}
		return c.isChanged(real)
	}
	id, known := files[filepath.ToSlash(rel)]
	content, err := workspace.Disk{}.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return known, nil
	case err != nil:
		return true, nil
	case !known:
		return !gitignore.Open(filepath.Dir(path)).Ignores(filepath.Base(path), false), nil
	}
	// git on Windows stores "\n" for "\r\n".
	return !isBlob(id, content) && !isBlob(id, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))), nil
}

// filesOf returns the ids of the base's files and links in a repository.
func (c *changes) filesOf(root string) (map[string]string, error) {
	if files := c.files[root]; files != nil {
		return files, nil
	}
	base, err := gitRoot(root).mergeBase(c.base)
	if err != nil {
		return nil, err
	}
	tree, err := gitRoot(root).readTree(base)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, f := range slices.Concat(tree.files, tree.links) {
		files[f.path] = f.id
	}
	plain.PutEntry(&c.files, root, files)
	return files, nil
}

// isBlob reports whether git gives a content this id.
func isBlob(id string, content []byte) bool {
	blob := append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...)
	if len(id) == hex.EncodedLen(sha256.Size) {
		return id == fmt.Sprintf("%x", sha256.Sum256(blob))
	}
	return id == fmt.Sprintf("%x", sha1.Sum(blob))
}
