package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
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
	state *variables
	texts *texts

	conditions []*condition
	interrupts []*interruptDecl
}

// The types of package decode under short names; a field is a key and the function that
// reads it into a T.
type (
	level        = decode.Level
	value        = decode.Value
	field[T any] = decode.Field[*decoder, T]
)

// nodeDecl is a node as it is written.
type nodeDecl struct {
	node *ir.Node
	at   value
	kind *kind // nil when it is not known

	agent, model, prompt, command, cwd, condition *value
	files                                         []string
	timeout                                       *value
	minutes                                       int
	retry                                         bool
	maxRetries                                    *value
	retries                                       int
	// members are the branches of a parallel, or the nodes that a join waits for.
	members           []decode.Entry
	membersOK         bool
	fallback, outputs *value
	handlers          *value
	// prefix goes before the prompt; it comes from a template.
	prefix source.Text
	// labelsKnown says that all outputs are known.
	labelsKnown bool
	// incomplete says that the node's template is missing, and with it perhaps settings
	// that the node lacks.
	incomplete bool
	// parallel is the parallel whose branch the node is, or nil.
	parallel *nodeDecl
}

// outputNames are the names of the node's outputs.
func (n *nodeDecl) outputNames() []string {
	if n == nil {
		return nil
	}
	return plain.Texts(n.node.Labels, func(l *ir.Label) string { return l.Name })
}

// A kind is a type of node with the keys that it takes.
type kind struct {
	name string
	// article makes it a phrase, as "a task".
	article string
	keys    []string
	// required are the keys that each such node has.
	required []string
	// needs are keys that others require.
	needs []decode.Need
	// docs describes the keys that mean something else on these nodes.
	docs map[string]string
	// defaults are the defaults of these nodes, as decode.Key has them.
	defaults map[string]string
	// outputs is how many outputs the node must have, or 0 for any number.
	outputs int
}

// foreignToNodes are the keys of other formats that no node has.
var foreignToNodes = decode.ForeignTo(Name, decode.OnStep)

// keyLevel is the kind of mapping that these nodes are.
func (k *kind) keyLevel() level {
	return level{Where: "on " + k.article + " " + k.name, Name: k.article + " " + k.name, Needs: k.needs, Foreign: foreignToNodes}
}

// nodeLevel is that of nodes of all types: messages call their keys by name alone.
var nodeLevel = level{}

// nodeIDs are the names of all nodes.
func (d *decoder) nodeIDs() []string {
	return plain.Texts(d.nodes, func(n *nodeDecl) string { return n.node.ID })
}

// readName reads a name; what describes the named thing, such as "an output". A name of
// a variable has no hyphens.
func (d *decoder) readName(v value, what string, hyphens bool) (string, bool) {
	s, ok := d.Text(v)
	if ok && !isName(s, hyphens) {
		d.Bag.Add(finding.BadName(v.Place(), what, s, hyphens))
		return "", false
	}
	return s, ok
}

// readEntries reads a list of at least one name of a node.
func (d *decoder) readEntries(v value) ([]decode.Entry, bool) {
	if !d.HasItems(v) {
		return nil, false
	}
	return d.Entries(v, d.Text)
}

// reportMissing reports a required key that a node lacks, unless the node has it
// misspelt; what names the owner of the key.
func (d *decoder) reportMissing(n *nodeDecl, key, what string, help ...string) {
	if d.Meant(n.at, key) {
		return
	}
	x := finding.MissingKey(n.at.Key.Span, key, what)
	for _, h := range help {
		x.WithHelp(h)
	}
	d.Bag.Add(x)
}

// trimText takes the spaces off both ends of a text.
func trimText(t source.Text) source.Text {
	return t.TrimFunc(func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
}
