package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The nodes of a block are in the body of the node that includes them. That node runs,
// completes at once, and lets the first nodes of the block run.

// result is the node whose output is that of a node, which may include others.
func (n *nodeDecl) result() *ir.Node {
	if n.block != nil {
		return n.block.output
	}
	return n.node
}

// ends returns the nodes of a body that depend on no other, and those on which no other
// depends.
func ends(decls []*nodeDecl) (entries, sinks []*nodeDecl) {
	needed := map[*ir.Node]bool{}
	for _, n := range decls {
		for _, need := range n.node.Needs {
			needed[need.Node] = true
		}
	}
	for _, n := range decls {
		if len(n.node.Needs) == 0 {
			entries = append(entries, n)
		}
		if !needed[n.node] {
			sinks = append(sinks, n)
		}
	}
	return entries, sinks
}

// expand returns the nodes of a body, each followed by those that it includes. It is
// called once the nodes are connected.
func (d *decoder) expand(decls []*nodeDecl) []*nodeDecl {
	blocks := map[*ir.Node]*block{}
	for _, n := range decls {
		if n.block != nil {
			blocks[n.node] = n.block
		}
	}
	if len(blocks) == 0 {
		return decls
	}
	for _, n := range decls {
		n.node.Needs = behind(n.node.Needs, blocks)
	}
	var all []*nodeDecl
	for _, n := range decls {
		all = append(all, n)
		if n.block != nil {
			n.block.attach(n)
			all = append(all, n.block.nodes...)
		}
	}
	d.checkGenerated(decls)
	return all
}

// behind replaces dependencies on blocks by those on their last nodes.
func behind(needs []*ir.Need, blocks map[*ir.Node]*block) []*ir.Need {
	var all []*ir.Need
	add := func(need *ir.Need) {
		if !slices.ContainsFunc(all, func(n *ir.Need) bool { return n.Node == need.Node }) {
			all = append(all, need)
		}
	}
	for _, need := range needs {
		b := blocks[need.Node]
		if b == nil {
			add(need)
			continue
		}
		for _, n := range b.last {
			add(&ir.Need{Node: n, Span: need.Span})
		}
	}
	return all
}

// strength orders the trigger rules: a rule holds whenever one before it does.
var strength = [...]int{ir.AllSuccess: 0, ir.NoneFailedMinOneSuccess: 1, ir.OneSuccess: 2, ir.AllDone: 3}

// attach puts a block behind the node that includes it. An entry without a trigger rule of
// its own has that of the include. The include runs if the rule of any entry allows; an
// entry with a stricter one keeps the dependencies of the include.
func (b *block) attach(n *nodeDecl) {
	include, rule := n.node, n.node.Trigger
	needs := include.Needs
	ruleOf := func(e *nodeDecl) ir.TriggerRule {
		if e.ruled {
			return e.node.Trigger
		}
		return rule
	}
	if len(needs) > 0 {
		for i, e := range b.entries {
			if r := ruleOf(e); i == 0 || strength[r] > strength[include.Trigger] {
				include.Trigger = r
			}
		}
	}
	for _, e := range b.entries {
		r := ruleOf(e)
		if len(needs) == 0 || r == include.Trigger {
			e.node.Needs, e.node.Trigger = []*ir.Need{{Node: include, Span: b.site}}, ir.AllSuccess
			continue
		}
		e.node.Needs, e.node.Trigger = append(slices.Clone(needs), &ir.Need{Node: include, Span: b.site, Order: true}), r
	}
	for _, inner := range b.nodes {
		if inner.node.Within == nil {
			inner.node.Within = include
		}
	}
}

// checkGenerated reports ids of nodes in blocks that another node has, too: at that one if
// it is in this file.
func (d *decoder) checkGenerated(decls []*nodeDecl) {
	own, generated := map[string]*nodeDecl{}, map[string]*nodeDecl{}
	for _, n := range decls {
		if n.named && own[n.node.ID] == nil {
			own[n.node.ID] = n
		}
	}
	for _, n := range decls {
		if n.block == nil {
			continue
		}
		for _, inner := range n.block.nodes {
			id := inner.node.ID
			if other := own[id]; other != nil {
				d.Bag.Add(finding.DuplicateID(other.node.IDSpan, id, n.node.IDSpan))
			} else if other := generated[id]; other != nil {
				d.Bag.Add(finding.DuplicateID(n.node.IDSpan, id, other.node.IDSpan))
			} else {
				generated[id] = n
			}
		}
	}
}

// addToScope makes a node known to references.
func (d *decoder) addToScope(n *nodeDecl) {
	if n.block != nil {
		d.scope.blocks[n.node.ID] = n.node
	}
	d.scope.add(n.node.ID, n.result())
}
