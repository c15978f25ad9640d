package archon

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/types"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// nodeDecl is a node as it is written.
type nodeDecl struct {
	node *ir.Node
	at   value
	// number counts the nodes from 1.
	number  int
	named   bool
	needs   []dependency
	modes   []modeUse
	agent   agentDecl
	timeout *value
	idle    *value
	retryAt *value
	always  *value
	runtime *value
	deps    *value
	when    *value
	// newer are keys that only newer versions of the format have as modes.
	newer []value
}

// A dependency is one entry of depends_on.
type dependency struct {
	id string
	at source.Span
}

// label is how messages call the node.
func (n *nodeDecl) label() string {
	if n.named {
		return "`" + n.node.ID + "`"
	}
	return fmt.Sprintf("number %d", n.number)
}

// head is where faults of the whole node are shown: at its id, or at its first
// key.
func (n *nodeDecl) head() source.Span {
	if n.node.IDSpan.IsValid() {
		return n.node.IDSpan
	}
	if len(n.at.node.Pairs) > 0 {
		return n.at.node.Pairs[0].Key.Span
	}
	return n.at.place()
}

var nodeLevel = level{where: "on a node", name: "the node"}

var nodeFields = []field[nodeDecl]{
	{"id", readID},
	{"description", func(d *decoder, v value, n *nodeDecl) { n.node.Doc, _ = d.text(v) }},
	{"depends_on", readDependencies},
	{"when", func(d *decoder, v value, n *nodeDecl) { n.when = d.textValue(v) }},
	{"trigger_rule", readTrigger},
	{"retry", func(d *decoder, v value, n *nodeDecl) {
		n.node.Retry = d.readRetry(v)
		n.retryAt = &v
	}},
	{"timeout", func(d *decoder, v value, n *nodeDecl) {
		if _, ok := d.number(v); ok {
			n.timeout = &v
		}
	}},
	{"idle_timeout", func(d *decoder, v value, n *nodeDecl) {
		if ms, ok := d.numberIf(v, positiveTime, isPositive); ok {
			n.node.IdleTimeout = milliseconds(ms)
			n.idle = &v
		}
	}},
	{"always_run", func(d *decoder, v value, n *nodeDecl) {
		n.node.AlwaysRun, _ = d.flag(v)
		n.always = &v
	}},
	{"output_type", func(d *decoder, v value, n *nodeDecl) { n.node.Artifact, _ = d.filled(v) }},
	{"command", readTextMode},
	{"prompt", readTextMode},
	{"bash", readTextMode},
	{"script", readTextMode},
	{"cancel", readTextMode},
	{"loop", func(d *decoder, v value, n *nodeDecl) {
		n.modes = append(n.modes, modeUse{name: v.path, at: v, loop: d.readLoop(v)})
	}},
	{"approval", func(d *decoder, v value, n *nodeDecl) {
		n.modes = append(n.modes, modeUse{name: v.path, at: v, approval: d.readApproval(v)})
	}},
	{"loop_group", readNewerMode},
	{"include", readNewerMode},
	{"workflow", readNewerMode},
	{"runtime", func(d *decoder, v value, n *nodeDecl) {
		if _, ok := d.choice(v, "bun", "uv"); ok {
			n.runtime = &v
		}
	}},
	{"deps", func(d *decoder, v value, n *nodeDecl) {
		if _, ok := d.texts(v, true); ok {
			n.deps = &v
		}
	}},
	{"provider", func(d *decoder, v value, n *nodeDecl) {
		n.agent.note(v)
		if s, ok := d.text(v); ok {
			if n.agent.provider = trim(s); n.agent.provider == "" {
				d.fault(v, diag.EmptyValue(v.place(), v.path))
			}
			n.agent.providerAt = v
		}
	}},
	{"model", func(d *decoder, v value, n *nodeDecl) {
		n.agent.note(v)
		n.agent.model, _ = d.text(v)
		n.agent.modelAt = v
	}},
	{"context", func(d *decoder, v value, n *nodeDecl) {
		n.agent.note(v)
		context, _ := d.choice(v, "fresh", "shared")
		n.agent.fresh = context == "fresh"
	}},
	{"persist_session", func(d *decoder, v value, n *nodeDecl) {
		n.agent.note(v)
		if on, ok := d.flag(v); ok {
			n.agent.persist = &on
		}
	}},
	{"output_format", func(d *decoder, v value, n *nodeDecl) {
		n.agent.note(v)
		if d.isMapping(v) {
			n.agent.schema = &v
		}
	}},
}

// agentFields are the agent's options as keys of a node.
var agentFields = func() []field[nodeDecl] {
	list := make([]field[nodeDecl], len(optionKeys))
	for i := range optionKeys {
		key := &optionKeys[i]
		list[i] = field[nodeDecl]{key.name, func(d *decoder, v value, n *nodeDecl) { d.readOption(key, v, &n.agent) }}
	}
	return list
}()

// allNodeFields are all keys of a node.
var allNodeFields = append(append([]field[nodeDecl]{}, nodeFields...), agentFields...)

// readNode decodes one item of nodes. The result always has a node, so that
// references to it can be resolved whatever is wrong with it; it is nil only
// when the item is no mapping.
func (d *decoder) readNode(item *yamlsrc.Node, list value, number int) *nodeDecl {
	v := value{node: item, key: list.key, path: fmt.Sprintf("nodes item %d", number)}
	n := &nodeDecl{node: &ir.Node{Span: item.Span, Output: types.Text}, at: v, number: number}
	if !decodeFields(d, nodeLevel, v, allNodeFields, n) {
		return nil
	}
	if item.Alias.IsValid() {
		// Its twin stands where the id is written.
		n.node.IDSpan = item.Alias
	}
	if item.Pair("id") == nil {
		d.bag.Add(diag.MissingKey(n.head(), "id", nodeLevel.name))
	}
	d.buildNode(n)
	return n
}

func readID(d *decoder, v value, n *nodeDecl) {
	id, ok := d.text(v)
	n.node.IDSpan = v.place()
	if !ok {
		return
	}
	if n.node.ID = trim(id); n.node.ID == "" {
		d.fault(v, diag.EmptyValue(v.place(), v.path))
		return
	}
	n.named = true
}

func readDependencies(d *decoder, v value, n *nodeDecl) {
	if !d.isList(v) {
		return
	}
	for _, entry := range v.node.Items {
		item := v.item(entry)
		item.path = "depends_on item"
		if id, ok := d.text(item); ok {
			n.needs = append(n.needs, dependency{id, item.place()})
		}
	}
}

// triggerRules are the names of the trigger rules in the order of
// ir.TriggerRule.
var triggerRules = []string{
	ir.AllSuccess.String(), ir.OneSuccess.String(), ir.NoneFailedMinOneSuccess.String(), ir.AllDone.String(),
}

func readTrigger(d *decoder, v value, n *nodeDecl) {
	name, ok := d.choice(v, triggerRules...)
	for i, rule := range triggerRules {
		if ok && rule == name {
			n.node.Trigger = ir.TriggerRule(i)
		}
	}
}

// setTimeout sets the node's time limit. The engine checks it where it has a
// use for it, on bash and script nodes, and drops it elsewhere.
func (d *decoder) setTimeout(n *nodeDecl, mode string) {
	if n.timeout == nil {
		return
	}
	v := *n.timeout
	if mode == "cancel" {
		d.bag.Add(diag.NoEffect(v.key.Span, v.path, "a `cancel` node takes no time"))
		return
	}
	v.lenient = mode != "bash" && mode != "script"
	if ms, ok := d.numberIf(v, positiveTime, isPositive); ok {
		n.node.Timeout = milliseconds(ms)
		n.node.TimeoutSpan = v.place()
	}
}

// checkUse reports keys that have no effect on a node of the mode.
func (d *decoder) checkUse(n *nodeDecl, use *modeUse) {
	mode := use.name
	without := func(v *value, because string) {
		if v != nil {
			d.bag.Add(diag.NoEffect(v.key.Span, v.path, because))
		}
	}
	if mode != "script" {
		without(n.runtime, "only `script` nodes have a runtime")
		without(n.deps, "only `script` nodes have packages to install")
	}
	switch mode {
	case "bash", "script", "cancel":
		without(n.idle, "a `"+mode+"` node asks no agent")
		n.node.IdleTimeout = 0
	}
	switch mode {
	case "approval", "cancel":
		without(n.retryAt, "there is nothing in a `"+mode+"` node that could be tried again")
		n.node.Retry = nil
	}
	if gated := mode == "approval" || use.loop != nil && use.loop.interactive; gated && n.node.AlwaysRun {
		without(n.always, "what a person has consented to is not asked again when the run is resumed")
		n.node.AlwaysRun = false
	}
	if len(n.agent.keys) > 0 && mode != "command" && mode != "prompt" {
		d.bag.Add(diag.IgnoredAgentOptions(n.agent.first, mode, n.agent.keys))
	}
}
