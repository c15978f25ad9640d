package graphloop

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A decoder holds the state of decoding one file.
type decoder struct {
	decode.Decoder
	file      *source.File
	env       *dialect.Env
	workflow  *ir.Workflow
	graph     *ir.Graph
	resources []*source.File
	roles     *roles

	// nodes are the nodes in file order; byID finds them.
	nodes []*nodeDecl
	byID  map[string]*nodeDecl
	edges []*edgeDecl
	// variables are the variables of the state in order of their first mention
	// under state, in a handler, or as an input.
	variables []*variable
	byName    map[string]*variable

	conditions []*condition
	texts      []*text
	interrupts []*interruptDecl
	shell      *shell.Rewriter
}

func newDecoder(file *source.File, env *dialect.Env, bag *diag.Bag) *decoder {
	graph := &ir.Graph{State: &ir.State{}, Version: defaultVersion}
	return &decoder{
		Decoder: decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), NearFirst: true, Tables: tables},
		file:    file, env: env,
		graph:    graph,
		workflow: &ir.Workflow{Body: graph, Exclusive: true},
		byID:     map[string]*nodeDecl{},
		byName:   map[string]*variable{},
		// Nothing is set in the environment of scripts, and no original engine
		// inserts values in its own quotes.
		shell: shell.NewRewriter(shell.Options{Programs: env.Settings.Programs}),
	}
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// stateTable is the table of the state, which has one key.
func stateTable() decode.Table {
	return decode.Table{Level: stateLevel, Keys: []decode.Key{{
		Name: "variables", Shape: decode.MapOf(decode.Any).OrNull(), Examples: []string{`{"round": 0, "notes": []}`},
		Doc: "Variables with their initial values, which set their types; `null` is a variable without a value.",
	}}}
}

// tables returns the keys of all levels, those of nodes by type.
func tables() []decode.Table {
	list := []decode.Table{decode.TableOf(workflowLevel, workflowFields)}
	for _, k := range kinds {
		list = append(list, k.table())
	}
	return append(list,
		decode.TableOf(edgeLevel, edgeFields),
		decode.TableOf(limitsLevel, limitFields),
		decode.TableOf(interruptLevel, interruptFields),
	)
}
