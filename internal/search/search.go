// Package search finds the workflow files of folders.
package search

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/gitignore"
)

// YAML visits the YAML files below a folder in order, by names that begin with that of the
// folder. It leaves out hidden folders (except .archon, which holds workflows, and
// .github), folders of other people's code, files that git ignores, and files and folders
// for which excluded is true. An error of excluded or visit ends the search.
func YAML(dir string, excluded func(name string) (bool, error), visit func(name string) error) error {
	top, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	folders := map[string]*gitignore.Folder{} // by name, as WalkDir has them
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && name == dir {
			folders[filepath.Clean(name)] = gitignore.Open(top)
			return nil
		}
		folder := folders[filepath.Dir(name)]
		if e.IsDir() {
			if PassesOver(e.Name()) || folder.Ignores(e.Name(), true) {
				return filepath.SkipDir
			}
			folders[name] = folder.Enter(e.Name())
			left, err := excluded(name)
			if err == nil && left {
				return filepath.SkipDir
			}
			return err
		}
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		if !e.Type().IsRegular() {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil // a dangling link, or nothing that can be read to its end
			}
		}
		if folder.Ignores(e.Name(), false) {
			return nil
		}
		if left, err := excluded(name); err != nil || left {
			return err
		}
		return visit(name)
	})
}

// PassesOver reports whether a search leaves out the folders of a name.
func PassesOver(folder string) bool {
	switch folder {
	case ".archon", ".github":
		return false
	case "node_modules", "vendor", "__pycache__":
		return true
	}
	return strings.HasPrefix(folder, ".")
}
