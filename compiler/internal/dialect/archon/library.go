package archon

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A library finds the files that a workflow names and keeps those it used:
// their content becomes part of the program.
type library struct {
	env *dialect.Env
	// root is the folder with the commands and scripts: that of the project or of the pack.
	root  string
	lists map[string][]string
	// shelved are the results of searchFolders, by the kind of file.
	shelved map[string][]string
	files   map[string]*source.File
	// packaged is the folder of the packaged workflow, or "".
	packaged string
	// flows is the answer of workflows.
	flows []named
	used  *[]*source.File
	// models are the model tiers and aliases of .archon/config.yaml.
	models *projectModels
}

func newLibrary(env *dialect.Env) *library {
	root := cmp.Or(workspace.PackFolder(env.Dir), env.Root)
	return &library{env: env, root: root, packaged: packageFolder(env.Dir), lists: map[string][]string{}, shelved: map[string][]string{}, files: map[string]*source.File{}, used: new([]*source.File), models: &projectModels{}}
}

// shareFiles makes the library of an included file keep its files with those of the including
// file. Its commands and scripts stay those of its own file.
func (l *library) shareFiles(other *library) {
	l.lists, l.files, l.used, l.models = other.lists, other.files, other.used, other.models
}

// listFolder returns the entries of a folder, folders with a slash at the end.
func (l *library) listFolder(dir string) []string {
	entries, known := l.lists[dir]
	if !known {
		entries = l.env.Files.List(dir)
		l.lists[dir] = entries
	}
	return entries
}

// hasFile reports whether a folder holds a file.
func (l *library) hasFile(dir, file string) bool { return slices.Contains(l.listFolder(dir), file) }

// readFile returns a file, or the fault at v if it is unreadable.
func (l *library) readFile(v value, path string) (*source.File, *diag.Diagnostic) {
	f, err := l.openFile(path)
	if err != nil {
		return nil, finding.UnreadableFile(v.Place(), l.displayPath(path), dialect.Reason(err))
	}
	return f, nil
}

// openFile returns a file, which becomes part of the program.
func (l *library) openFile(path string) (*source.File, error) {
	if f, known := l.files[path]; known {
		return f, nil
	}
	content, err := l.env.Files.Read(path)
	if err != nil {
		return nil, err
	}
	f := source.NewFile(l.displayPath(path), content)
	l.files[path] = f
	*l.used = append(*l.used, f)
	return f, nil
}

// addResources notes files whose content becomes part of the program.
func (l *library) addResources(files ...*source.File) {
	for _, f := range files {
		if !slices.Contains(*l.used, f) {
			*l.used = append(*l.used, f)
		}
	}
}

// newFile is the path of a file of a kind ("commands" or "scripts") that can be created.
func (l *library) newFile(kind, name string) string {
	if l.packaged != "" {
		return l.displayPath(filepath.Join(l.packaged, kind, name))
	}
	return ".archon/" + kind + "/" + name
}

// displayPath is the path for messages.
func (l *library) displayPath(path string) string { return workspace.Shown(l.env.Root, path) }

// shownAll are paths for messages.
func (l *library) shownAll(paths []string) []string {
	return plain.Texts(paths, l.displayPath)
}

// searchFolders are the folders in which files of a kind ("commands" or "scripts") are
// searched for, in order, each followed by the folders directly inside it. The
// folder defaults comes after its neighbours. A packaged workflow has only its own.
func (l *library) searchFolders(kind string, configured []string) []string {
	all, known := l.shelved[kind]
	if !known {
		all = l.findShelves(kind, configured)
		l.shelved[kind] = all
	}
	return all
}

func (l *library) findShelves(kind string, configured []string) []string {
	if l.packaged != "" {
		return l.withFolders([]string{filepath.Join(l.packaged, kind)}, "")
	}
	root := l.root
	own := filepath.Join(root, ".archon", kind)
	tops := []string{filepath.Join(root, kind), own, filepath.Join(own, "defaults")}
	for _, dir := range configured {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		tops = append(tops, dir)
	}
	if l.env.Home != "" {
		tops = append(tops, filepath.Join(l.env.Home, ".archon", kind))
	}
	return l.withFolders(tops, own)
}

// withFolders returns each folder followed by the folders directly inside it, but not the
// folder defaults of own.
func (l *library) withFolders(tops []string, own string) []string {
	var all []string
	for _, top := range tops {
		all = append(all, top)
		for _, entry := range l.listFolder(top) {
			if sub, isDir := strings.CutSuffix(entry, "/"); isDir && !(top == own && sub == "defaults") {
				all = append(all, filepath.Join(top, sub))
			}
		}
	}
	return all
}

// baseName is the last part of a path written with slashes or the system's
// separator.
func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// packageFolder returns the folder of the packaged workflow to which files of the folder
// dir belong, or "". A packaged workflow has a folder .archon/workflows/PACK/WORKFLOW: one
// YAML file, and the folders commands, scripts and fixtures. Its commands and scripts are
// there only. Scripts may import modules of PACK/.shared.
func packageFolder(dir string) string {
	folders, _ := workspace.ArchonFolders(filepath.Join(dir, "x"))
	if len(folders) < 2 || workspace.IsArchonPart(folders) {
		return ""
	}
	for range len(folders) - 2 {
		dir = filepath.Dir(dir)
	}
	return dir
}

// checkPackage reports faults of the folder of a packaged workflow, at the top of its file.
func (a *agents) checkPackage(root *yamlsrc.Node) {
	folder := a.library.packaged
	if folder == "" {
		return
	}
	at := value{Node: root}.FirstKey()
	folders, _ := workspace.ArchonFolders(filepath.Join(folder, "x"))
	shown := strings.Join(folders, "/")
	for _, name := range folders {
		if strings.HasPrefix(name, ".") {
			a.Bag.Add(codes.InvalidPackage.New(at, fmt.Sprintf("the folder `%s` of a packaged workflow starts with a dot", name)).
				WithHelp("rename the folder"))
			return
		}
	}
	files := workflowFiles(a.library.listFolder(folder))
	switch {
	case folder != a.env.Dir:
		a.Bag.Add(codes.InvalidPackage.New(at, "this file is more than two folders below `.archon/workflows`").
			WithHelp("move it to `" + a.library.displayPath(folder) + "`, the folder of its packaged workflow"))
	case len(files) > 1:
		a.Bag.Add(codes.InvalidPackage.New(at, fmt.Sprintf("the packaged workflow `%s` has %d workflow files: `%s`", shown, len(files), strings.Join(files, "`, `"))).
			WithHelp("give each workflow a separate folder, or move the files one folder up, where they share commands and scripts"))
	}
}

// workflowFiles are those entries of a folder that can be workflows.
func workflowFiles(entries []string) []string {
	return slices.DeleteFunc(slices.Clone(entries), func(name string) bool {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml")
		return stem == name || strings.HasSuffix(stem, ".stubs")
	})
}
