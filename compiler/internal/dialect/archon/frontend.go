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
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "archon"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "archon".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table {
	return append(tables(), decode.TableOf(ripgrepLevel, ripgrepFields), decode.TableOf(piLevel, piFields))
}

// Compile checks a document and returns its program. The program is nil when the
// file is not a mapping, or says nothing about nodes. When an error was reported
// the program is good for showing and for finding more faults, not for running.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	// Of two equal keys the engine takes the last and says nothing.
	root := decode.Root(doc, bag, diag.Warning)
	if root == nil {
		return nil
	}
	d := newDecoder(env, bag)
	workflow := d.compileWorkflow(root)
	if workflow == nil {
		return nil
	}
	resolve(workflow, d.surfaces, env, bag)
	return &ir.Program{File: doc.File, Dialect: Name, Workflow: workflow, Resources: d.library.used}
}
