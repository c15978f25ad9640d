package archon

import (
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The nodes of a block are in the body of the node that includes them. That node runs,
// completes at once, and lets the first nodes of the block run.

// resultNode is the node whose output is that of a node, which may include others.
func (n *nodeDecl) resultNode() *ir.Node {
	if n.block != nil {
		return n.block.output
	}
	return n.node
}

// bagOf is the bag for findings about a node: that of the innermost block it is in.
func (d *decoder) bagOf(n *nodeDecl) *diag.Bag {
	for _, b := range d.blocks { // inner ones first
		if slices.Contains(b.nodes, n) {
			return b.bag
		}
	}
	return d.Bag
}

// entriesAndSinks returns the nodes of a body that depend on no other, and those on which no other
// depends.
func entriesAndSinks(decls []*nodeDecl) (entries, sinks []*nodeDecl) {
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

// expandIncludes returns the nodes of a body, each followed by those that it includes. It is
// called once the nodes are connected.
func (d *decoder) expandIncludes(decls []*nodeDecl) []*nodeDecl {
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
		n.node.Needs = replaceBlockNeeds(n.node.Needs, blocks)
	}
	var all []*nodeDecl
	for _, n := range decls {
		all = append(all, n)
		if n.block != nil {
			n.block.attachTo(n)
			all = append(all, n.block.nodes...)
		}
	}
	d.checkGenerated(decls)
	return all
}

// replaceBlockNeeds replaces dependencies on blocks by those on their last nodes.
func replaceBlockNeeds(needs []*ir.Need, blocks map[*ir.Node]*block) []*ir.Need {
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

// attachTo puts a block behind the node that includes it.
func (b *block) attachTo(n *nodeDecl) {
	if needs := n.node.Needs; len(needs) > 0 {
		rule := n.node.Rule
		setRule(n.node, b.weakestRule(rule))
		b.addEntryNeeds(n.node, needs, rule, n.node.Rule)
	} else {
		for _, e := range b.entries {
			e.node.Needs, e.node.Rule = []*ir.Need{{Node: n.node, Span: b.site}}, ir.AllSuccess
		}
	}
	for _, inner := range b.nodes {
		inner.node.Include = cmp.Or(inner.node.Include, n.node)
	}
}

// weakestRule is the rule by which the node that includes a block runs: when that of any entry
// allows. An entry without a trigger rule has that of the include.
func (b *block) weakestRule(rule ir.TriggerRule) ir.TriggerRule {
	weakest := rule
	for i, e := range b.entries {
		if r := b.ruleOf(e, rule); i == 0 || strength[r] > strength[weakest] {
			weakest = r
		}
	}
	return weakest
}

// ruleOf is the rule of an entry: that of a block inside is the weakest of its entries.
func (b *block) ruleOf(e *nodeDecl, rule ir.TriggerRule) ir.TriggerRule {
	if e.ruled {
		rule = e.rule
	}
	if e.block != nil {
		return e.block.weakestRule(rule)
	}
	return rule
}

// addEntryNeeds has the entries of a block wait for the dependencies of its include, which runs by
// a rule that has. An entry with a stricter one waits for these dependencies itself. The
// same holds for the entries of blocks inside. rule is that of entries without one.
func (b *block) addEntryNeeds(include *ir.Node, needs []*ir.Need, rule, has ir.TriggerRule) {
	for _, e := range b.entries {
		own := b.ruleOf(e, rule)
		if own == has {
			e.node.Needs, e.node.Rule = []*ir.Need{{Node: include, Span: b.site}}, ir.AllSuccess
		} else {
			e.node.Needs = append(slices.Clone(needs), &ir.Need{Node: include, Span: b.site, Order: true})
			setRule(e.node, own)
		}
		if e.block == nil {
			continue
		}
		inherited := rule
		if e.ruled {
			inherited = e.rule
		}
		e.block.addEntryNeeds(e.node, needs, inherited, own)
	}
}

// setRule gives a node in or before a block, which only newer files have, a trigger rule.
func setRule(n *ir.Node, rule ir.TriggerRule) {
	n.Rule = rule
	n.SkipCountsAsFailure = n.SkipCountsAsFailure || rule == ir.NoneFailedMinOneSuccess
}

// checkGenerated reports ids of nodes in blocks that another node has, too: at that one if
// it is in this file.
func (r *reader) checkGenerated(decls []*nodeDecl) {
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
				r.Bag.Add(finding.DuplicateID(other.node.IDSpan, id, n.node.IDSpan))
			} else if other := generated[id]; other != nil {
				r.Bag.Add(finding.DuplicateID(n.node.IDSpan, id, other.node.IDSpan))
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
	d.scope.add(n.node.ID, n.resultNode())
}
