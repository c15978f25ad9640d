package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The workflows that a workflow runs become separate packages, in folders of its package, each
// generated as if it were alone. The folders are siblings even if one workflow runs another,
// so each workflow has one.

func newPackage(p *ir.Program, body ir.Body, opt Options, fam *family) *goPackage {
	g := &goPackage{
		style:    style{directives: opt.LineDirectives, file: p.File},
		coverage: &coverage{counts: opt.Cover, workflow: p.File},
		program:  p, opt: opt, family: fam, source: baseName(p.File.Name), names: newNames(p, opt),
		inputs: map[string]*input{}, byID: map[string]*node{},
		loopNames: map[string]bool{}, locals: map[*expr.Declared]*local{},
		fanned: map[*expr.Declared]string{}, fannedTexts: map[*expr.Declared]bool{},
	}
	for _, callee := range directCallees(p.Workflow) {
		g.names.taken[fam.folders[callee]] = true
	}
	name := opt.Package
	if name == "main" {
		name = PackageName(p.Workflow.Name)
		if name == "main" {
			name = "workflow"
		}
	}
	g.fileName = name + ".go"
	g.types = newTypeSet(g.names)
	d := &declarer{goPackage: g, bySchema: map[string][]*node{}}
	g.inputTypes = d.declaredTypes(func() { d.declareInputs(p.Workflow.Inputs) })
	d.declareEnvironment()
	switch body := body.(type) {
	case *ir.DAG:
		d.declareNodes(body)
	case *ir.Sequence:
		g.sequence = true
		d.declareSequence(body)
	case *ir.Graph:
		d.declareGraph(body)
	}
	return g
}

// newFamily returns the generators of a program and of those that it runs.
func newFamily(p *ir.Program, opt Options) *family {
	fam := &family{path: cmp.Or(opt.ImportPath, defaultImportPath), folders: map[*ir.Program]string{}, members: map[*ir.Program]*goPackage{}}
	callees := p.Callees()
	folders := &names{taken: map[string]bool{opt.Package: true}}
	for _, callee := range callees {
		fam.folders[callee] = folders.takeName(folderName(callee.Workflow.Name))
	}
	fam.addMember(p, opt)
	for _, callee := range callees {
		fam.addMember(callee, Options{Package: fam.folders[callee], LineDirectives: opt.LineDirectives})
	}
	return fam
}

func (fam *family) addMember(p *ir.Program, opt Options) {
	fam.members[p] = newPackage(p, flowBody(p.Workflow), opt, fam)
}

// defaultImportPath is the import path of a package whose Options name none: the one that
// package build gives to programs.
const defaultImportPath = modulePath + "/workflow"

// otherPackages are names of packages that generated code imports, and of variables and
// functions that some generated code has.
var otherPackages = strings.Fields(`
	inputs nodes atomic covered slices
	graph graphfiles steps outcome output json py gotext structured embedding prompts deliver zones catalog
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
