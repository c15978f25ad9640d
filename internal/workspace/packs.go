package workspace

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// The names of packs: of the lock file of a project, of the folder with the packs that are not
// Archon's, and of the manifest at the top of Archon's packs.
const (
	LockName     = "wfc.lock"
	PacksFolder  = "packs"
	PackManifest = "archon-plugin.json"
)

// PackFolder returns the folder of the pack that a folder is in, or "": a folder of packs beside
// wfc.lock.
func PackFolder(dir string) string {
	for at := range Ancestors(dir) {
		if up := filepath.Dir(at); filepath.Base(up) == PacksFolder && up != at && Exists(filepath.Join(filepath.Dir(up), LockName)) {
			return at
		}
	}
	return ""
}

// PackProject returns the folder of wfc.lock for a project's folder: another one if that is the
// folder of a pack.
func PackProject(root string) string {
	if pack := PackFolder(root); pack != "" {
		return filepath.Dir(filepath.Dir(pack))
	}
	return root
}

// PackWorkflows returns the files of the workflows that the packs of a wfc.lock offer to other
// workflows, relative to its folder and with slashes, by their names, such as acme/kit:review. A
// file that is not a lock has none: `wfc add --check` reports it.
func PackWorkflows(lock []byte) map[string]string {
	var packs struct {
		Packs []struct {
			Folder    string
			Workflows map[string]string
		}
	}
	if json.Unmarshal(lock, &packs) != nil {
		return nil
	}
	all := map[string]string{}
	for _, p := range packs.Packs {
		for name, file := range p.Workflows {
			if path := filepath.FromSlash(p.Folder + "/" + file); filepath.IsLocal(path) {
				all[name] = filepath.ToSlash(path)
			}
		}
	}
	return all
}

// ArchonPack returns the folder of the pack of Archon that a file belongs to by its absolute
// path, or "". list lists folders as Disk.List does. workflow says that the file is in the folder
// of a workflow: Archon takes no other YAML file of a pack for a workflow.
func ArchonPack(path string, list func(dir string) []string) (folder string, workflow bool) {
	folders, _ := ArchonFolders(path)
	if len(folders) == 0 {
		return "", false
	}
	folder = filepath.Dir(path)
	for range len(folders) - 1 {
		folder = filepath.Dir(folder)
	}
	if !slices.Contains(list(folder), PackManifest) {
		return "", false
	}
	return folder, len(folders) == 2
}
