// Package workspace finds the folders of projects and reads their files.
package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root returns the project's folder for a file of the given absolute path:
// the folder that holds .archon for a file in .archon/workflows; else that of the pack, so
// that packs share no names; else the nearest one with wfc.yaml, .archon or .git; else the
// file's own. The .archon of the home folder holds what all projects share and marks none.
func Root(path, home string) string {
	slashed := filepath.ToSlash(path)
	if i := strings.LastIndex(slashed, ArchonFolder); i >= 0 {
		return filepath.FromSlash(slashed[:max(i, 1)])
	}
	if pack := PackFolder(filepath.Dir(path)); pack != "" {
		return pack
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

// misnamed are names that a configuration gets by mistake. wfc does not read such files.
var misnamed = []string{"wfc.yml", ".wfc.yaml", ".wfc.yml"}

// MisnamedConfigs returns the files with such names in a folder and in those above it, up to
// the project's folder.
func MisnamedConfigs(dir, root string) []string {
	var found []string
	for dir := range Ancestors(dir) {
		for _, name := range misnamed {
			if path := filepath.Join(dir, name); Exists(path) {
				found = append(found, path)
			}
		}
		if dir == root {
			break
		}
	}
	return found
}

// IsBelow reports whether a path is that of a folder or of something in it.
func IsBelow(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

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

// ArchonFolder is where archon keeps workflows, relative to the project's folder.
const ArchonFolder = "/.archon/workflows/"

// ArchonFolders returns the folders between .archon/workflows and an entry of the given
// absolute path, the outermost first; false if the entry is not in such a folder. An entry
// of .archon/workflows/PACK/WORKFLOW belongs to a packaged workflow. In archon's own
// repository, the folder defaults holds the workflows that it brings with it; it does not
// count.
func ArchonFolders(path string) ([]string, bool) {
	slashed := filepath.ToSlash(path)
	i := strings.LastIndex(slashed, ArchonFolder)
	if i < 0 {
		return nil, false
	}
	parts := strings.Split(slashed[i+len(ArchonFolder):], "/")
	parts = parts[:len(parts)-1]
	if len(parts) > 1 && parts[0] == "defaults" {
		parts = parts[1:]
	}
	return parts, true
}

// archonParts are the folders of a packaged workflow that hold no workflows.
var archonParts = []string{"commands", "scripts", "fixtures"}

// IsArchonWorkflow reports whether the YAML file of a path in .archon/workflows is a
// workflow by its place and name: not one that belongs to a packaged workflow, and not one
// with replies for tests.
func IsArchonWorkflow(path string) bool {
	folders, ok := ArchonFolders(path)
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".yaml"), ".yml")
	return ok && !strings.HasSuffix(name, ".stubs") && !IsArchonPart(folders)
}

// IsArchonPart reports whether folders below .archon/workflows are part of a packaged
// workflow, or of the files that the workflows of a pack share.
func IsArchonPart(folders []string) bool {
	return len(folders) > 2 && slices.Contains(archonParts, folders[2]) || len(folders) > 1 && folders[1] == ".shared"
}
