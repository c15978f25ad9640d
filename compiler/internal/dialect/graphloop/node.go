package graphloop

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// The two ends of every graph, which are not nodes.
const (
	startID = "START"
	endID   = "END"
)

// keyTable is the table of the type's keys.
func (k *kind) keyTable() decode.Table {
	t := decode.Table{Level: k.keyLevel()}
	for _, f := range decode.TableOf(k.keyLevel(), nodeFields).Keys {
		if slices.Contains(k.keys, f.Name) {
			if f.Name == "type" {
				f.Shape = decode.OneOf(k.name)
			}
			if doc := k.docs[f.Name]; doc != "" {
				f.Doc = doc
			}
			if preset := k.defaults[f.Name]; preset != "" {
				f.Default = preset
			}
			if f.Name == "outputs" && k.outputs == 1 {
				f.Examples = []string{`["done"]`}
			}
			f.Required = f.Required || slices.Contains(k.required, f.Name)
			t.Keys = append(t.Keys, f)
		}
	}
	return t
}

// nodeShape is the shape of a node: its type selects the keys. The keys that a node with
// a template lacks may be in the template.
func nodeShape() decode.Shape {
	var cases []decode.Case
	for _, k := range kinds {
		l := k.keyLevel()
		cases = append(cases, decode.Case{Value: k.name, Level: &l})
	}
	return decode.ByKey("type", "template", cases...)
}

// kinds are the types of nodes.
var kinds = []*kind{
	{name: "task", article: "a", required: []string{"agent"}, keys: []string{
		"type", "agent", "prompt", "command", "cwd", "context_files", "outputs", "timeout_minutes", "retry_on_failure", "max_retries", "on_output", "template", "model",
	}, needs: []decode.Need{{Key: "agent", Is: `"bash"`, Requires: "command"}, {Key: "agent", IsNot: `"bash"`, Requires: "prompt"}}},
	{name: "decision", article: "a", required: []string{"condition"}, outputs: 2, keys: []string{"type", "condition", "outputs", "on_output"},
		docs: map[string]string{"outputs": "The node's two outputs."}},
	{name: "parallel", article: "a", required: []string{"branches"}, outputs: 1, keys: []string{"type", "branches", "outputs", "on_output"}, docs: oneOutput},
	{name: "join", article: "a", required: []string{"wait_for"}, keys: []string{"type", "wait_for", "agent", "prompt", "outputs", "on_output", "template", "model"}, needs: []decode.Need{{Key: "agent", Requires: "prompt"}}, docs: map[string]string{
		"agent":   "Agent that gets the results of the branches; without it, a join only waits.",
		"outputs": "The node's outputs, without an agent only one.",
	}},
	{name: "human", article: "a", required: []string{"prompt"}, keys: []string{"type", "prompt", "outputs", "timeout_minutes", "default_output", "on_output"}, docs: map[string]string{
		"prompt":          "Question to a person. `(reference state.x)` inserts a variable.",
		"timeout_minutes": "Time limit for the answer in minutes.",
	}, defaults: map[string]string{"timeout_minutes": strconv.Itoa(humanMinutes)}},
	{name: "checkpoint", article: "a", outputs: 1, keys: []string{"type", "outputs", "on_output"}, docs: oneOutput},
}

// oneOutput describes the outputs of nodes that can end in only one way.
var oneOutput = map[string]string{"outputs": "The node's one output."}

func kindNames() []string {
	return plain.Texts(kinds, func(k *kind) string { return k.name })
}

var nodeFields = []field[nodeDecl]{
	{Name: "type", Shape: decode.OneOf(kindNames()...), Required: true,
		Doc:  "Its type.",
		Read: func(*decoder, value, *nodeDecl) {}}, // read first
	{Name: "template", Shape: decode.FilledString,
		Doc:  "Role of `.graph-loop/templates` whose keys the node inherits.",
		Read: func(*decoder, value, *nodeDecl) {}},
	{Name: "agent", Shape: decode.FilledString,
		Doc:  "`self`, `codex`, `gemini`, one of `wfc.yaml`, or `bash` for a command.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.agent = decode.Keep(v, d.Filled) }},
	{Name: "model", Shape: decode.FilledString,
		Doc:  "Model, model tier or alias for the agent.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.model = decode.Keep(v, d.Filled) }},
	{Name: "prompt", Shape: decode.FilledString,
		Doc:  "Prompt for the agent. `(reference state.x)` inserts a variable.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.prompt = decode.Keep(v, d.Filled) }},
	{Name: "command", Shape: decode.FilledString,
		Doc:  "Bash script of a task whose agent is `bash`.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.command = decode.Keep(v, d.Filled) }},
	{Name: "cwd", Shape: decode.FilledString,
		Doc:  "Folder in which the node runs, relative to that of the run.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.cwd = decode.Keep(v, d.Filled) }},
	{Name: "context_files", Shape: decode.ListOf(decode.FilledString),
		Doc:  "Files that the agent reads first.",
		Read: readContextFiles},
	{Name: "outputs", Shape: decode.ListOf(decode.String).AtLeast(1), Examples: []string{`["clean", "issues"]`}, Required: true,
		Doc:  "Names of the ways in which the node can end.",
		Read: func(_ *decoder, v value, n *nodeDecl) { n.outputs = &v }},
	{Name: "timeout_minutes", Shape: decode.Integer.AtLeast(1), Default: strconv.Itoa(taskMinutes),
		Doc: "Time limit in minutes.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			if m, ok := d.Whole(v); ok {
				n.timeout, n.minutes = &v, m
			}
		}},
	{Name: "retry_on_failure", Shape: decode.Bool,
		Doc:  "Retries a failed task, three times unless `max_retries` is set.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.retry, _ = d.Flag(v) }},
	{Name: "max_retries", Shape: decode.Integer.AtLeast(0),
		Doc: "Number of retries.",
		Read: func(d *decoder, v value, n *nodeDecl) {
			n.maxRetries = &v
			n.retries, _ = d.Whole(v)
		}},
	{Name: "on_output", Shape: decode.MapOf(decode.Object(&handlerLevel).OrNull()).OrNull(),
		Doc:  "Changes to the state for each output: `set` and `append`.",
		Read: func(_ *decoder, v value, n *nodeDecl) { n.handlers = &v }},
	{Name: "condition", Shape: decode.String,
		Doc:  "The first output is taken if it holds, else the second.",
		Read: func(_ *decoder, v value, n *nodeDecl) { n.condition = &v }},
	{Name: "branches", Shape: decode.ListOf(decode.String).AtLeast(1),
		Doc:  "Nodes to run at the same time.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.members, n.membersOK = d.readEntries(v) }},
	{Name: "wait_for", Shape: decode.ListOf(decode.String).AtLeast(1),
		Doc:  "Branches to wait for.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.members, n.membersOK = d.readEntries(v) }},
	{Name: "default_output", Shape: decode.FilledString,
		Doc:  "Output if nobody answers in time.",
		Read: func(d *decoder, v value, n *nodeDecl) { n.fallback = decode.Keep(v, d.Filled) }},
}

func readContextFiles(d *decoder, v value, n *nodeDecl) {
	list, _ := d.Entries(v, d.Filled)
	for _, e := range list {
		n.files = append(n.files, e.Text)
	}
}

// readNodes decodes the mapping of all nodes.
func (d *decoder) readNodes(v value) {
	if !d.HasPairs(v) {
		return
	}
	for _, p := range v.Node.Pairs {
		d.readNode(v.Member(&p))
	}
}

// readNode decodes one node. Edges can lead to it even if it has faults.
func (d *decoder) readNode(v value) {
	id := v.Key.Value
	switch {
	case strings.HasPrefix(id, "x-") && v.Node.Get("type") == nil:
		return // an anchored mapping to merge into nodes
	case id == startID || id == endID:
		d.Bag.Add(finding.ReservedName(v.Key.Span, "a node", id, "it is an end of the graph"))
		return
	case !isName(id, true):
		d.Bag.Add(finding.BadName(v.Key.Span, "a node", id, true))
	}
	n := &nodeDecl{at: v, node: &ir.Node{ID: id, IDSpan: v.Key.Span, Span: v.Key.Span.To(v.Node.Place()), Result: ir.Result{Output: types.Text}}}
	n.node.Action = brokenAction()
	d.nodes = append(d.nodes, n)
	d.byID[id] = n
	d.graph.Nodes = append(d.graph.Nodes, n.node)
	if !d.IsMapping(v) {
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
	if n.kind == nil || n.incomplete {
		n.node.Broken = true
	}
	if n.kind != nil {
		d.buildAction(n)
	}
}

// brokenAction represents an action that is wrong.
func brokenAction() ir.Action { return &ir.Checkpoint{} }

// readKind finds out the node's type; with a template it is a task unless it
// says otherwise.
func (d *decoder) readKind(n *nodeDecl) {
	p := n.at.Node.Pair("type")
	if p == nil {
		if n.at.Node.Pair("template") != nil {
			n.kind = kinds[0]
			return
		}
		d.reportMissing(n, "type", "the node `"+n.node.ID+"`", "use one of "+strings.Join(kindNames(), ", "))
		return
	}
	name, ok := d.Choice(value{Node: p.Value, Key: p.Key, Path: p.Key.Value, Shape: &nodeFields[0].Shape})
	if !ok {
		return
	}
	n.kind = kinds[slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })]
}

// readNodeFields reads the keys that the node's type takes.
func (d *decoder) readNodeFields(n *nodeDecl) {
	for _, p := range n.at.Node.Pairs {
		f := decode.Find(nodeFields, p.Key.Value)
		switch {
		case f != nil && (n.kind == nil || slices.Contains(n.kind.keys, p.Key.Value)):
			f.Decode(d, nodeLevel, n.at, &p, n)
		case n.kind != nil && p.Key.Span.File == d.file: // a template's keys are for all types
			d.UnknownKey(n.at, p.Key, n.kind.keyLevel(), n.kind.keys)
		}
	}
}

// readOutputs decodes the node's outputs.
func (d *decoder) readOutputs(n *nodeDecl) {
	l := level{Name: "the node `" + n.node.ID + "`"}
	switch {
	case n.outputs == nil:
		n.node.Broken = true
		if !n.incomplete {
			d.reportMissing(n, "outputs", l.Name)
		}
		return
	case !d.IsList(*n.outputs):
		n.node.Broken = true
		return
	case len(n.outputs.Node.Items) == 0:
		n.node.Broken = true
		d.Bag.Add(finding.EmptyValue(n.at.Key.Span, "outputs"))
		return
	}
	n.labelsKnown = true
	for _, item := range n.outputs.Node.Items {
		v := n.outputs.Item(item)
		name, ok := d.readName(v, "an output", true)
		if !ok {
			n.labelsKnown, n.node.Broken = false, true
			continue
		}
		if first := n.node.Label(name); first != nil {
			d.Bag.Add(finding.DuplicateOutput(v.Place(), name, first.Span))
			continue
		}
		n.node.Labels = append(n.node.Labels, &ir.Label{Name: name, Span: v.Place(), Failure: failures[name]})
	}
}

// failures are the names of outputs that represent a failure.
var failures = map[string]bool{
	"fail": true, "failed": true, "failure": true, "error": true, "blocked": true, "no": true, "timeout": true,
}
