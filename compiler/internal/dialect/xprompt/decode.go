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
)

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
	imports imports
	// successor says that the file follows the rules of the format's successor.
	successor bool
	// hasPart says that a prompt_part was reported.
	hasPart bool
	// variables are the environment variables as they are written.
	variables []value
	// shell runs scripts as sh in the original, whose echo knows backslashes.
	shell  *shell.Rewriter
	python *script.Rewriter
}

func newDecoder(file *source.File, env *dialect.Env, bag *diag.Bag) *decoder {
	body := &ir.Sequence{}
	return &decoder{
		Decoder: decode.Decoder{Bag: bag, Typed: Frontend{}.Typed(), NearFirst: true, Tables: tables},
		file:    file, env: env,
		body:        body,
		workflow:    &ir.Workflow{Body: body},
		inputByName: map[string]*inputDecl{},
		lastNamed:   map[string]*stepDecl{}, byID: map[string]*stepDecl{},
		ids:     map[string]bool{},
		names:   newNames(),
		prompts: reference.NewLibrary(env, bag),
		imports: imports{usedAt: map[*source.File]source.Span{}, roots: map[string]*yamlsrc.Node{}},
		python:  script.NewRewriter(script.Python),
	}
}

type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// tables returns the keys of all levels.
func tables() []decode.Table {
	return []decode.Table{
		decode.TableOf(workflowLevel, workflowFields),
		decode.TableOf(stepLevel, stepFields),
		decode.TableOf(inputLevel, inputFields),
		decode.TableOf(outputLevel, outputFields),
		decode.TableOf(whileLevel, whileFields),
		decode.TableOf(repeatLevel, repeatFields),
	}
}
