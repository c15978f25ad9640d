package compiler

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
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

// compileUsed compiles a file that this one uses; see dialect.Env.Use.
func (c *compilation) compileUsed(path string) *dialect.Used {
	if i := slices.Index(c.family.users, path); i >= 0 {
		return &dialect.Used{Cycle: append(slices.Clone(c.family.users[i:]), path)}
	}
	if known := c.family.used[path]; known != nil {
		return known
	}
	used := &dialect.Used{File: source.NewFile(path, nil)}
	c.family.used[path] = used
	env := c.newEnv()
	content, err := env.Files.Read(path)
	if err != nil {
		return used
	}
	used.File = source.NewFile(c.displayPath(path, env.Root), content)
	opt := Options{
		Path: path, Files: c.opt.Files, Root: env.Root, Home: c.opt.Home, Settings: c.opt.Settings,
		Severities: c.opt.Severities, Portability: c.opt.Portability,
	}
	inner := &compilation{file: used.File, opt: opt, result: &Result{File: used.File}, frontends: c.frontends, family: c.family}
	inner.completeResult()
	used.Findings, used.Raw = inner.result.Diagnostics, inner.raw
	if !inner.result.HasErrors() {
		used.Program = inner.result.Workflow
	}
	return used
}

// keepRaw keeps the findings of a file that another one uses, before comments in the file
// and the configuration apply.
func (c *compilation) keepRaw(list []*diag.Diagnostic) {
	if len(c.family.users) < 2 {
		return
	}
	for _, d := range list {
		copied := *d
		c.raw = append(c.raw, &copied)
	}
	c.hideOutside(c.raw)
}

// displayPath is the name of a file in messages: relative to the folder of this file if that has
// a relative name, else as library files are shown.
func (c *compilation) displayPath(path, root string) string {
	if dir := filepath.Dir(c.absPath()); c.file.Name != c.absPath() {
		if rel, err := filepath.Rel(dir, path); err == nil {
			return filepath.ToSlash(filepath.Join(filepath.Dir(c.file.Name), filepath.FromSlash(rel)))
		}
	}
	return workspace.Shown(root, path)
}

// addChecks adds what the checks found in a program. For included nodes, it leaves out
// findings that their file also has when compiled alone; their errors become one error.
func (c *compilation) addChecks(p *ir.Program, found []*diag.Diagnostic) {
	for _, f := range found {
		i := slices.IndexFunc(p.Used, func(u ir.Use) bool { return u.File == f.Span.File && f.Span.File != c.file })
		if i < 0 {
			c.bag.Add(f)
			continue
		}
		used := c.usedFile(f.Span.File)
		if used == nil || used.Own(f) == nil {
			f.Fixes = nil // they are for the file alone
			c.bag.Add(c.includedAt(p, f, f.Span.File))
			continue
		}
		for _, u := range p.Used {
			if u.File == f.Span.File && u.At.File == c.file && f.Severity == diag.Error {
				c.bag.Add(finding.FaultyWorkflow(u.At, u.At.Text(), used.Own(f)))
			}
		}
	}
}

func (c *compilation) usedFile(file *source.File) *dialect.Used {
	for _, used := range c.family.used {
		if used.File == file {
			return used
		}
	}
	return nil
}

// includedAt adds the places that include a file, up to this one, to a finding in it.
func (c *compilation) includedAt(p *ir.Program, f *diag.Diagnostic, file *source.File) *diag.Diagnostic {
	for _, u := range p.Used {
		if u.File != file {
			continue
		}
		f.WithRelated(u.At, "included here")
		if u.At.File != c.file {
			c.includedAt(p, f, u.At.File)
		}
	}
	return f
}

// hideOutside keeps the text of files outside of the project out of reports. A workflow
// may name, or be a link to, any file that wfc may read, and readers of the report of a
// proposed change may not be allowed to read that file. The commands and scripts of the
// home folder belong to every project.
func (c *compilation) hideOutside(list []*diag.Diagnostic) {
	if len(list) == 0 {
		return
	}
	env := c.newEnv()
	inside := []string{resolveSymlinks(env.Root)}
	if env.Home != "" {
		inside = append(inside, resolveSymlinks(filepath.Join(env.Home, ".archon")))
	}
	seen := map[*source.File]bool{nil: true, c.file: true}
	hide := func(f *source.File, path string) {
		path = resolveSymlinks(path)
		f.Private = true
		for _, folder := range inside {
			rel, err := filepath.Rel(folder, path)
			f.Private = f.Private && (err != nil || !filepath.IsLocal(rel))
		}
		f.Private = f.Private && len(f.Content) > 0
	}
	hide(c.file, c.absPath())
	look := func(f *source.File) {
		if seen[f] {
			return
		}
		seen[f] = true
		// Front ends name files relative to the root, and others by their whole path.
		if path := filepath.FromSlash(f.Name); filepath.IsAbs(path) {
			hide(f, path)
		} else {
			hide(f, filepath.Join(env.Root, path))
		}
	}
	for _, d := range list {
		look(d.Span.File)
		for _, r := range d.Related {
			look(r.Span.File)
		}
		if d.Span.File != nil && d.Span.File.Private {
			// Messages quote what is wrong.
			d.Message = strings.ReplaceAll(d.Code.Slug, "-", " ") + " in a file outside the project, whose content is hidden"
			d.Label, d.Help, d.Fixes = "", nil, nil
		}
	}
}

// resolveSymlinks is a path without symbolic links, as far as they can be followed.
func resolveSymlinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
