// Package archon is the front end of the archon format: a list of nodes with
// dependencies, conditions and trigger rules, of seven types.
//
// Compiling goes in two steps. Decoding reads the file level by level into the
// IR and collects the texts in which references can stand, the surfaces;
// resolving parses those once all nodes are known. Both report everything they
// find, so that one run shows all independent faults of a file.
package archon

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "archon"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "archon".
func (Frontend) Name() string { return Name }

// Detect reports whether a document has the format's shape: a list `nodes:`, or
// nodes in a mapping without what another format has beside it.
func (Frontend) Detect(doc *yamlsrc.Document) (ok bool, why string) {
	nodes := doc.Root.Get("nodes")
	switch {
	case nodes == nil:
		return false, ""
	case nodes.Kind == yamlsrc.Sequence:
		return true, "it has a list `nodes:`"
	case doc.Root.Pair("edges") == nil && doc.Root.Pair("workflow") == nil:
		return true, "it has `nodes:` and neither `edges:` nor `workflow:`"
	}
	return false, ""
}

// Compile checks a document and returns its program. The program is nil when
// the file is no mapping, or says nothing about nodes. When an error was
// reported the program is good for showing and for finding more faults, not for
// running.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	for _, dup := range doc.Duplicates {
		// The engine takes the last one and says nothing.
		x := diag.DuplicateKey(dup.Key, dup.First, dup.Second)
		x.Severity = diag.Warning
		bag.Add(x)
	}
	if doc.More.IsValid() {
		bag.Add(diag.SeveralDocuments(doc.More))
	}
	if doc.Root == nil || doc.Root.Kind != yamlsrc.Mapping {
		bag.Add(diag.NotMapping(rootSpan(doc), rootKind(doc)))
		return nil
	}
	d := &decoder{env: env, bag: bag, library: newLibrary(env, bag), homes: tableHomes}
	workflow := d.compileWorkflow(doc.Root)
	if workflow == nil {
		return nil
	}
	resolve(workflow, d.surfaces, env, bag)
	return &ir.Program{File: doc.File, Dialect: Name, Workflow: workflow, Resources: d.library.used}
}

func rootSpan(doc *yamlsrc.Document) source.Span {
	if doc.Root == nil {
		return source.Span{File: doc.File}
	}
	return doc.Root.Place()
}

func rootKind(doc *yamlsrc.Document) string {
	if doc.Root.IsNull() {
		return "empty"
	}
	return kindOf(doc.Root)
}
