// Package gen turns workflows that package compiler has compiled into readable Go.
// The following code compiles a workflow and writes its package:
//
//	result := compiler.Compile(source.NewFile("triage.yaml", content), compiler.Options{})
//	if result.Workflow == nil || result.HasErrors() {
//		return errors.New("triage.yaml is not a correct workflow")
//	}
//	files := gen.Generate(result.Workflow, gen.Options{Package: "triage"})
//	changed, err := gen.Write("internal/triage", files)
//
// A generated file has this order: the types of inputs and outputs; the workflow's
// definition; the flow, with one statement for each node, dependencies first; the specs of
// outputs; for each node the type of its output, its condition and its functions; the tables
// that describe the workflow. If the compiler has proved that a value exists, the code just
// reads a variable. Otherwise it checks an error.
//
// The generated code imports packages below runtime. The input of package gen is the
// compiled workflow (see compiler.Result), so gen is independent of dialects and of YAML.
package gen

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The packages that generated code imports.
const (
	modulePath   = "github.com/wfc-lang/wfc"
	flowPath     = modulePath + "/runtime/flow"
	graphPath    = flowPath + "/graph"
	stepsPath    = flowPath + "/steps"
	valuePath    = modulePath + "/runtime/value"
	signalPath   = modulePath + "/runtime/signal"
	replyPath    = modulePath + "/runtime/reply"
	outputPath   = modulePath + "/runtime/output"
	jsonPath     = "encoding/json"
	localPath    = modulePath + "/runtime/engine/local"
	contextPath  = "context"
	timePath     = "time"
	strconvPath  = "strconv"
	contextType  = "Context"
	definitionID = "Workflow"
)

// Options configure Generate. The zero Options generate a library package that contains
// the workflow and nothing else.
type Options struct {
	// Package is the package's name, which ValidPackage must accept; "" takes one from the
	// workflow's name. With Main it is "main".
	Package string
	// Main adds main.go, which makes the package a program: a main package with the
	// workflow's command line.
	Main bool
	// Engine adds engine.go, by which Go programs open an engine for the workflow
	// with the settings of Defaults. It has no effect with Main.
	Engine bool
	// LineDirectives puts "//line triage.yaml:12:5" before lines, so that panics and
	// compile errors refer to the workflow file. Such code is not formatted: use it for a
	// build, not for files that you keep. Without it, comments such as "// triage.yaml:12"
	// give the lines.
	LineDirectives bool
	// Cover adds a function Terms to the package, which returns how often each operand of a
	// condition was false and true, by its place in the workflow file. The command `wfc
	// test` reports these counts.
	Cover bool
	// Store is the kind of store in which the program keeps its runs; "" is
	// settings.StoreSQLite. Defaults.Store itself has no effect: to follow wfc.yaml, set
	// Store to it.
	Store settings.Store
	// Temporal makes a program that runs the workflow on a Temporal cluster; Store and MCP
	// then have no effect. Temporal has no effect without Main.
	Temporal bool
	// MCP adds a Model Context Protocol server to the program. Without it, the command
	// mcp of the program only says that there is none. MCP has no effect without Main.
	MCP bool
	// Defaults are the project's settings. A program contains the ones that its workflow
	// uses. They do not change flow.Definition.Fingerprint, so a program with new settings
	// can resume the runs of the earlier one.
	Defaults settings.Project
	// ImportPath is the import path of the package; "" is the path that package build gives
	// to programs. It matters only if the workflow runs others: each of these has a package
	// in a folder below (see File.Name), and the code imports it by ImportPath and the
	// folder's name.
	ImportPath string
	// AgentKinds are the import paths of packages that provide kinds of agents, by the
	// kinds' names: a kind that wfc lacks, or a replacement for one of its own. Each package
	// has the function Kind() agent.Kind. The package of any other kind is
	// runtime/agent/<name> of wfc.
	AgentKinds map[string]string
	// MoreKinds are the names of kinds of agents that the program has besides the kinds of
	// its agents, so that the flag --agent can choose them. They have no effect on a workflow
	// without prompts.
	MoreKinds []string
}

// A File is one generated file.
type File struct {
	// Name is the file's name. For a file of a child workflow, one that the workflow runs,
	// it is FOLDER/NAME.
	Name    string
	Content []byte
}

// Generate returns the files of the Go package for a compiled workflow without errors;
// see compiler.Result.HasErrors. A workflow that runs others has a package for each of
// them, too. The same workflow and options give the same bytes.
//
// p is an opaque value, which only compiler.Compile makes; see compiler.Result.Workflow.
func Generate(p *ir.Program, opt Options) []File {
	if opt.Main {
		opt.Package = "main"
	}
	if opt.Package == "" {
		opt.Package = PackageName(p.Workflow.Name)
	}
	fam := newFamily(p, opt)
	g := fam.members[p]
	files := []File{{Name: g.fileName, Content: fileWriter{g}.workflowFile()}}
	if g.graph != nil {
		files = append(files, File{Name: sourceTextFile, Content: fileWriter{g}.file(definitionWriter{g}.sourceText)})
	}
	if opt.Cover {
		files = append(files, File{Name: coverFile, Content: fileWriter{g}.coverCode()})
	}
	switch {
	case opt.Main:
		files = append(files, File{Name: "main.go", Content: fileWriter{g}.file(programWriter{g}.mainFunc)})
	case opt.Engine:
		files = append(files, File{Name: "engine.go", Content: fileWriter{g}.file(programWriter{g}.engineFuncs)})
	}
	for _, callee := range g.callees() {
		files = append(files, File{Name: callee.opt.Package + "/" + callee.fileName, Content: fileWriter{callee}.workflowFile()})
	}
	return files
}

// flowBody returns the workflow's body.
func flowBody(w *ir.Workflow) ir.Body {
	switch w.Body.(type) {
	case *ir.DAG, *ir.Sequence, *ir.Graph:
		return w.Body
	}
	panic(fmt.Sprintf("a workflow body of type %T reached the generator", w.Body))
}

func (g fileWriter) workflowFile() []byte {
	if g.graph != nil {
		return g.file(graphWriter{g.goPackage}.graphSections()...)
	}
	sections := []func(*jen.File){
		func(f *jen.File) {
			f.PackageComment(comment(g.packageDoc()))
			definitionWriter{g.goPackage}.inputsType(f)
			for _, declare := range g.inputTypes {
				declare(f)
			}
			definitionWriter{g.goPackage}.outputsType(f)
			definitionWriter{g.goPackage}.definition(f)
			definitionWriter{g.goPackage}.runFunc(f)
		},
		flowWriter{g.goPackage}.flowFuncs,
	}
	for nodes := range slices.Chunk(g.nodes, sectionSize) {
		sections = append(sections, func(f *jen.File) {
			for _, n := range nodes {
				nodeWriter{g.goPackage}.nodeFuncs(f, n)
			}
		})
	}
	sections = append(sections, func(f *jen.File) {
		definitionWriter{g.goPackage}.environmentFunc(f)
		definitionWriter{g.goPackage}.scriptEnvFunc(f)
		definitionWriter{g.goPackage}.inputTable(f)
		definitionWriter{g.goPackage}.nodeTable(f)
		definitionWriter{g.goPackage}.runtimeConstant(f)
	})
	return g.file(sections...)
}

// sectionSize is the number of nodes whose functions make a section of the file.
const sectionSize = 4

func (g fileWriter) newFile() *jen.File {
	f := jen.NewFile(g.opt.Package)
	f.HeaderComment("// Code generated by wfc from " + cleanLine(g.source) + ". DO NOT EDIT.")
	f.ImportNames(map[string]string{flowPath: "flow", graphPath: "graph", stepsPath: "steps", valuePath: "value", signalPath: "signal", localPath: "local", contextPath: "context", timePath: "time", strconvPath: "strconv", replyPath: "reply", jsonPath: "json", outputPath: "output", pyPath: "py", gotextPath: "gotext", structuredPath: "structured"})
	for _, callee := range direct(g.program.Workflow) {
		f.ImportName(g.family.importPath(callee), g.family.folders[callee])
	}
	f.NoFormat = true // sections are formatted when they are printed
	return f
}

func (g fileWriter) packageDoc() string {
	w := g.program.Workflow
	doc := fmt.Sprintf("Package %s is the compiled workflow %q", g.opt.Package, w.Name)
	if d := strings.TrimSpace(w.Description); d != "" {
		if !strings.ContainsAny(d[len(d)-1:], ".!?") {
			d += "."
		}
		return doc + ": " + d
	}
	return doc + "."
}

// baseName returns the last element of a path of any system.
func baseName(name string) string {
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}
