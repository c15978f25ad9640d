// Package testkit is shared by tests: files in memory, type checks of generated packages, and
// what a test needs of the machine.
package testkit

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Memory is a file system in memory: contents by absolute path with slashes.
// It implements dialect.Files.
type Memory map[string]string

// Unreadable is the content of a file that exists but cannot be read.
const Unreadable = "\x00unreadable"

// Read returns a file's content.
func (m Memory) Read(name string) ([]byte, error) {
	name = path.Clean(filepath.ToSlash(name))
	if text, ok := m[name]; ok {
		if text == Unreadable {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// List returns the names in a folder in order, folders with a slash.
func (m Memory) List(dir string) []string {
	prefix := strings.TrimSuffix(path.Clean(filepath.ToSlash(dir)), "/") + "/"
	var names []string
	for name := range m {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			first, _, deeper := strings.Cut(rest, "/")
			if deeper {
				first += "/"
			}
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
