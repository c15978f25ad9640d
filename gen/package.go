package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Code is generated in stages. A declarer finds the names, types and places of all that a
// package declares, and leaves them in a goPackage. Writers read it: a function is the body of
// one function while it is written, and the other writers make the declarations of the file.

// A goPackage is a package that is being written: what is known of it before its functions are.
type goPackage struct {
	style
	*coverage
	program  *ir.Program
	opt      Options
	family   *family
	fileName string
	source   string // the workflow file's name, without its folder
	names    *names
	types    *typeSet
	inputs   map[string]*input
	inputSeq []*input
	// inputTypes declare the types of the inputs.
	inputTypes []func(*jen.File)
	nodes      []*node // in definition order
	byID       map[string]*node
	graph      *graphCode // of a state graph, else nil
	// environment are the author's environment variables, or nil.
	environment *environment
	sequence    bool // steps one after the other
	// loopNames are the names of the variables of loops, which functions get as
	// parameters.
	loopNames map[string]bool
	locals    map[*expr.Declared]*local
	// fanned are the parameters that hold the items of workflows that run for each item.
	// fannedTexts are those of the items that are texts and not JSON.
	fanned      map[*expr.Declared]string
	fannedTexts map[*expr.Declared]bool
	// usesScriptEnv says that scripts get more variables than those of every workflow, and
	// extendsScriptEnv that some get still more.
	usesScriptEnv, extendsScriptEnv bool
}

// A declarer finds what a package declares.
type declarer struct {
	*goPackage
	// bySchema are the nodes with each JSON Schema of the workflow.
	bySchema map[string][]*node
}

func newPackage(p *ir.Program, body ir.Body, opt Options, fam *family) *goPackage {
	g := &goPackage{
		style:    style{directives: opt.LineDirectives, file: p.File},
		coverage: &coverage{counts: opt.Cover, workflow: p.File},
		program:  p, opt: opt, family: fam, source: baseName(p.File.Name), names: newNames(p, opt),
		inputs: map[string]*input{}, byID: map[string]*node{},
		loopNames: map[string]bool{}, locals: map[*expr.Declared]*local{},
		fanned: map[*expr.Declared]string{}, fannedTexts: map[*expr.Declared]bool{},
	}
	for _, callee := range direct(p.Workflow) {
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
	g.inputTypes = d.declared(func() { d.declareInputs(p.Workflow.Inputs) })
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

// The writers of declarations read the package and hold nothing else.
type (
	// A fileWriter puts the sections of a file together.
	fileWriter struct{ *goPackage }
	// A definitionWriter writes the definition of the workflow and its tables.
	definitionWriter struct{ *goPackage }
	// A flowWriter writes the function of the flow.
	flowWriter struct{ *goPackage }
	// A spawner writes the calls that begin nodes.
	spawner struct{ *goPackage }
	// A nodeWriter writes what belongs to a node.
	nodeWriter struct{ *goPackage }
	// A graphWriter writes a state graph.
	graphWriter struct{ *goPackage }
	// A programWriter writes main.go and engine.go.
	programWriter struct{ *goPackage }
)
