package archon

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Workflows use each other by the names that their files declare. They are searched for
// beside the file, then in the project's folder .archon/workflows, then in that of the
// user.

// A named is a workflow file with the name that it declares.
type named struct{ name, path string }

// listWorkflows returns the workflow files that a file can use, those of nearer folders
// first.
func (l *library) listWorkflows() []named {
	if l.flows != nil {
		return l.flows
	}
	l.flows = []named{}
	seen := map[string]bool{}
	l.addWorkflows(l.env.Dir, 0, seen)
	if pack := l.ownPack(); pack != "" {
		l.addWorkflows(pack, 1, seen)
	}
	l.addWorkflows(filepath.Join(l.env.Root, ".archon", "workflows"), deepest, seen)
	if l.env.Home != "" {
		l.addWorkflows(filepath.Join(l.env.Home, ".archon", "workflows"), deepest, seen)
	}
	return l.flows
}

// findWorkflows returns the workflow files with a name. Files of the project come before those of
// its packs, these before those of the user, and these before the ones that Archon brings with it;
// more than one of a kind are ambiguous. loose says that the name is another one, by letter case
// or because it is only the end of the file's.
func (l *library) findWorkflows(name string) (found []named, loose bool) {
	if found = l.findInPacks(name); found != nil {
		return found, false
	}
	match := func(fits func(declared string) bool) (list []named) {
		best := 0
		for _, f := range l.listWorkflows() {
			if !fits(f.name) {
				continue
			}
			switch rank := l.fileRank(f.path); {
			case list == nil || rank < best:
				list, best = []named{f}, rank
			case rank == best:
				list = append(list, f)
			}
		}
		return list
	}
	if found = match(func(declared string) bool { return declared == name }); found != nil {
		return found, false
	}
	if found = match(func(declared string) bool { return strings.EqualFold(declared, name) }); found != nil {
		return found, true
	}
	end := "-" + strings.ToLower(name)
	return match(func(declared string) bool { return strings.HasSuffix(strings.ToLower(declared), end) }), true
}

// fileRank is 0 for a workflow file of the project, 1 for one of a pack, 2 for one of the user, and
// 3 for one that Archon brings with it, which its own repository has in the folder defaults.
func (l *library) fileRank(path string) int {
	pack, _ := workspace.ArchonPack(path, l.listFolder)
	switch {
	case workspace.IsBelow(filepath.Join(l.env.Root, ".archon", "workflows", "defaults"), path):
		return 3
	case l.env.Home != "" && workspace.IsBelow(filepath.Join(l.env.Home, ".archon", "workflows"), path):
		return 2
	case pack != "":
		return 1
	}
	return 0
}

// workflowNames are the names of the workflows that a file can use.
func (l *library) workflowNames() []string {
	list := plain.Texts(l.listWorkflows(), func(f named) string { return f.name })
	return append(list, slices.Sorted(maps.Keys(l.offeredByPacks()))...)
}

// deepest is how many folders below .archon/workflows can have workflows: those of packaged
// workflows, in archon's own repository one more.
const deepest = 3

func (l *library) addWorkflows(dir string, depth int, seen map[string]bool) {
	for _, name := range workflowFiles(l.listFolder(dir)) {
		path := filepath.Join(dir, name)
		if folders, _ := workspace.ArchonFolders(path); seen[path] || len(folders) > 2 || workspace.IsArchonPart(folders) {
			continue
		}
		if pack, workflow := workspace.ArchonPack(path, l.listFolder); pack != "" && !workflow {
			continue
		}
		seen[path] = true
		if name := l.nameOf(path); name != "" {
			l.flows = append(l.flows, named{name, path})
		}
	}
	for _, entry := range l.listFolder(dir) {
		if name, isDir := strings.CutSuffix(entry, "/"); isDir && depth > 0 && !strings.HasPrefix(name, ".") {
			l.addWorkflows(filepath.Join(dir, name), depth-1, seen)
		}
	}
}

// plainHead matches the two keys that identify most workflow files without parsing.
var plainHead = lazyregexp.New(`(?m)^(?:name:[ \t]+([A-Za-z][\w-]*)[ \t]*\r?$|nodes:[ \t]*\r?\n *-)`)

// plainName returns the name of a file whose keys `name` and `nodes` are on a line each,
// as they usually are. A project may have thousands of files.
func plainName(content []byte) (name string, ok bool) {
	found := plainHead().FindAllSubmatch(content, 3)
	if len(found) != 2 || (found[0][1] == nil) == (found[1][1] == nil) || bytes.Count(content, []byte("\nnodes")) > 1 {
		return "", false
	}
	return string(found[0][1]) + string(found[1][1]), true
}

// nameOf returns the name that a workflow file of this format declares, or "".
func (l *library) nameOf(path string) string {
	content, err := l.env.Files.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) // a node that uses it says why
	}
	if name, ok := plainName(content); ok {
		return name
	}
	doc := yamlsrc.Parse(source.NewFile(path, content), &diag.Bag{})
	if doc == nil || doc.Root == nil || doc.Root.Kind != yamlsrc.Mapping {
		return ""
	}
	if nodes := doc.Root.Get("nodes"); nodes == nil || nodes.Kind != yamlsrc.Sequence {
		return ""
	}
	if name := doc.Root.Get("name"); name != nil && name.Kind == yamlsrc.Scalar {
		return trimSpace(name.Value)
	}
	return ""
}

// filesOf are the files of workflows, for messages.
func (l *library) filesOf(list []named) []string {
	return plain.Texts(list, func(w named) string { return l.displayPath(w.path) })
}

// A callee is the workflow that an `include` or a `workflow` node names.
type callee struct {
	// name is the name that the file declares.
	name, path string
	used       *dialect.Used
}

// findCallee finds and compiles the workflow with the name at a value. The fault says why the
// node cannot use it: an error, or a warning if a run of the workflow fails at this node.
// With a callee, the fault is a warning about its name. The callee may have errors.
func (d *decoder) findCallee(at value) (*callee, *diag.Diagnostic) {
	name, place := trimSpace(at.Node.Value), at.Place()
	found, loose := d.library.findWorkflows(name)
	switch {
	case len(found) == 0:
		return nil, finding.UnknownWorkflow(place, name, d.library.workflowNames())
	case len(found) > 1:
		return nil, finding.AmbiguousWorkflow(place, name, d.library.filesOf(found), d.library.offeredNames(found))
	}
	c := &callee{name: found[0].name, path: found[0].path}
	if _, err := d.env.Files.Read(c.path); err != nil {
		return nil, finding.UnreadableFile(place, d.library.displayPath(c.path), dialect.Reason(err))
	}
	cycle := []string(nil)
	if i := slices.Index(d.chain, c.path); i >= 0 {
		cycle = append(slices.Clone(d.chain[i:]), c.path)
	} else if c.used = d.compileUsed(c.path); c.used.Cycle != nil {
		cycle = c.used.Cycle
	}
	switch {
	case cycle != nil:
		return nil, finding.WorkflowCycle(place, c.name, d.library.shownAll(cycle))
	case loose:
		return c, finding.LooseWorkflowName(place, name, c.name, d.library.displayPath(c.path))
	}
	return c, nil
}

// compileUsed compiles the file as if it stood alone.
func (d *decoder) compileUsed(path string) *dialect.Used {
	if d.env.Use != nil {
		return d.env.Use(path)
	}
	content, _ := d.env.Files.Read(path)
	return &dialect.Used{File: source.NewFile(d.library.displayPath(path), content)}
}
