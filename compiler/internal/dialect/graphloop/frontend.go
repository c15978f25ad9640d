// Package graphloop is the front end of the graph-loop format: nodes that end with
// one of their outputs, edges with conditions between them, and a state that
// handlers change.
//
// It compiles in four steps. Decoding reads the file level by level and collects
// everything that needs the whole file: conditions, and templates with references to the
// state. Naming resolves the names in these. Inference gives every variable of the state
// a type, from its first value, the assignments of handlers and the comparisons in
// conditions. Lowering turns conditions into expressions, the other strings into
// templates and programs, and checks the types. All steps report all their findings;
// followers of a fault are silent.
package graphloop

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Name is the dialect's name as users write it.
const Name = "graphloop"

// Frontend is the front end. Its zero value is ready for use.
type Frontend struct{}

var _ dialect.Frontend = Frontend{}

// Name returns "graphloop".
func (Frontend) Name() string { return Name }

// Tables implements dialect.Frontend.
func (Frontend) Tables() []decode.Table { return append(allTables(), handlerTable, stateTable()) }

// Typed implements dialect.Frontend. The original reads scalars as YAML 1.1 does.
func (Frontend) Typed() bool { return false }

// Compile checks a document and returns its program. The program is nil if the file
// is not a mapping or has no nodes. After an error, the program can be shown and
// checked further, but not run; ir.Graph and ir.Node describe its broken parts.
func (Frontend) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	root := decode.StrictRoot(doc, bag)
	if root == nil {
		return nil
	}
	d := newDecoder(doc.File, env, bag)
	d.readWorkflow(root)
	if len(d.nodes) == 0 {
		return nil
	}
	d.nameConditions()
	d.inferVariables()
	d.lowerConditions()
	d.texts.buildTexts()
	d.connectNodes()
	return &ir.Program{File: doc.File, Dialect: Name, Workflow: d.workflow, Resources: d.resources}
}

func newDecoder(file *source.File, env *dialect.Env, bag *diag.Bag) *decoder {
	graph := &ir.Graph{State: &ir.State{}, Version: defaultVersion}
	state := &variables{bag: bag, byName: map[string]*variable{}}
	return &decoder{
		Decoder: decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), NearFirst: true, Tables: allTables},
		file:    file, env: env,
		graph:    graph,
		workflow: &ir.Workflow{Body: graph, Exclusive: true, Schedule: env.Schedule, DeliverTo: env.DeliverTo, NodeTags: env.NodeTags},
		byID:     map[string]*nodeDecl{},
		state:    state,
		// Nothing is set in the environment of scripts, and no original engine
		// inserts values in its own quotes.
		texts: &texts{bag: bag, state: state, shell: shell.NewRewriter(shell.Options{Programs: env.Settings.Programs, Check: shell.BashChecker(env.Ask)})},
	}
}

// allTables returns the keys of all levels, those of nodes by type.
func allTables() []decode.Table {
	list := []decode.Table{decode.TableOf(workflowLevel, workflowFields)}
	for _, k := range kinds {
		list = append(list, k.keyTable())
	}
	return append(list,
		decode.TableOf(edgeLevel, edgeFields),
		decode.TableOf(limitsLevel, limitFields),
		decode.TableOf(interruptLevel, interruptFields),
	)
}
