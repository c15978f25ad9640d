// Package workspace finds the folders of projects and reads their files.
package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// Root returns the project's folder for a file of the given absolute path:
// the folder that holds .archon for a file in .archon/workflows; else the
// nearest one with wfc.yaml, .archon or .git; else the file's own. The .archon
// of the home folder holds what all projects share and marks none.
func Root(path, home string) string {
	slashed := filepath.ToSlash(path)
	if i := strings.LastIndex(slashed, ArchonFolder); i >= 0 {
		return filepath.FromSlash(slashed[:max(i, 1)])
	}
	for dir := range Ancestors(filepath.Dir(path)) {
		for _, marker := range []string{ConfigName, ".archon", ".git"} {
			if marker == ".archon" && dir == home {
				continue
			}
			if Exists(filepath.Join(dir, marker)) {
				return dir
			}
		}
	}
	return filepath.Dir(path)
}

// ConfigName is the name of the configuration file.
const ConfigName = "wfc.yaml"

// Exists reports whether there is something of the given path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Ancestors yields a folder and those above it, up to the root.
func Ancestors(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(dir) {
			up := filepath.Dir(dir)
			if up == dir {
				return
			}
			dir = up
		}
	}
}
