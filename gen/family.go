package gen

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
)

// The workflows that a workflow runs are packages of their own, in folders of its package.
// Each is generated as if it stood alone. They are beside each other, also if one runs
// another, so each is there once.

// defaultImportPath is the import path of a package whose Options name none: the one that
// package build gives to programs.
const defaultImportPath = modulePath + "/workflow"

// A family are the generators of a workflow and of those that it runs.
type family struct {
	// path is the import path of the package of the workflow.
	path string
	// folders are the names of the packages of the others, and of their folders.
	folders map[*ir.Program]string
	members map[*ir.Program]*generator
}

// newFamily returns the generators of a program and of those that it runs.
func newFamily(p *ir.Program, opt Options) *family {
	fam := &family{path: opt.ImportPath, folders: map[*ir.Program]string{}, members: map[*ir.Program]*generator{}}
	if fam.path == "" {
		fam.path = defaultImportPath
	}
	callees := p.Callees()
	taken := map[string]bool{opt.Package: true}
	for _, callee := range callees {
		name := folderName(callee.Workflow.Name)
		for base, i := name, 2; taken[name]; i++ {
			name = base + itoa(i)
		}
		taken[name] = true
		fam.folders[callee] = name
	}
	fam.add(p, opt)
	for _, callee := range callees {
		fam.add(callee, Options{Package: fam.folders[callee], LineDirectives: opt.LineDirectives})
	}
	return fam
}

func (fam *family) add(p *ir.Program, opt Options) {
	fam.members[p] = newGenerator(p, flowBody(p.Workflow), opt, fam)
}

// importPath is the import path of the package of a workflow that another one runs.
func (fam *family) importPath(p *ir.Program) string { return fam.path + "/" + fam.folders[p] }

// otherPackages are names of packages that generated code imports, and of variables that
// some generated code has.
var otherPackages = strings.Fields(`
	graph graphfiles steps outcome output json py gotext structured embed choice deliver zones catalog
	attention done gate item message prompt reason run t tasks until
	internal testdata vendor test`)

// folderName is the name of the package, and of its folder, for a workflow that another one
// runs: one that means nothing else in generated code or to the go command.
func folderName(workflow string) string {
	name := PackageName(workflow)
	if slices.Contains(reserved, name) || slices.Contains(otherPackages, name) {
		return "wf" + name
	}
	return name
}

// callees returns the generators of the workflows that this one runs, and of those that
// they run.
func (g *generator) callees() []*generator {
	var list []*generator
	for _, p := range g.program.Callees() {
		list = append(list, g.family.members[p])
	}
	return list
}

// all returns the generator and its callees.
func (g *generator) all() []*generator { return append([]*generator{g}, g.callees()...) }

// direct returns the workflows that nodes of this one run, each once, in the order of
// their first nodes.
func direct(w *ir.Workflow) []*ir.Program {
	var list []*ir.Program
	ir.Walk(w.Body, func(n *ir.Node) {
		if c, ok := n.Action.(*ir.Call); ok && !slices.Contains(list, c.Callee) {
			list = append(list, c.Callee)
		}
	})
	return list
}

// allAgents are the names of the agents of the workflow and of those that it runs.
func (g *generator) allAgents() []string {
	var names []string
	for _, member := range g.all() {
		for _, name := range member.agents() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
