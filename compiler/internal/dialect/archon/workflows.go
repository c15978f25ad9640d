package archon

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Workflows use each other by the names that their files declare. They are searched for
// beside the file, then in the project's folder .archon/workflows, then in that of the
// user.

// A named is a workflow file with the name that it declares. far says how far away its
// place is.
type named struct {
	name, path string
	far        distance
}

// A distance is that of a place with workflows.
type distance int

const (
	beside distance = iota
	inProject
	inHome
)

// workflow returns the workflow files with a name in the nearest place that has one, and
// the names of all workflows.
func (l *library) workflow(name string) (found []named, known []string) {
	for _, f := range l.workflows() {
		known = append(known, f.name)
		if f.name == name && (len(found) == 0 || found[0].far == f.far) {
			found = append(found, f)
		}
	}
	return found, known
}

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

// deepest is how many folders below .archon/workflows are searched.
const deepest = 12

func (l *library) addWorkflows(dir string, depth int, seen map[string]bool) {
	for _, entry := range l.list(dir) {
		path := filepath.Join(dir, entry)
		if strings.HasSuffix(entry, "/") {
			if depth > 0 {
				l.addWorkflows(path, depth-1, seen)
			}
			continue
		}
		if ext := filepath.Ext(entry); ext != ".yaml" && ext != ".yml" || seen[path] {
			continue
		}
		seen[path] = true
		if name := l.nameOf(path); name != "" {
			l.flows = append(l.flows, named{name, path, l.distance(path)})
		}
	}
}

// distance returns how far away a workflow file is. A file beside this one is no nearer if
// both are in a folder of workflows.
func (l *library) distance(path string) distance {
	within := func(root string) bool {
		rel, err := filepath.Rel(filepath.Join(root, ".archon", "workflows"), path)
		return root != "" && err == nil && filepath.IsLocal(rel)
	}
	switch {
	case within(l.env.Root):
		return inProject
	case within(l.env.Home):
		return inHome
	}
	return beside
}

// nameOf returns the name that a workflow file of this format declares, or "".
func (l *library) nameOf(path string) string {
	name, known := l.names[path]
	if !known {
		name = l.readName(path)
		l.names[path] = name
	}
	return name
}

func (l *library) readName(path string) string {
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
