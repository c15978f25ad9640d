package archon

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/formats"
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
// are inserted.
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

// A scope has the names that references can use: in a file its nodes, in the body of a
// loop_group also those around it. The nodes of an included file are in a body of the
// including file, but in a separate scope.
type scope struct {
	// nodes are the nodes by their ids in the file, with those of the scopes around.
	nodes map[string]*ir.Node
	// ids are these ids in the order of the file, and unnamed those that no reference can
	// spell.
	ids, unnamed []string
	// blocks are the nodes that include others, by their ids: nodes has the node with the
	// output of the block instead.
	blocks map[string]*ir.Node
	// inputs are the inputs that references can read.
	inputs *inputsOf
	// rules are those of the file.
	rules *formats.Ruleset
	// outer is the scope around that of a loop_group; nil for a file.
	outer *scope
	// siblings are the nodes of a loop_group, whose prompts and scripts can read their
	// outputs of the previous iteration; nil outside of one.
	siblings map[string]*ir.Node
	// answers says that a person answers after each iteration.
	answers bool
}

// newScope returns the scope of a file.
func newScope(rules *formats.Ruleset) *scope {
	return &scope{nodes: map[string]*ir.Node{}, blocks: map[string]*ir.Node{}, inputs: &inputsOf{}, rules: rules}
}

// add adds a node under its id in the file. The first one of several keeps the id.
func (s *scope) add(id string, n *ir.Node) {
	if s.nodes[id] == nil {
		s.nodes[id] = n
		s.ids = append(s.ids, id)
	}
	if id != "" && !isReferable(id) {
		s.unnamed = append(s.unnamed, id)
	}
}

// nodeName returns the id by which references name a node: that of a block for the node with
// its output, and that in its file for a node of a block.
func (s *scope) nodeName(n *ir.Node) string {
	for _, id := range s.ids {
		if s.nodes[id] == n {
			return id
		}
	}
	return n.ID
}

// addOuter adds the names of the scope around. That one is complete.
func (s *scope) addOuter() {
	for _, id := range s.outer.ids {
		if s.nodes[id] == nil {
			s.add(id, s.outer.nodes[id])
		}
	}
}

// A body is a DAG with the order of its nodes: that of the workflow, or that of a loop_group
// inside it.
type body struct {
	*ordering
	// owner is the node whose body it is; nil for that of the workflow.
	owner *ir.Node
}

// addBody adds a DAG, and those inside it.
func (r *resolver) addBody(dag *ir.DAG, around *body) {
	b := around
	if b == nil {
		b = &body{}
	}
	b.ordering = newOrdering(dag.Nodes)
	for _, n := range dag.Nodes {
		r.bodies[n] = b
		if r.all[n.ID] == nil {
			r.all[n.ID] = n
		}
		if inner := n.InnerDAG(); inner != nil {
			r.addBody(inner, &body{owner: n})
		}
	}
}

// readerNode is the node whose dependencies a surface's references to a producer count
// against: in the body of a loop, references to nodes around it are those of the loop. It
// is nil if nothing orders the two.
func (r *resolver) readerNode(s *surface, producer *ir.Node) *ir.Node {
	n, target := s.node, r.bodies[producer]
	for n != nil && r.bodies[n] != target {
		if r.bodies[n] == nil {
			return nil
		}
		n = r.bodies[n].owner
	}
	return n
}
