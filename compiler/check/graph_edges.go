package check

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/explore"
	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
)

// local reports what can be said of each node's edges alone, about a graph that
// cannot be explored.
func (c *graphs) local() {
	c.found = explore.Run(&ir.Graph{Nodes: c.graph.Nodes, State: c.graph.State, Goals: c.graph.Goals}, explore.Options{})
	for _, n := range c.graph.Nodes {
		if c.branchOf[n] == nil && sound(n) {
			c.impossible(n, c.found.Anywhere(n))
		}
	}
}

// edges reports outputs without a way on, and edges that are never taken or hold
// together with others.
//
// Each node is looked at by itself first, in any state. What is found so counts
// unless every variable that has a part in it is one that handlers set and no run
// comes to such values: then it cannot happen. A variable that no handler sets
// keeps its first value only until somebody changes the file.
func (c *graphs) edges() {
	for _, n := range c.graph.Nodes {
		if c.branchOf[n] != nil || !c.linked[n] || !sound(n) {
			continue
		}
		anywhere, here := c.found.Anywhere(n), c.found.Edges(n)
		c.gaps(n, anywhere, here)
		c.impossible(n, anywhere)
		c.overlaps(n, anywhere, here)
		for i, e := range anywhere.Edges {
			switch {
			case e.Held == nil:
			case e.Taken == nil:
				c.bag.Add(diag.ShadowedEdge(conditionOf(e.Edge), target(e.Edge)))
			case here.Edges[i].Taken == nil && c.found.Reached(n) && c.varies(e.Edge.Guard):
				c.bag.Add(diag.DeadEdge(conditionOf(e.Edge), n.ID, target(e.Edge)))
			}
		}
	}
}

func (c *graphs) gaps(n *ir.Node, anywhere, here *explore.Choice) {
	for _, l := range n.Labels {
		if gap := gapOf(here, l.Name); gap != nil {
			way, at := c.found.CaseWay(n, gap)
			c.bag.Add(diag.UncoveredOutput(l.Span, n.ID, l.Name, values(at), way.String()))
			continue
		}
		gap := gapOf(anywhere, l.Name)
		if gap == nil || c.found.Reached(n) && c.settled(n) {
			continue
		}
		_, at := c.found.CaseWay(n, gap)
		c.bag.Add(diag.UncoveredOutput(l.Span, n.ID, l.Name, values(at), ""))
	}
}

func gapOf(c *explore.Choice, label string) *explore.Case {
	for i := range c.Gaps {
		if c.Gaps[i].Label == label {
			return &c.Gaps[i]
		}
	}
	return nil
}

// settled reports whether handlers set every variable that the node's edges read.
func (c *graphs) settled(n *ir.Node) bool {
	for _, e := range n.Out {
		for _, name := range c.reads(e.Guard) {
			if len(c.written[name]) == 0 {
				return false
			}
		}
	}
	return true
}

// varies reports whether an expression reads a variable that a handler sets. One
// that none does is a setting: that an edge is for another one is no mistake.
func (c *graphs) varies(e expr.Expr) bool {
	return slices.ContainsFunc(c.reads(e), func(name string) bool { return len(c.written[name]) > 0 })
}

// reads are the variables that an expression reads.
func (c *graphs) reads(e expr.Expr) []string {
	var names []string
	expr.Walk(e, func(e expr.Expr) bool {
		if s, ok := e.(*expr.State); ok {
			names = append(names, s.Name)
		}
		return true
	})
	return names
}

// impossible reports conditions that never hold.
func (c *graphs) impossible(n *ir.Node, anywhere *explore.Choice) {
	for _, e := range anywhere.Edges {
		if e.Held == nil && e.Edge.Guard != nil {
			c.bag.Add(diag.ImpossibleCondition(conditionOf(e.Edge), n.ID))
		}
	}
}

func (c *graphs) overlaps(n *ir.Node, anywhere, here *explore.Choice) {
	for i := range anywhere.Overlaps {
		o := &anywhere.Overlaps[i]
		if shadowed(anywhere, o.Second) {
			continue // which is said
		}
		at := &o.Case
		if seen := overlapOf(here, o); seen != nil {
			at = &seen.Case
		} else if c.found.Reached(n) && c.settled(n) {
			continue
		}
		_, list := c.found.CaseWay(n, at)
		c.bag.Add(diag.OverlappingEdges(conditionOf(o.Second), at.Label, values(list), conditionOf(o.First)))
	}
}

func overlapOf(c *explore.Choice, like *explore.Overlap) *explore.Overlap {
	for i := range c.Overlaps {
		if o := &c.Overlaps[i]; o.First == like.First && o.Second == like.Second {
			return o
		}
	}
	return nil
}

func shadowed(c *explore.Choice, e *ir.Edge) bool {
	for _, x := range c.Edges {
		if x.Edge == e {
			return x.Taken == nil
		}
	}
	return false
}

// conditionOf is where an edge's condition stands, or the edge when it has none.
func conditionOf(e *ir.Edge) source.Span {
	if e.GuardSpan.IsValid() {
		return e.GuardSpan
	}
	return e.Span
}

func target(e *ir.Edge) string {
	if e.To == nil {
		return "END"
	}
	return e.To.ID
}

// ids are the names of nodes.
func ids(nodes []*ir.Node) []string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return list
}
