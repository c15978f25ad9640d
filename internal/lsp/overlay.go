package lsp

import (
	"path/filepath"
	"slices"
	"strings"
)

// An overlay reads the files of a view: open documents, else the disk. It keeps which
// files were read, so that a change of another file costs nothing. One compilation uses
// it.
type overlay struct {
	view *view
	read map[string]bool
}

// Read implements compiler.Files.
func (o *overlay) Read(path string) ([]byte, error) {
	o.read[path] = true
	if f := o.view.fileAt(path); f != nil {
		return f.Content, nil
	}
	return o.view.disk.files.Read(path)
}

// List implements compiler.Files: new documents are in their folders before they are
// saved.
func (o *overlay) List(dir string) []string {
	names := o.view.disk.files.List(dir)
	copied := false
	for path := range o.view.open {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		name := filepath.ToSlash(rel)
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name = name[:i+1]
		}
		if slices.Contains(names, name) {
			continue
		}
		if !copied {
			names, copied = slices.Clone(names), true // others share it
		}
		names = append(names, name)
		slices.Sort(names)
	}
	return names
}
