// Package symbols makes an index of the names in a workflow: where each is declared, read,
// written and otherwise mentioned, with its type and its presence.
//
// New takes the names from two sources and parses nothing again. Expressions of the
// ir.Program have the references inside conditions, templates and scripts, resolved by the
// front end. The YAML tree has the names that are whole values, such as those of
// depends_on; names.go lists their places for each dialect.
//
// An expression knows its place, but not that of each name in it. locate finds the name in
// the bytes of the expression; where it cannot, Reference.Name is invalid, and a rename
// must refuse.
package symbols

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Kind is the kind of a symbol.
type Kind int

// The kinds of symbols.
const (
	// Node is a node or a step.
	Node Kind = iota
	// Field is a field of an output.
	Field
	// Label is an output of a node of a state graph.
	Label
	// State is a variable of a state graph.
	State
	// Input is an input of the workflow.
	Input
	// Argument is an input of another workflow, which this one runs.
	Argument
	// Local is a variable of a loop or a template.
	Local
	// Command is a command file, Script a script in a file.
	Command
	Script
	// Workflow is another workflow.
	Workflow
	// Prompt is a prompt that others refer to.
	Prompt
	// Agent and Model are names that wfc.yaml may define.
	Agent
	Model
	// Tool and Skill are what an agent may use.
	Tool
	Skill
	// Filter and Test are functions of templates.
	Filter
	Test
	// Variable is a value that the run supplies.
	Variable
)

var kindNames = [...]string{"node", "field", "output", "state variable", "input", "input", "variable", "command file", "script", "workflow", "prompt", "agent", "model", "tool", "skill", "filter", "test", "variable of the run"}

// String names the kind for users.
func (k Kind) String() string { return kindNames[k] }

// A Symbol is something with a name.
type Symbol struct {
	Kind Kind
	Name string
	// Def is the name where it is declared. It is invalid for a name that the file does not
	// declare, such as one of a function.
	Def source.Span
	// Whole is the whole declaration.
	Whole source.Span
	Type  types.Type
	// Doc is the author's description.
	Doc string
	// Owner is the node of a field or label.
	Owner *Symbol
	// Exactly one of these is set if the kind has it.
	Node  *ir.Node
	Input *ir.Input
	State *ir.StateField
	// Optional says that a field may be missing.
	Optional bool
	// File is the command file, the script, the workflow or the file of the prompt.
	File *source.File
}

// Role is the way in which a reference uses its symbol.
type Role int

const (
	// Declares: it is the declaration.
	Declares Role = iota
	// Reads: it reads the value.
	Reads
	// Writes: it gives a value.
	Writes
	// Names: it mentions the name, as depends_on does.
	Names
)

// A Reference is one mention of a symbol.
type Reference struct {
	Symbol *Symbol
	// Name is the place of the name alone. It is invalid if it cannot be located.
	Name source.Span
	// At is the place of the whole expression.
	At   source.Span
	Role Role
	// Type and Presence are those of the value that a reader gets.
	Type     types.Type
	Presence expr.Presence
	// In is the node around the reference, or nil.
	In *ir.Node
	// Form says how the reference spells the name, and prefix is the text before it.
	Form   Form
	prefix string
}

// An Index has the symbols of one workflow. It is safe for concurrent use.
type Index struct {
	// Symbols are in the order of their declarations.
	Symbols []*Symbol
	// References are in the order of the files, with those that are not located last.
	References []*Reference
	program    *ir.Program
}

// New returns the index of a program whose file is doc. It must not run beside a reader of
// the program.
func New(p *ir.Program, doc *yamlsrc.Document) *Index {
	b := &builder{
		index: &Index{program: p}, file: p.File,
		nodes: map[string]*Symbol{}, state: map[string]*Symbol{}, inputs: map[string]*Symbol{},
		fields: map[source.Span]*Symbol{}, others: map[otherKey]*Symbol{}, seen: map[refKey]bool{},
	}
	b.declareWorkflow(p.Workflow)
	p.Workflow.EachExpr(b.addExpression)
	b.addEnvVariables(p.Workflow)
	b.addPrompts(p)
	if doc != nil && doc.Root != nil {
		b.addStructure(p, doc.Root)
	}
	x := b.index
	slices.SortStableFunc(x.References, func(a, b *Reference) int { return compareSpans(a.nameSpan(), b.nameSpan()) })
	slices.SortStableFunc(x.Symbols, func(a, b *Symbol) int { return compareSpans(a.Def, b.Def) })
	return x
}

// compareSpans orders spans, invalid ones last.
func compareSpans(a, b source.Span) int {
	switch {
	case a.IsValid() == b.IsValid():
		return a.Compare(b)
	case a.IsValid():
		return -1
	}
	return 1
}

// nameSpan is the name, or the expression if the name is not located.
func (r *Reference) nameSpan() source.Span {
	if r.Name.IsValid() {
		return r.Name
	}
	return r.At
}

// At returns the reference whose name is at an offset of a file, its end included, or else
// the shortest expression there; nil if there is none.
func (x *Index) At(f *source.File, offset int) *Reference {
	var best *Reference
	for _, r := range x.References {
		if r.Name.File == f && r.Name.Start <= offset && offset <= r.Name.End {
			if best == nil || r.Name.Start > best.Name.Start {
				best = r
			}
		}
	}
	if best != nil {
		return best
	}
	for _, r := range x.References {
		if r.At.File == f && r.At.Start <= offset && offset <= r.At.End {
			if best == nil || r.At.End-r.At.Start < best.At.End-best.At.Start {
				best = r
			}
		}
	}
	return best
}

// Of returns the references to a symbol, in the order of References.
func (x *Index) Of(s *Symbol) []*Reference {
	var list []*Reference
	for _, r := range x.References {
		if r.Symbol == s {
			list = append(list, r)
		}
	}
	return list
}

// Node returns the symbol of a node, or nil.
func (x *Index) Node(n *ir.Node) *Symbol {
	if n == nil {
		return nil
	}
	for _, s := range x.Symbols {
		if s.Kind == Node && s.Node.ID == n.ID {
			return s
		}
	}
	return nil
}

// Enclosing returns the innermost node whose definition contains an offset of the
// workflow's file, or nil.
func (x *Index) Enclosing(offset int) *ir.Node {
	var best *ir.Node
	ir.Walk(x.program.Workflow.Body, func(n *ir.Node) {
		if n.Span.File == x.program.File && n.Span.Start <= offset && offset <= n.Span.End {
			if best == nil || n.Span.End-n.Span.Start < best.Span.End-best.Span.Start {
				best = n
			}
		}
	})
	return best
}
