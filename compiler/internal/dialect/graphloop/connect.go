package graphloop

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// connectNodes joins parallels with their branches and joins, and nodes with their
// edges, and finds out where interrupts lead that are skipped.
func (d *decoder) connectNodes() {
	for _, n := range d.nodes {
		if p, ok := n.node.Action.(*ir.Parallel); ok {
			d.connectBranches(n, p)
		}
	}
	for _, n := range d.nodes {
		if j, ok := n.node.Action.(*ir.Join); ok {
			d.connectWaits(n, j)
		}
	}
	for _, n := range d.nodes {
		if p, ok := n.node.Action.(*ir.Parallel); ok {
			p.Join = d.joinOf(p)
		}
	}
	for _, e := range d.edges {
		d.connectEdge(e)
	}
	for _, i := range d.interrupts {
		d.connectInterrupt(i)
	}
}

// connectBranches finds the branches of a parallel. It reports and leaves out nodes
// that cannot be branches.
func (d *decoder) connectBranches(n *nodeDecl, p *ir.Parallel) {
	if pair := n.at.Node.Pair("branches"); pair != nil {
		p.BranchesSpan = pair.Key.Span
	}
	n.node.Broken = n.node.Broken || !n.membersOK
	for _, b := range n.members {
		branch := d.byID[b.Text]
		if branch == nil {
			d.Bag.Add(finding.UnknownNodeIn(b.At, b.Text, "", d.nodeIDs()))
			n.node.Broken = true
			continue
		}
		if why, first := d.noBranch(n, branch); why != "" {
			d.Bag.Add(codes.BadBranch.New(b.At, fmt.Sprintf("`%s` cannot be a branch here: %s", b.Text, why)).
				WithRelated(first, "see here"))
			n.node.Broken = true
			// A node that waits for it has no fault itself, and neither do its
			// edges.
			d.graph.Broken = true
			continue
		}
		branch.parallel = n
		p.Branches = append(p.Branches, branch.node)
		p.BranchSpans = append(p.BranchSpans, b.At)
	}
}

// noBranch says why a node cannot be a branch of a parallel, or "".
func (d *decoder) noBranch(parallel, n *nodeDecl) (why string, first source.Span) {
	switch other := n.parallel; {
	case n.kind != nil && (n.kind.name == "parallel" || n.kind.name == "join"):
		return "it is a " + n.kind.name, n.node.IDSpan
	case other == parallel:
		return "it is listed twice", other.branchSpan(n)
	case other != nil:
		return "it is a branch of `" + other.node.ID + "` already", other.branchSpan(n)
	}
	return "", source.Span{}
}

// branchSpan is where a parallel names a branch first.
func (n *nodeDecl) branchSpan(branch *nodeDecl) source.Span {
	i := slices.IndexFunc(n.members, func(b decode.Entry) bool { return b.Text == branch.node.ID })
	return n.members[i].At
}

// connectWaits finds the nodes that a join waits for.
func (d *decoder) connectWaits(n *nodeDecl, j *ir.Join) {
	if pair := n.at.Node.Pair("wait_for"); pair != nil {
		j.WaitsSpan = pair.Key.Span
	}
	n.node.Broken = n.node.Broken || !n.membersOK
	for _, w := range n.members {
		node := d.byID[w.Text]
		if node == nil {
			d.Bag.Add(finding.UnknownNodeIn(w.At, w.Text, "", d.nodeIDs()))
			n.node.Broken = true
			continue
		}
		j.Waits = append(j.Waits, node.node)
		j.WaitSpans = append(j.WaitSpans, w.At)
	}
}

// joinOf returns the join that waits for most of a parallel's branches, the first
// of several.
func (d *decoder) joinOf(p *ir.Parallel) *ir.Node {
	var best *ir.Node
	most := 0
	for _, n := range d.nodes {
		j, ok := n.node.Action.(*ir.Join)
		if !ok {
			continue
		}
		count := 0
		for _, b := range p.Branches {
			if slices.Contains(j.Waits, b) {
				count++
			}
		}
		if count > most {
			best, most = n.node, count
		}
	}
	return best
}
