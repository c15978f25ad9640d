package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// repositories knows the git repository of each folder. It is not safe for concurrent
// use.
type repositories struct{ roots map[string]string }

// root returns the top folder of the repository that a folder belongs to, or "".
func (r *repositories) root(dir string) string {
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
	if r.roots == nil {
		r.roots = map[string]string{}
	}
	r.roots[dir] = root
	return root
}

// path returns the path of a file relative to its repository, with slashes; a file outside
// of every repository keeps its name.
func (r *repositories) path(name string) string {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	root := r.root(filepath.Dir(abs))
	if rel, err := filepath.Rel(root, abs); root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return name
}

// changes knows which files differ from a commit of their repository.
type changes struct {
	repositories
	base string
	// changed are the files that differ, by the root of the repository.
	changed map[string]map[string]bool
}

// has reports whether a file differs from the base: its content, or it is new. Files
// outside of every repository are an error.
func (c *changes) has(path string) (bool, error) {
	root := c.root(filepath.Dir(path))
	if root == "" {
		return false, fmt.Errorf("--changed needs a git repository, and %s is in none", plain.Line(path))
	}
	if c.changed[root] == nil {
		files, err := c.list(root)
		if err != nil {
			return false, err
		}
		if c.changed == nil {
			c.changed = map[string]map[string]bool{}
		}
		c.changed[root] = files
	}
	return c.changed[root][path], nil
}

// list asks git for the files of a repository that differ.
func (c *changes) list(root string) (map[string]bool, error) {
	base := c.base
	if base != "HEAD" {
		// A branch is compared with the commit that it comes from, so that what others
		// changed meanwhile does not count.
		common, err := git(root, "merge-base", base, "HEAD")
		if err != nil {
			return nil, err
		}
		base = strings.TrimSpace(common)
	}
	files := map[string]bool{}
	for _, args := range [][]string{
		{"diff", "--name-only", "-z", "--no-renames", "--end-of-options", base},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := git(root, args...)
		if err != nil {
			return nil, err
		}
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" {
				files[filepath.Join(root, filepath.FromSlash(name))] = true
			}
		}
	}
	return files, nil
}

// git runs git in a repository and returns what it prints.
func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("--changed needs git, which is not installed")
	case err != nil:
		return "", fmt.Errorf("git %s: %s", args[0], plain.Line(strings.TrimSpace(stderr.String())))
	}
	return string(out), nil
}
