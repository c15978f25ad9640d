package compiler

import (
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A family are the workflow files that use each other, while the first of them is
// compiled.
type family struct {
	// users are the paths of the files that are being compiled, each used by the one
	// before it.
	users []string
	// used are the files that have been compiled, by their paths.
	used map[string]*dialect.Used
}

// use compiles a file that this one uses; see dialect.Env.Use.
func (c *compilation) use(path string) *dialect.Used {
	if i := slices.Index(c.family.users, path); i >= 0 {
		return &dialect.Used{Circle: append(slices.Clone(c.family.users[i:]), path)}
	}
	if known := c.family.used[path]; known != nil {
		return known
	}
	used := &dialect.Used{File: source.NewFile(path, nil)}
	c.family.used[path] = used
	env := c.env()
	content, err := env.Files.Read(path)
	if err != nil {
		return used
	}
	used.File = source.NewFile(c.shown(path, env.Root), content)
	opt := Options{
		Path: path, Files: c.opt.Files, Root: env.Root, Home: c.opt.Home, Settings: c.opt.Settings,
		Severities: c.opt.Severities, Portability: c.opt.Portability,
	}
	inner := &compilation{file: used.File, opt: opt, result: &Result{File: used.File}, frontends: c.frontends, family: c.family}
	inner.complete()
	used.Findings = inner.result.Diagnostics
	if !inner.result.HasErrors() {
		used.Program = inner.result.Program
	}
	return used
}

// shown is the name of a file in messages: relative to the folder of this file if that has
// a relative name, else as library files are shown.
func (c *compilation) shown(path, root string) string {
	if dir := filepath.Dir(c.path()); c.file.Name != c.path() {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.ToSlash(filepath.Join(filepath.Dir(c.file.Name), filepath.FromSlash(rel)))
		}
	}
	return workspace.Shown(root, path)
}
