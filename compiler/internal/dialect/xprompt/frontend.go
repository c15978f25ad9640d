// Package xprompt is the front end of the xprompt format: steps that run one after the
// other, with Jinja2 templates in every string, loops over lists and until a condition
// holds, parallel steps, and outputs that a person reviews.
//
// It compiles in two steps. Decoding reads the file level by level: inputs and
// outputs get their types, steps get their names, and impossible steps are
// reported. Lowering processes the steps in the order in which they run, so it
// knows the names that have a value at each place. Templates become typed expressions,
// scripts become programs, and a step becomes a node within the node that repeats it.
// Lowering also expands references to prompts; see package reference. Both steps report
// all their findings; followers of a fault are silent.
package xprompt

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"slices"
)

// Name is the dialect's name as users write it.
const Name = "xprompt"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "xprompt".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table { return allTables() }

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
	d.lowerSteps()
	d.showUses()
	return &ir.Program{
		File: doc.File, Dialect: Name, Workflow: d.workflow, Resources: slices.Concat(d.imports.files, d.prompts.Files()),
		Prompts: d.prompts.References(), Offered: d.prompts.Offered(),
	}
}

// A decoder holds the state of decoding one file.
type decoder struct {
	decode.Decoder
	file     *source.File
	env      *dialect.Env
	workflow *ir.Workflow
	body     *ir.Sequence

	inputs      []*inputDecl
	inputByName map[string]*inputDecl
	// steps are the steps in file order; lastNamed are the last of each name.
	steps     []*stepDecl
	lastNamed map[string]*stepDecl
	// byID are the steps of the nodes that are made.
	byID map[string]*stepDecl
	// ids are the ids that nodes have already.
	ids map[string]bool

	names   *names
	prompts *reference.Library
	// promptsAt are the prompts of the file, as they are written.
	promptsAt *value
	imports   imports
	// successor says that the file follows the rules of the format's successor.
	successor bool
	// part is the step with a prompt_part, or nil.
	part *stepDecl
	// variables are the environment variables as they are written.
	variables []value
	// shell runs scripts as sh in the original, whose echo knows backslashes.
	shell  *shell.Rewriter
	python *script.Rewriter
}

func newDecoder(file *source.File, env *dialect.Env, bag *diag.Bag) *decoder {
	body, python := &ir.Sequence{}, script.NewRewriter(script.Python)
	python.Ask = script.PythonChecker(env.Ask)
	return &decoder{
		Decoder: decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), NearFirst: true, Tables: allTables},
		file:    file, env: env,
		body:        body,
		workflow:    &ir.Workflow{Body: body, Schedule: env.Schedule, DeliverTo: env.DeliverTo, NodeTags: env.NodeTags},
		inputByName: map[string]*inputDecl{},
		lastNamed:   map[string]*stepDecl{}, byID: map[string]*stepDecl{},
		ids:     map[string]bool{},
		names:   newNames(),
		prompts: reference.NewLibrary(env, bag),
		imports: imports{usedAt: map[*source.File]source.Span{}, roots: map[string]*yamlsrc.Node{}},
		python:  python,
	}
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// allTables returns the keys of all levels.
func allTables() []decode.Table {
	return []decode.Table{
		decode.TableOf(workflowLevel, workflowFields),
		decode.TableOf(stepLevel, stepFields),
		decode.TableOf(inputLevel, inputFields),
		decode.TableOf(outputLevel, outputFields),
		decode.TableOf(whileLevel, whileFields),
		decode.TableOf(repeatLevel, repeatFields),
	}
}
