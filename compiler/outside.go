package compiler

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// hideOutside removes the text of files outside the project from reports. A
// workflow may name, or be a link to, any file that wfc may read. A user who sees
// the report about a proposed change may not be allowed to read that file. The
// commands and scripts of the home folder belong to every project.
func (c *compilation) hideOutside(list []*diag.Diagnostic) {
	if len(list) == 0 {
		return
	}
	env := c.env()
	inside := []string{followed(env.Root)}
	if env.Home != "" {
		inside = append(inside, followed(filepath.Join(env.Home, ".archon")))
	}
	seen := map[*source.File]bool{nil: true, c.file: true}
	hide := func(f *source.File, path string) {
		path = followed(path)
		f.Private = true
		for _, folder := range inside {
			rel, err := filepath.Rel(folder, path)
			f.Private = f.Private && (err != nil || !filepath.IsLocal(rel))
		}
	}
	hide(c.file, c.path())
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
			// Messages quote the fault.
			d.Message = strings.ReplaceAll(d.Code.Slug, "-", " ") + " in a file outside of the project, of which no text is shown"
			d.Label, d.Help, d.Fixes = "", nil, nil
		}
	}
}

// followed is a path without symbolic links, as far as they can be followed.
func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
