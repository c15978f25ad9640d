package graphloop

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/types"
)

// The two ends of every graph, which are no nodes.
const (
	startID = "START"
	endID   = "END"
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
	branches, waits                               []entry
	branchesOK, waitsOK                           bool
	fallback, outputs                             *value
	handlers                                      *value
	// prefix goes before the prompt; it comes from a template.
	prefix source.Text
	// labelsKnown says that all outputs are known.
	labelsKnown bool
	// untold says that the node's template is missing, and with it perhaps what
	// the node itself does not say.
	untold bool
	// parallel is the parallel whose branch the node is, or nil.
	parallel *nodeDecl
}

// labels are the names of the node's outputs.
func (n *nodeDecl) labels() []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.node.Labels))
	for i, l := range n.node.Labels {
		names[i] = l.Name
	}
	return names
}

// A kind is a type of node with the keys that it takes.
type kind struct {
	name string
	// article makes it a phrase, as "a task".
	article string
	keys    []string
	// required are the keys that each such node has.
	required []string
	// outputs is how many outputs the node must have, or 0 for any number.
	outputs int
}

func (k *kind) level() level {
	return level{where: "on " + k.article + " " + k.name, name: k.article + " " + k.name}
}

// kinds are the types of nodes.
var kinds = []*kind{
	{name: "task", article: "a", required: []string{"agent"}, keys: []string{
		"type", "agent", "prompt", "command", "cwd", "context_files", "outputs", "timeout_minutes", "retry_on_failure", "max_retries", "on_output", "template", "model",
	}},
	{name: "decision", article: "a", required: []string{"condition"}, outputs: 2, keys: []string{"type", "condition", "outputs", "on_output"}},
	{name: "parallel", article: "a", required: []string{"branches"}, outputs: 1, keys: []string{"type", "branches", "outputs", "on_output"}},
	{name: "join", article: "a", required: []string{"wait_for"}, keys: []string{"type", "wait_for", "agent", "prompt", "outputs", "on_output", "template", "model"}},
	{name: "human", article: "a", required: []string{"prompt"}, keys: []string{"type", "prompt", "outputs", "timeout_minutes", "default_output", "on_output"}},
	{name: "checkpoint", article: "a", outputs: 1, keys: []string{"type", "outputs", "on_output"}},
}

func kindNames() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

var nodeFields = []field[nodeDecl]{
	{"type", func(*decoder, value, *nodeDecl) {}}, // read first
	{"template", func(*decoder, value, *nodeDecl) {}},
	{"agent", func(d *decoder, v value, n *nodeDecl) { n.agent = d.filledValue(v) }},
	{"model", func(d *decoder, v value, n *nodeDecl) { n.model = d.filledValue(v) }},
	{"prompt", func(d *decoder, v value, n *nodeDecl) { n.prompt = d.filledValue(v) }},
	{"command", func(d *decoder, v value, n *nodeDecl) { n.command = d.filledValue(v) }},
	{"cwd", func(d *decoder, v value, n *nodeDecl) { n.cwd = d.filledValue(v) }},
	{"context_files", readContextFiles},
	{"outputs", func(_ *decoder, v value, n *nodeDecl) { n.outputs = &v }},
	{"timeout_minutes", func(d *decoder, v value, n *nodeDecl) {
		if m, ok := d.whole(v, 1); ok {
			n.timeout, n.minutes = &v, m
		}
	}},
	{"retry_on_failure", func(d *decoder, v value, n *nodeDecl) { n.retry, _ = d.flag(v) }},
	{"max_retries", func(d *decoder, v value, n *nodeDecl) {
		n.maxRetries = &v
		n.retries, _ = d.whole(v, 0)
	}},
	{"on_output", func(_ *decoder, v value, n *nodeDecl) { n.handlers = &v }},
	{"condition", func(_ *decoder, v value, n *nodeDecl) { n.condition = &v }},
	{"branches", func(d *decoder, v value, n *nodeDecl) { n.branches, n.branchesOK = d.entries(v) }},
	{"wait_for", func(d *decoder, v value, n *nodeDecl) { n.waits, n.waitsOK = d.entries(v) }},
	{"default_output", func(d *decoder, v value, n *nodeDecl) { n.fallback = d.filledValue(v) }},
}

func readContextFiles(d *decoder, v value, n *nodeDecl) {
	if !d.isList(v) {
		return
	}
	for _, item := range v.node.Items {
		if s, ok := d.filled(v.item(item)); ok {
			n.files = append(n.files, s)
		}
	}
}

// readNodes decodes the mapping of all nodes.
func (d *decoder) readNodes(v value) {
	if !d.isMapping(v) {
		return
	}
	if len(v.node.Pairs) == 0 {
		d.bag.Add(diag.EmptyValue(v.place(), v.path))
		return
	}
	for _, p := range v.node.Pairs {
		d.readNode(value{node: p.Value, key: p.Key, path: "nodes." + p.Key.Value})
	}
}

// readNode decodes one node. Whatever is wrong with it, edges can lead to it.
func (d *decoder) readNode(v value) {
	id := v.key.Value
	switch {
	case strings.HasPrefix(id, "x-") && v.node.Get("type") == nil:
		return // an anchored mapping to merge into nodes
	case id == startID || id == endID:
		d.bag.Add(diag.ReservedName(v.key.Span, "a node", id, "that is where a graph begins or ends"))
		return
	case !isName(id, true):
		d.bag.Add(diag.BadName(v.key.Span, "a node", id, true))
	}
	n := &nodeDecl{at: v, node: &ir.Node{ID: id, IDSpan: v.key.Span, Span: v.key.Span.To(v.node.Place()), Output: types.Text}}
	n.node.Action = brokenAction()
	d.nodes = append(d.nodes, n)
	d.byID[id] = n
	d.graph.Nodes = append(d.graph.Nodes, n.node)
	if !d.isMapping(v) {
		n.node.Broken = true
		return
	}
	d.readTemplate(n)
	d.readKind(n)
	d.readNodeFields(n)
	d.readOutputs(n)
	if n.handlers != nil {
		d.readHandlers(*n.handlers, n)
	}
	if n.kind == nil || n.untold {
		n.node.Broken = true
	}
	if n.kind != nil {
		d.build(n)
	}
}

// brokenAction stands for an action that is wrong.
func brokenAction() ir.Action { return &ir.Checkpoint{} }

// readKind finds out the node's type; with a template it is a task unless it
// says otherwise.
func (d *decoder) readKind(n *nodeDecl) {
	p := n.at.node.Pair("type")
	if p == nil {
		if n.at.node.Pair("template") != nil {
			n.kind = kinds[0]
			return
		}
		d.bag.Add(diag.MissingKey(n.at.key.Span, "type", "the node `"+n.node.ID+"`").
			WithHelp("it is one of " + strings.Join(kindNames(), ", ")))
		return
	}
	v := value{node: p.Value, key: p.Key, path: "type"}
	name, ok := d.text(v)
	if !ok {
		return
	}
	for _, k := range kinds {
		if k.name == name {
			n.kind = k
			return
		}
	}
	d.bag.Add(diag.UnknownValue(v.place(), "type", name, kindNames()))
}

// readNodeFields reads the keys that the node's type takes.
func (d *decoder) readNodeFields(n *nodeDecl) {
	for _, p := range n.at.node.Pairs {
		i := slices.IndexFunc(nodeFields, func(f field[nodeDecl]) bool { return f.name == p.Key.Value })
		switch {
		case i >= 0 && (n.kind == nil || slices.Contains(n.kind.keys, p.Key.Value)):
			nodeFields[i].read(d, value{node: p.Value, key: p.Key, path: p.Key.Value}, n)
		case n.kind != nil && p.Key.Span.File == d.file: // a template's keys are for all types
			d.unknownKey(p.Key, n.kind.level(), n.kind.keys)
		}
	}
}

// readOutputs decodes the node's outputs.
func (d *decoder) readOutputs(n *nodeDecl) {
	l := level{name: "the node `" + n.node.ID + "`"}
	switch {
	case n.outputs == nil:
		n.node.Broken = true
		if !n.untold {
			d.bag.Add(diag.MissingKey(n.at.key.Span, "outputs", l.name))
		}
		return
	case !d.isList(*n.outputs):
		n.node.Broken = true
		return
	case len(n.outputs.node.Items) == 0:
		n.node.Broken = true
		d.bag.Add(diag.EmptyValue(n.at.key.Span, "outputs"))
		return
	}
	n.labelsKnown = true
	for _, item := range n.outputs.node.Items {
		v := n.outputs.item(item)
		name, ok := d.name(v, "an output", true)
		if !ok {
			n.labelsKnown, n.node.Broken = false, true
			continue
		}
		if first := n.node.Label(name); first != nil {
			d.bag.Add(diag.DuplicateOutput(v.place(), name, first.Span))
			continue
		}
		n.node.Labels = append(n.node.Labels, &ir.Label{Name: name, Span: v.place(), Failure: failures[name]})
	}
}

// failures are the names of outputs that stand for a failure.
var failures = map[string]bool{
	"fail": true, "failed": true, "failure": true, "error": true, "blocked": true, "no": true, "timeout": true,
}

// countOutputs reports a node that has another number of outputs than it must
// have.
func (d *decoder) countOutputs(n *nodeDecl, what string, want int) bool {
	if got := len(n.node.Labels); n.labelsKnown && got != want {
		d.bag.Add(diag.OutputCount(n.outputs.place(), what, want, got))
		n.node.Broken = true
		return false
	}
	return n.labelsKnown
}
