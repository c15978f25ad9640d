package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// A loop_group repeats nodes. They depend only on each other, but read all nodes around
// the group, so their ids differ from those. The id of node `test` in the program begins
// with that of its group `fix`: it is `fix.test`.

// A group is a loop_group with the nodes inside it.
type group struct {
	owner *nodeDecl
	loop  *ir.Loop
	decls []*nodeDecl
	scope *scope
	// outer is the group around it, or nil.
	outer *group
}

// groupSignals are the keys that end a group.
var groupSignals = []string{"until", "until_bash"}

var groupLevel = level{Where: "under `loop_group:`", Name: "`loop_group`", Prefix: "loop_group.",
	AnyOf: [][]string{groupSignals}, Needs: []decode.Need{{Key: "interactive", Is: "true", Requires: "gate_message"}}}

var groupFields = []field[loopDecl]{
	{Name: "nodes", Shape: decode.ListOf(decode.Object(&nodeLevel)).AtLeast(1), Required: true,
		Doc: "The nodes, which depend only on each other.",
		Read: func(d *decoder, v value, l *loopDecl) {
			if d.HasItems(v) {
				l.nodes = &v
			}
		}},
	{Name: "until", Shape: decode.FilledString,
		Doc:  "Signal: the group ends when an iteration's output contains it.",
		Read: decode.Find(loopFields, "until").Read},
	{Name: "until_bash", Shape: decode.FilledString,
		Doc:  "Bash script that ends the group when it exits with 0. It can read the nodes inside.",
		Read: func(d *decoder, v value, l *loopDecl) { l.untilBash = decode.Keep(v, d.Filled) }},
	*decode.Find(loopFields, "max_iterations"),
	*decode.Find(loopFields, "fresh_context"),
	*decode.Find(loopFields, "interactive"),
	*decode.Find(loopFields, "gate_message"),
	*decode.Find(loopFields, "signal_completes"),
}

// buildGroup makes a loop_group: a loop whose body is nodes. It reports whether that is
// possible.
func (d *decoder) buildGroup(n *nodeDecl, at value) bool {
	var l loopDecl
	if !readLevel(d, at, groupLevel, groupFields, &l) {
		return false
	}
	if !hasAny(at.Node, groupSignals) {
		d.reportMissing(at, groupLevel, "until")
	}
	d.checkGate(at, &l)
	d.checkSignal(&l)
	if l.nodes == nil {
		return false
	}
	g := &group{owner: n, loop: d.newLoop(&l), scope: newScope(d.rules), outer: d.group}
	g.scope.outer, g.scope.answers, g.scope.siblings = d.scope, l.interactive, map[string]*ir.Node{}
	d.groups = append(d.groups, g) // before the groups inside
	d.readGroup(g, *l.nodes)
	if l.untilBash != nil {
		text := l.untilBash.Node.Text()
		g.loop.Until = &ir.Bash{Script: text.Value, Original: template.Literal(text)}
		s := d.addSurface(untilBashSurface, n.node, text)
		s.scope, s.setBash = g.scope, func(b *ir.Bash) { g.loop.Until = b }
	}
	n.node.Action = g.loop
	if n.node.AlwaysRun && (g.loop.Gate != nil || isGated(g.loop.Body.(*ir.DAG))) {
		d.reportIneffective(n.always, "an approval is not repeated when the run is resumed")
		n.node.AlwaysRun = false
	}
	return true
}

// readGroup decodes the nodes of a group. Its agent is the default of theirs.
func (d *decoder) readGroup(g *group, list value) {
	scope, group, defaults := d.scope, d.group, d.defaults
	defer func() { d.scope, d.group, d.defaults = scope, group, defaults }()
	d.scope, d.group = g.scope, g
	own := g.owner.agent
	other := own.provider != "" && d.checkProvider(own.providerAt, own.provider) && own.provider != defaults.chosen.agent
	if !d.rules.Holds(formats.LoopAgents) {
		own.model = ""
	}
	if other || own.model != "" {
		inner := *defaults
		if other {
			inner.agent.provider, inner.agent.providerAt = own.provider, own.providerAt
		}
		inner.agent.model, inner.agent.modelAt = own.model, own.modelAt
		inner.chosen = d.chooseAgentModel(inner.providerName(), &inner.agent)
		d.defaults = &inner
	}
	body := &ir.DAG{}
	g.loop.Body = body
	for i, item := range list.Node.Items {
		if n := d.readNode(item, list, i+1); n != nil {
			g.decls = append(g.decls, n)
			d.addToScope(n)
			g.scope.siblings[n.node.ID] = g.scope.nodes[n.node.ID]
		}
	}
	d.connectNodes(g.decls)
	g.decls = d.expandIncludes(g.decls)
	for _, n := range g.decls {
		body.Nodes = append(body.Nodes, n.node)
	}
}

// finishGroups completes the groups once all nodes of the file are known: the names that
// their nodes can read, their ids in the program, and the nodes with their outputs.
func (d *decoder) finishGroups() {
	for _, g := range d.groups {
		for _, n := range g.decls {
			if first := g.scope.outer.nodes[n.node.ID]; n.named && first != nil {
				d.Bag.Add(finding.DuplicateID(n.node.IDSpan, n.node.ID, first.IDSpan))
			}
		}
		g.scope.addOuter()
	}
	for _, g := range d.groups {
		for _, n := range g.decls {
			n.node.Rename(g.owner.node.ID)
		}
		_, sinks := entriesAndSinks(g.decls)
		for _, n := range sinks {
			g.loop.Last = append(g.loop.Last, n.node)
		}
		d.checkWaits(g)
		continueConversations(g.decls)
		if !g.loop.FreshSession {
			continueIterations(g)
		}
	}
	for _, g := range slices.Backward(d.groups) {
		g.setOutput()
	}
}

// setOutput gives the group the type of the output of its only last node, if that
// completes in every iteration.
func (g *group) setOutput() {
	if len(g.loop.Last) != 1 {
		return
	}
	if last := g.loop.Last[0]; last.Schema != "" && neverSkips(last, map[*ir.Node]bool{}) {
		n := g.owner.node
		n.Output, n.Schema, n.SchemaSpan = last.Output, last.Schema, last.SchemaSpan
	}
}

// neverSkips reports whether a node of a group runs in every iteration in which no node
// fails. seen are the nodes that do, or that the search has come to.
func neverSkips(n *ir.Node, seen map[*ir.Node]bool) bool {
	if seen[n] {
		return true
	}
	seen[n] = true
	if n.When != nil || n.WhenText != "" || n.SkipOnTimeout {
		return false
	}
	for _, need := range n.Needs {
		if !neverSkips(need.Node, seen) && n.Rule != ir.AllDone {
			return false
		}
	}
	return true
}

// checkWaits reports waits in a group that are not its only last node, or whose group is
// in another one.
func (d *decoder) checkWaits(g *group) {
	for _, n := range g.decls {
		if _, wait := n.node.Action.(*ir.Wait); !wait {
			continue
		}
		why := ""
		switch {
		case g.outer != nil:
			why = "the group is inside another one"
		case len(g.loop.Last) != 1 || g.loop.Last[0] != n.node:
			why = "it is not the only last node"
		default:
			continue
		}
		d.bagOf(n).Add(finding.WaitInGroup(n.headSpan(), g.owner.node.ID, why))
	}
}

// checkGroup reports keys that a loop_group cannot have, and those without effect on it.
func (r *reader) checkGroup(n *nodeDecl) {
	if n.retryAt != nil {
		r.Bag.Add(finding.NotOnGroup(n.retryAt.Key.Span, n.retryAt.Path))
		n.node.Retry = nil
	}
	r.reportIneffective(n.idle, "write it on the nodes inside the group")
	n.node.IdleTimeout = 0
}

// checkInside reports what a node cannot have or do because it is inside a group, or in a
// block that runs for the items of a list.
func (d *decoder) checkInside(n *nodeDecl, mode *modeUse) (ok bool) {
	part, around := "iteration", "a `loop_group`"
	switch {
	case d.repeated:
		part, around = "item", "the `include` of a `fan_out`"
	case d.group == nil:
		return true
	}
	if n.node.AlwaysRun {
		d.reportIneffective(n.always, "nodes of a completed "+part+" never run again")
		n.node.AlwaysRun = false
	}
	if p := n.at.Node.Pair("persist_session"); p != nil && n.agent.persist != nil {
		d.Bag.Add(finding.NoEffect(p.Key.Span, p.Key.Value, "nodes inside "+around+" keep no conversation for the next run"))
	}
	if d.group != nil && mode.name == "workflow" {
		d.Bag.Add(finding.NotInGroup(mode.at.Key.Span, mode.name, d.group.owner.node.ID))
		return false
	}
	return true
}

// isGated reports whether a person is asked inside a group.
func isGated(dag *ir.DAG) bool {
	return slices.ContainsFunc(dag.Nodes, func(n *ir.Node) bool {
		switch a := n.Action.(type) {
		case *ir.Approval:
			return true
		case *ir.Loop:
			inner, group := a.Body.(*ir.DAG)
			return a.Gate != nil || group && isGated(inner)
		}
		return false
	})
}
