package archon

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/workspace"
)

// Packs: workflows of a pack use each other by their names, whatever workflows of these names
// the project and other packs have. All others use what a pack offers by the name that wfc.lock
// lists, such as acme/kit:review. Adding a pack changes no name that a project already uses.

// findInPacks returns the workflow files with a name in the pack of this file, or else the one
// that a pack offers by this name.
func (l *library) findInPacks(name string) (found []named) {
	if pack := l.ownPack(); pack != "" {
		for _, f := range l.listWorkflows() {
			if f.name == name && workspace.IsBelow(pack, f.path) {
				found = append(found, f)
			}
		}
	}
	if found != nil || !strings.Contains(name, ":") {
		return found
	}
	for qualified, path := range l.offeredByPacks() {
		if strings.EqualFold(qualified, name) { // owners on GitHub are names in any case
			return []named{{name, path}}
		}
	}
	return nil
}

// offeredByPacks returns the paths of the workflows that the packs of the project offer, by their
// names.
func (l *library) offeredByPacks() map[string]string {
	project := workspace.PackProject(l.env.Root)
	lock, err := l.env.Files.Read(filepath.Join(project, workspace.LockName))
	if err != nil {
		return nil
	}
	offered := workspace.PackWorkflows(lock)
	for name, path := range offered {
		offered[name] = filepath.Join(project, filepath.FromSlash(path))
	}
	return offered
}

// offeredNames returns the names under which packs offer workflows, in order.
func (l *library) offeredNames(list []named) []string {
	var names []string
	for qualified, path := range l.offeredByPacks() {
		if slices.ContainsFunc(list, func(w named) bool { return w.path == path }) {
			names = append(names, qualified)
		}
	}
	slices.Sort(names)
	return names
}

// ownPack returns the folder of the pack of Archon that this file belongs to, or "".
func (l *library) ownPack() string {
	pack, _ := workspace.ArchonPack(filepath.Join(l.env.Dir, "x"), l.listFolder)
	return pack
}
