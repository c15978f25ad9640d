package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/graph"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// reportStructure reports faults in the shape of a graph, and whether it can be walked at
// all.
func (c *graphs) reportStructure() bool {
	if len(c.graph.Start) == 0 {
		c.bag.Add(codes.NoStart.New(c.graph.EdgesSpan, "no edge leads from START: the graph has no first node").
			WithHelp("add an edge such as `{from: START, to: NODE}`"))
		return false // no node is reached, for that one reason
	}
	ends := false
	for _, n := range c.graph.Nodes {
		if !c.linked[n] {
			c.bag.Add(codes.UnreachableNode.New(n.IDSpan, fmt.Sprintf("no path leads from START to `%s`", n.ID)).
				WithHelp("add an edge to the node, or remove it"))
		}
		ends = ends || c.linked[n] && c.ending[n]
	}
	ends = ends || slices.ContainsFunc(c.graph.Start, func(e *ir.Edge) bool { return e.To == nil })
	if !ends {
		c.bag.Add(codes.NoEnd.New(c.graph.EdgesSpan, "no path leads from START to END").
			WithHelp("add an edge such as `{from: NODE, to: END}`"))
	}
	for _, n := range c.graph.Nodes {
		if ends && c.linked[n] && !c.ending[n] && c.branchOf[n] == nil {
			c.bag.Add(codes.DeadEnd.New(n.IDSpan, fmt.Sprintf("no path leads from `%s` to END", n.ID)).
				WithHelp("add an edge that leads toward END"))
		}
	}
	c.reportUnmetBranches()
	c.reportCycles()
	return true
}

// reportUnmetBranches reports parallel nodes whose branches do not meet, and joins that are
// reached without them.
func (c *graphs) reportUnmetBranches() {
	for _, n := range c.graph.Nodes {
		p, ok := n.Action.(*ir.Parallel)
		if !ok || n.Broken || !c.linked[n] {
			continue
		}
		if p.Join == nil {
			c.bag.Add(finding.BranchesWithoutJoin(n.IDSpan, n.ID, "", ""))
			continue
		}
		if p.Join.Broken {
			continue
		}
		// Along edges only: the branches themselves lead nowhere else.
		around := reachableNodes(edgeTargets(n.Out), func(at *ir.Node) []*ir.Node {
			if at == p.Join {
				return nil
			}
			return edgeTargets(at.Out)
		})
		leaves := func(at *ir.Node) bool {
			return at != p.Join && slices.ContainsFunc(at.Out, func(e *ir.Edge) bool { return e.To == nil })
		}
		switch {
		case around[n]:
			c.bag.Add(finding.BranchesWithoutJoin(n.IDSpan, n.ID, p.Join.ID, "`"+n.ID+"` itself"))
		case leaves(n), slices.ContainsFunc(c.graph.Nodes, func(at *ir.Node) bool { return around[at] && leaves(at) }):
			c.bag.Add(finding.BranchesWithoutJoin(n.IDSpan, n.ID, p.Join.ID, "END"))
		}
		without := reachableNodes(edgeTargets(c.graph.Start), func(at *ir.Node) []*ir.Node {
			if at == n {
				return nil
			}
			return edgeTargets(at.Out)
		})
		if without[p.Join] {
			c.bag.Add(codes.JoinWithoutParallel.New(p.Join.IDSpan, fmt.Sprintf("a path leads from START to join `%s` without `%s`", p.Join.ID, n.ID)))
		}
	}
}

// reportCycles reports nodes that can follow each other for ever.
func (c *graphs) reportCycles() {
	if at := c.graph.Limits.IterationsSpan; c.graph.Limits.Iterations > 0 || at.IsValid() && strings.Trim(at.Text(), "0") != "" {
		return // an invalid limit is reported
	}
	index := map[*ir.Node]int{}
	for i, n := range c.graph.Nodes {
		index[n] = i
	}
	next := make([][]int, len(c.graph.Nodes))
	for i, n := range c.graph.Nodes {
		if !c.linked[n] {
			continue
		}
		for _, to := range edgeTargets(n.Out) {
			if at, known := index[to]; known {
				next[i] = append(next[i], at)
			}
		}
	}
	for _, group := range graph.Components(len(next), func(n int) []int { return next[n] }) {
		if len(group) == 1 && !slices.Contains(next[group[0]], group[0]) {
			continue
		}
		slices.Sort(group)
		ids := plain.Texts(group, func(n int) string { return c.graph.Nodes[n].ID })
		c.bag.Add(finding.UnlimitedLoop(c.graph.Nodes[group[0]].IDSpan, ids))
	}
}

// reportMisfitBranches reports joins and parallel nodes that do not fit each other.
func (c *graphs) reportMisfitBranches() {
	for _, n := range c.graph.Nodes {
		switch a := n.Action.(type) {
		case *ir.Parallel:
			if most := c.graph.Limits.Parallel; most > 0 && len(a.Branches) > most {
				c.bag.Add(codes.MoreBranchesThanRun.New(a.BranchesSpan, fmt.Sprintf("`%s` has %d branches, but only %d run at once", n.ID, len(a.Branches), most)).
					WithRelated(c.graph.Limits.ParallelSpan, "the limit"))
			}
			c.reportUnwaitedBranches(n, a)
			c.reportRaces(a)
		case *ir.Join:
			for i, w := range a.Waits {
				if w != nil && !c.isNamedBranch(w) && i < len(a.WaitSpans) {
					c.bag.Add(finding.WaitsForNoBranch(a.WaitSpans[i], w.ID))
				}
			}
		}
	}
}

// isNamedBranch reports whether a node is a branch, or may be named as one where it
// cannot be, which was reported.
func (c *graphs) isNamedBranch(n *ir.Node) bool {
	return c.branchOf[n] != nil || slices.ContainsFunc(c.graph.Nodes, func(other *ir.Node) bool {
		_, ok := other.Action.(*ir.Parallel)
		return ok && other.Broken
	})
}

// reportUnwaitedBranches reports branches that the join does not wait for.
func (c *graphs) reportUnwaitedBranches(n *ir.Node, p *ir.Parallel) {
	if p.Join == nil || n.Broken || p.Join.Broken {
		return
	}
	join, ok := p.Join.Action.(*ir.Join)
	if !ok {
		return
	}
	var missing []string
	for _, b := range p.Branches {
		if b != nil && c.branchOf[b] == n && !slices.Contains(join.Waits, b) {
			missing = append(missing, b.ID)
		}
	}
	if len(missing) > 0 {
		c.bag.Add(finding.JoinMissesBranch(join.WaitsSpan, p.Join.ID, n.ID, missing))
	}
}
