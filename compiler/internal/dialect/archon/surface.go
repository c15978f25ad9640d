package archon

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A surface is a text of a node that may contain references and variables. Decoding
// (node.go and its neighbours) collects the surfaces of all nodes. Resolving
// (resolve.go) parses them once every node is known, and passes each result to the
// one set function that fits the surface's kind.
type surface struct {
	kind  surfaceKind
	node  *ir.Node
	scope *scope
	text  source.Text
	// at is where faults of a text that is empty are shown; set for conditions.
	at source.Span

	setCondition func(expr.Expr)
	setTemplate  func(*template.Template)
	setBash      func(*ir.Bash)
	setScript    func(*ir.Script)
	// script has runtime, name and deps set for script surfaces.
	script *ir.Script
	// bindings are what the node passes under `with:`; nil if it passes nothing.
	bindings map[string]*binding
	// patches are the places of the text where values of inputs are spliced in.
	patches []patch
	// done is called once the surface is resolved; it may be nil.
	done func(r *resolver)
}

// surfaceKind says which variables and references a text may hold and how they
// are inserted; archon.md 3.3 is the table.
type surfaceKind int

const (
	// whenSurface is a condition: its own grammar, no variables.
	whenSurface surfaceKind = iota
	// promptSurface is a prompt: variables and references as text. Code spans
	// and fences are plain text to unknown references.
	promptSurface
	// commandSurface is the body of a command file, front matter removed: as
	// promptSurface.
	commandSurface
	// loopPromptSurface is loop.prompt: as promptSurface, with the loop's
	// variables at home.
	loopPromptSurface
	// reworkSurface is approval.on_reject.prompt: as promptSurface, with
	// $REJECTION_REASON at home.
	reworkSurface
	// messageSurface is approval.message and cancel: references only.
	messageSurface
	// bashSurface is bash: values bound as shell variables.
	bashSurface
	// untilBashSurface is loop.until_bash: as bashSurface.
	untilBashSurface
	// optionSurface is an option of an agent: variables and references as text.
	optionSurface
	// bindingSurface is a value under `with:`: variables and references as text.
	bindingSurface
	// callSurface is a value for the input of another workflow: variables and references
	// as text, also of nodes that the reader does not depend on.
	callSurface
	// scriptSurface is an inline or named script: values bound in the
	// script's language.
	scriptSurface
)
