// Package archon is the front end of the archon format: a list of nodes with
// dependencies, conditions and trigger rules, of seven types.
//
// It compiles in two steps. Decoding reads the file level by level into the IR and
// collects the surfaces: texts that may contain references. Resolving parses the
// surfaces once all nodes are known. Both steps report all their findings, so that
// one run shows all independent faults of a file.
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
	return append(append(tables(), decode.TableOf(ripgrepLevel, ripgrepFields), decode.TableOf(piLevel, piFields)), newerTables()...)
}

// Typed implements dialect.Frontend. The original engine checks files by a schema over
// YAML 1.2.
func (Frontend) Typed() bool { return true }

// Compile checks a document and returns its program. The program is nil when the
// file is not a mapping, or says nothing about nodes. When an error was reported
// the program is good for showing and for finding more faults, not for running.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	// The engine silently takes the last of two equal keys.
	root := decode.Root(doc, bag, diag.Warning)
	if root == nil {
		return nil
	}
	d := newDecoder(env, bag)
	d.newer = isNewer(root, env.Settings.ArchonVersion) || d.library.packaged != ""
	d.checkPackage(root)
	d.scope = newScope(d.newer)
	d.chain = []string{""}
	workflow := d.compileWorkflow(root)
	if workflow == nil {
		return nil
	}
	d.resolve(workflow)
	program := &ir.Program{File: doc.File, Dialect: Name, Workflow: workflow, Resources: *d.library.used}
	for _, b := range d.blocks {
		program.Used = append(program.Used, ir.Use{File: b.used.File, At: b.site})
	}
	return program
}
