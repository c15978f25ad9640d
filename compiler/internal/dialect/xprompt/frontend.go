// Package xprompt is the front end of the xprompt format: steps that run one
// after the other, with Jinja2 templates in everything, loops over lists and
// until a condition holds, steps side by side, and people who review outputs.
//
// Compiling goes in two steps. Decoding reads the file level by level: inputs
// and outputs get their types, steps their names, and what no step can be is
// reported. Lowering goes through the steps in the order in which they run, so
// that at each place the names that have a value there are known: templates
// become typed expressions, texts become programs, and a step becomes the node
// that does its work within the node that repeats it. References to prompts are
// expanded then; see the package reference below. Both steps report everything
// they find; what depends on a fault is silent.
package xprompt

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "xprompt"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "xprompt".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table { return tables() }

// Compile checks a document and returns its program. The program is nil when the
// file is not a mapping or has no steps. When an error was reported the program is
// good for showing and for finding more faults, not for running: what is wrong in
// it is an expr.Bad.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	root := decode.StrictRoot(doc, bag)
	if root == nil {
		return nil
	}
	d := newDecoder(doc.File, env, bag)
	d.readWorkflow(root)
	if len(d.steps) == 0 {
		return nil
	}
	d.lower()
	return &ir.Program{File: doc.File, Dialect: Name, Workflow: d.workflow, Resources: d.prompts.Files()}
}
