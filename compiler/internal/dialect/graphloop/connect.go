package graphloop

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// connect joins parallels with their branches and joins, and nodes with their
// edges, and finds out where interrupts lead that are skipped.
func (d *decoder) connect() {
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
	n.node.Broken = n.node.Broken || !n.branchesOK
	for _, b := range n.branches {
		branch := d.byID[b.Text]
		if branch == nil {
			d.Bag.Add(finding.UnknownBranch(b.At, b.Text, d.ids()))
			n.node.Broken = true
			continue
		}
		if why, first := d.noBranch(n, branch); why != "" {
			d.Bag.Add(finding.BadBranch(b.At, b.Text, why, first))
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
	for _, b := range n.branches {
		if b.Text == branch.node.ID {
			return b.At
		}
	}
	return n.node.IDSpan
}

// connectWaits finds the nodes that a join waits for.
func (d *decoder) connectWaits(n *nodeDecl, j *ir.Join) {
	if pair := n.at.Node.Pair("wait_for"); pair != nil {
		j.WaitsSpan = pair.Key.Span
	}
	n.node.Broken = n.node.Broken || !n.waitsOK
	for _, w := range n.waits {
		node := d.byID[w.Text]
		if node == nil {
			d.Bag.Add(finding.UnknownBranch(w.At, w.Text, d.ids()))
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
			for _, w := range j.Waits {
				if w == b {
					count++
					break
				}
			}
		}
		if count > most {
			best, most = n.node, count
		}
	}
	return best
}

// connectEdge adds an edge to its node. Branches have no edges: their parallel
// starts them and continues at its join, so an edge from a branch to that join has
// no effect.
func (d *decoder) connectEdge(e *edgeDecl) {
	if e.to != nil && e.to.parallel != nil && !(e.from != nil && e.from.parallel != nil) {
		d.Bag.Add(finding.BranchEdge(e.edge.Span, e.to.node.ID, e.to.parallel.node.ID, "", true))
		d.dropEdge(e)
		return
	}
	if e.from != nil && e.from.parallel != nil {
		p := e.from.parallel.node
		join := p.Action.(*ir.Parallel).Join
		if join != nil && e.edge.To != join {
			d.Bag.Add(finding.BranchEdge(e.edge.Span, e.from.node.ID, p.ID, join.ID, false))
			d.dropEdge(e)
		}
		return
	}
	if e.from == nil {
		d.graph.Start = append(d.graph.Start, e.edge)
		return
	}
	e.from.node.Out = append(e.from.node.Out, e.edge)
}

// dropEdge says that an edge is missing.
func (d *decoder) dropEdge(e *edgeDecl) {
	d.graph.Broken = true
	if e.from != nil {
		e.from.node.Broken = true
	}
}

// connectInterrupt finds where an interrupt leads when its node is skipped.
func (d *decoder) connectInterrupt(i *interruptDecl) {
	in := i.interrupt
	if i.node.parallel != nil {
		d.Bag.Add(finding.InterruptShape(in.Span, "`"+in.Node.ID+"` is a branch of `"+i.node.parallel.node.ID+"`: a run cannot ask while branches run").
			WithHelp("move the interrupt to `" + i.node.parallel.node.ID + "`"))
		return
	}
	if in.Required || in.After {
		return
	}
	known := true
	in.Skip, known = skipRoute(in.Node)
	if in.Skip == nil && known && !in.Node.Broken {
		at := in.Span
		if i.required != nil {
			at = i.required.Place()
		}
		d.Bag.Add(finding.NoSkipRoute(at, in.Node.ID))
	}
}

// skipRoute returns the edge to take when a node is skipped: one without a
// condition, or any when all lead to the same node, or the one that an output
// named skip would take. known is false when the conditions are not.
func skipRoute(n *ir.Node) (route *ir.Edge, known bool) {
	known, same := true, len(n.Out) > 0
	for _, e := range n.Out {
		if _, bad := e.Guard.(*expr.Bad); bad {
			known = false
		}
		if e.Guard == nil {
			return e, true
		}
		same = same && e.To == n.Out[0].To
	}
	if same {
		return n.Out[0], true
	}
	for _, name := range []string{"skip", "skipped"} {
		if n.Label(name) == nil {
			continue
		}
		for _, e := range n.Out {
			if holds, sure := holdsFor(e.Guard, n.ID, name); sure && holds {
				return e, true
			} else if !sure {
				break
			}
		}
	}
	return nil, known
}

// holdsFor decides a guard when a node has ended with a label and nothing else
// is known; sure is false when that is not enough.
func holdsFor(e expr.Expr, node, label string) (holds, sure bool) {
	switch e := e.(type) {
	case *expr.Literal:
		return e.Text == "true", true
	case *expr.Not:
		holds, sure = holdsFor(e.X, node, label)
		return !holds, sure
	case *expr.Logic:
		x, sureX := holdsFor(e.X, node, label)
		y, sureY := holdsFor(e.Y, node, label)
		decides := e.Op == expr.Or
		switch {
		case sureX && x == decides || sureY && y == decides:
			return decides, true
		}
		return !decides, sureX && sureY
	case *expr.Compare:
		last, isLast := e.X.(*expr.LastLabel)
		lit, isLit := e.Y.(*expr.Literal)
		if !isLast || !isLit || last.Node != node {
			return false, false
		}
		switch e.Op {
		case expr.ValueEqual:
			return lit.Text == label, true
		case expr.ValueNotEqual:
			return lit.Text != label, true
		}
	}
	return false, false
}
