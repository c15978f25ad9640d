package archon

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Workflows use each other by the names that their files declare. They are searched for
// beside the file, then in the project's folder .archon/workflows, then in that of the
// user.

// A named is a workflow file with the name that it declares.
type named struct{ name, path string }

// workflows returns the workflow files that a file can use, those of nearer folders
// first.
func (l *library) workflows() []named {
	if l.flows != nil {
		return l.flows
	}
	l.flows = []named{}
	seen := map[string]bool{}
	l.addWorkflows(l.env.Dir, 0, seen)
	l.addWorkflows(filepath.Join(l.env.Root, ".archon", "workflows"), deepest, seen)
	if l.env.Home != "" {
		l.addWorkflows(filepath.Join(l.env.Home, ".archon", "workflows"), deepest, seen)
	}
	return l.flows
}

// deepest is how many folders below .archon/workflows can have workflows: those of packaged
// workflows, in archon's own repository one more.
const deepest = 3

func (l *library) addWorkflows(dir string, depth int, seen map[string]bool) {
	for _, name := range workflowFiles(l.list(dir)) {
		path := filepath.Join(dir, name)
		if folders, _ := workspace.ArchonFolders(path); seen[path] || len(folders) > 2 || workspace.IsArchonPart(folders) {
			continue
		}
		seen[path] = true
		if name := l.nameOf(path); name != "" {
			l.flows = append(l.flows, named{name, path})
		}
	}
	for _, entry := range l.list(dir) {
		if name, isDir := strings.CutSuffix(entry, "/"); isDir && depth > 0 && !strings.HasPrefix(name, ".") {
			l.addWorkflows(filepath.Join(dir, name), depth-1, seen)
		}
	}
}

// nameOf returns the name that a workflow file of this format declares, or "".
func (l *library) nameOf(path string) string {
	content, err := l.env.Files.Read(path)
	if err != nil {
		return ""
	}
	doc := yamlsrc.Parse(source.NewFile(path, content), &diag.Bag{})
	if doc == nil || doc.Root == nil || doc.Root.Kind != yamlsrc.Mapping || doc.Root.Pair("nodes") == nil {
		return ""
	}
	if name := doc.Root.Get("name"); name != nil && name.Kind == yamlsrc.Scalar {
		return trim(name.Value)
	}
	return ""
}
