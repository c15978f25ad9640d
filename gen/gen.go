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
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/ir"
)

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
		files = append(files, File{Name: sourceTextFile, Content: fileWriter{g}.generateFile(definitionWriter{g}.sourceText)})
	}
	if opt.Cover {
		files = append(files, File{Name: coverFile, Content: fileWriter{g}.coverCode()})
	}
	switch {
	case opt.Main:
		files = append(files, File{Name: "main.go", Content: fileWriter{g}.generateFile(programWriter{g}.mainFunc)})
	case opt.Engine:
		files = append(files, File{Name: "engine.go", Content: fileWriter{g}.generateFile(programWriter{g}.engineFuncs)})
	}
	for _, callee := range g.withCallees()[1:] {
		files = append(files, File{Name: callee.opt.Package + "/" + callee.fileName, Content: fileWriter{callee}.workflowFile()})
	}
	return files
}

func (g fileWriter) workflowFile() []byte {
	if g.graph != nil {
		return g.generateFile(graphWriter(g).graphSections()...)
	}
	sections := []func(*jen.File){
		func(f *jen.File) {
			f.PackageComment(wrapComment(g.packageDoc()))
			definitionWriter(g).inputsType(f)
			for _, declare := range g.inputTypes {
				declare(f)
			}
			definitionWriter(g).outputsType(f)
			definitionWriter(g).writeDefinition(f)
			definitionWriter(g).runFunc(f)
		},
		flowWriter(g).flowFuncs,
	}
	for nodes := range slices.Chunk(g.nodes, sectionSize) {
		sections = append(sections, func(f *jen.File) {
			for _, n := range nodes {
				nodeWriter(g).nodeFuncs(f, n)
			}
		})
	}
	sections = append(sections, func(f *jen.File) {
		definitionWriter(g).environmentFunc(f)
		definitionWriter(g).scriptEnvFunc(f)
		definitionWriter(g).inputTable(f)
		definitionWriter(g).nodeTable(f)
		definitionWriter(g).runtimeConstant(f)
	})
	return g.generateFile(sections...)
}
