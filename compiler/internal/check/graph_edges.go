package check

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// reportLocalFindings reports findings about each node's edges alone, for a graph that cannot be
// explored.
func (c *graphs) reportLocalFindings() {
	c.found = explore.Run(&ir.Graph{Nodes: c.graph.Nodes, State: c.graph.State, Goals: c.graph.Goals}, explore.Options{})
	for _, n := range c.graph.Nodes {
		if c.branchOf[n] == nil && isSound(n) {
			c.reportImpossible(n, c.found.Anywhere(n))
		}
	}
}

// reportEdges reports outputs without an edge, and edges that are never taken or overlap
// with others.
//
// A case counts if a run can reach it, where variables that no handler sets may
// have any value: such a variable is a setting, which changes only when a user edits the
// file. At a node that no run can reach because of the conditions before it, every case
// counts.
func (c *graphs) reportEdges() {
	for _, n := range c.graph.Nodes {
		if c.branchOf[n] != nil || !c.linked[n] || !isSound(n) {
			continue
		}
		anywhere, here := c.found.Anywhere(n), c.free.Edges(n)
		if !c.free.Reached(n) {
			here = anywhere
		}
		c.reportGaps(n, here)
		c.reportImpossible(n, anywhere)
		c.reportOverlaps(n, anywhere, here)
		for i, e := range anywhere.Edges {
			switch {
			case e.Held == nil:
			case e.Taken == nil:
				c.bag.Add(codes.ShadowedEdge.New(conditionOf(e.Edge), fmt.Sprintf("the edge to `%s` is never taken: an earlier edge always wins", targetName(e.Edge))).
					WithHelp("move it before the earlier edges"))
			case here.Edges[i].Taken == nil && !c.deadOutputs[n]:
				c.bag.Add(codes.DeadCondition.New(conditionOf(e.Edge), fmt.Sprintf("no run takes the edge from `%s` to `%s`: its condition never holds", n.ID, targetName(e.Edge))))
			}
		}
	}
}

func (c *graphs) reportGaps(n *ir.Node, here *explore.Choice) {
	for _, l := range n.Labels {
		// A way by the values that the file sets is better than any other.
		found, gap := c.found, gapOf(c.found.Edges(n), l.Name)
		if gap == nil {
			found, gap = c.free, gapOf(here, l.Name)
		}
		if gap != nil {
			way, at := found.CaseWay(n, gap)
			c.bag.Add(finding.UncoveredOutput(l.Span, n.ID, l.Name, describeValues(at), wayOf(way)))
		}
	}
}

// wayOf writes a way for a message, or nothing.
func wayOf(way explore.Path) string {
	if way == nil {
		return ""
	}
	return way.String()
}

func gapOf(c *explore.Choice, label string) *explore.Case {
	for i := range c.Gaps {
		if c.Gaps[i].Label == label {
			return &c.Gaps[i]
		}
	}
	return nil
}

// readVariables are the variables that an expression reads.
func (c *graphs) readVariables(e expr.Expr) []string {
	var names []string
	expr.Walk(e, func(e expr.Expr) bool {
		if s, ok := e.(*expr.State); ok {
			names = append(names, s.Name)
		}
		return true
	})
	return names
}

// reportImpossible reports conditions that never hold.
func (c *graphs) reportImpossible(n *ir.Node, anywhere *explore.Choice) {
	for _, e := range anywhere.Edges {
		if e.Held == nil && e.Edge.Guard != nil {
			c.bag.Add(codes.ImpossibleCondition.New(conditionOf(e.Edge), fmt.Sprintf("this condition never holds, whatever the state and the output of `%s`", n.ID)).
				WithHelp("use `any(…)` or `||` if one of its comparisons is enough"))
		}
	}
}

func (c *graphs) reportOverlaps(n *ir.Node, anywhere, here *explore.Choice) {
	for i := range here.Overlaps {
		o := &here.Overlaps[i]
		if isShadowed(anywhere, o.Second) {
			continue // which is said
		}
		_, list := c.free.CaseWay(n, &o.Case)
		c.bag.Add(finding.OverlappingEdges(conditionOf(o.Second), o.Case.Label, describeValues(list), conditionOf(o.First)))
	}
}

func isShadowed(c *explore.Choice, e *ir.Edge) bool {
	for _, x := range c.Edges {
		if x.Edge == e {
			return x.Taken == nil
		}
	}
	return false
}

// conditionOf is the place of an edge's condition, or the edge if it has none.
func conditionOf(e *ir.Edge) source.Span {
	if e.GuardSpan.IsValid() {
		return e.GuardSpan
	}
	return e.Span
}

func targetName(e *ir.Edge) string {
	if e.To == nil {
		return "END"
	}
	return e.To.ID
}
