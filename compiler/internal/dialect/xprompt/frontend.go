// Package xprompt is the front end of the xprompt format: steps that run one after
// the other, with Jinja2 templates in every text, loops over lists and until a
// condition holds, parallel steps, and outputs that a person reviews.
//
// It compiles in two steps. Decoding reads the file level by level: inputs and
// outputs get their types, steps get their names, and impossible steps are
// reported. Lowering processes the steps in the order in which they run, so it
// knows the names that have a value at each place. Templates become typed
// expressions, texts become programs, and a step becomes a node within the node
// that repeats it. Lowering also expands references to prompts; see package
// reference. Both steps report all their findings; followers of a fault are silent.
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

// Typed implements dialect.Frontend. The original reads scalars as YAML 1.1 does.
func (Frontend) Typed() bool { return false }

// Compile checks a document and returns its program. The program is nil if the file
// is not a mapping or has no steps. After an error, the program can be shown and
// checked further, but not run: its faulty parts are expr.Bad.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	root := decode.StrictRoot(doc, bag)
	if root == nil {
		return nil
	}
	d := newDecoder(doc.File, env, bag)
	d.successor = isSuccessor(root)
	d.prompts.Successor = d.successor
	d.readWorkflow(root)
	if len(d.steps) == 0 {
		return nil
	}
	d.lower()
	d.showUses()
	return &ir.Program{
		File: doc.File, Dialect: Name, Workflow: d.workflow, Resources: append(d.imports.files, d.prompts.Files()...),
		Prompts: d.prompts.References(), Offered: d.prompts.Offered(),
	}
}
