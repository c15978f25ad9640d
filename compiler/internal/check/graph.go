package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// graphs holds the state that the rules about a state graph share.
type graphs struct {
	graph *ir.Graph
	bag   *diag.Bag
	// linked are the nodes to which edges lead from START, whatever the conditions
	// are; ending those from which they lead to END.
	linked, ending map[*ir.Node]bool
	// branchOf is the parallel node of which each branch is one.
	branchOf map[*ir.Node]*ir.Node
	// written are the handlers' assignments to each variable, in order.
	written map[string][]writing
	// found is the result of the exploration; nil if the graph is too broken. free
	// is the result for all first values of variables that no handler sets: a fact
	// in both results follows from the graph's shape and not from a setting.
	found, free *explore.Result
	// deadOutputs are the decisions of which an output was reported as dead, and
	// loops says that a loop was reported whose condition nothing changes.
	deadOutputs map[*ir.Node]bool
	loops       bool
}

// A writing is an assignment and the node whose handler it is in.
type writing struct {
	node   *ir.Node
	assign *ir.Assign
}

// checkGraph analyses a state graph. If faulty edges are missing, it reports
// nothing about their targets.
func checkGraph(g *ir.Graph, bag *diag.Bag) {
	c := &graphs{graph: g, bag: bag, branchOf: map[*ir.Node]*ir.Node{}, written: map[string][]writing{}, deadOutputs: map[*ir.Node]bool{}}
	for _, n := range g.Nodes {
		if p, ok := n.Action.(*ir.Parallel); ok {
			for _, b := range p.Branches {
				if b != nil && c.branchOf[b] == nil {
					c.branchOf[b] = n
				}
			}
		}
		for _, w := range handlerWritings(n) {
			c.written[w.assign.Field.Name] = append(c.written[w.assign.Field.Name], w)
		}
	}
	c.resolveTargets()
	c.reportMisfitBranches()
	c.declaredOutputs()
	c.reportUnreadVariables()
	if g.Broken || !c.reportStructure() {
		c.reportLocalFindings()
		return
	}
	c.found = explore.Run(g, explore.Options{})
	c.free = c.found
	if c.readsSettings() {
		o := explore.Options{Settings: true}
		if !c.found.Complete {
			o.Configurations = 1 // they would be too many again
		}
		c.free = explore.Run(g, o)
	}
	c.reportDeadOutputs()
	c.reportEdges()
	if !c.isUnderstood() {
		return
	}
	c.reportStuckComparisons()
	c.reportTraps()
	c.reportGoals()
	c.reportLimits()
	c.reportUnset()
}

// readsSettings reports whether a condition reads a variable that no handler sets.
func (c *graphs) readsSettings() bool {
	return slices.ContainsFunc(c.allExprs(), func(e expr.Expr) bool {
		return slices.ContainsFunc(c.readVariables(e), func(name string) bool { return len(c.written[name]) == 0 })
	})
}

// resolveTargets resolves the targets of edges.
func (c *graphs) resolveTargets() {
	c.linked = reachableNodes(edgeTargets(c.graph.Start), c.nextNodes)
	before := map[*ir.Node][]*ir.Node{}
	var last []*ir.Node
	for _, n := range c.graph.Nodes {
		for _, next := range c.nextNodes(n) {
			before[next] = append(before[next], n)
		}
		if slices.ContainsFunc(n.Out, func(e *ir.Edge) bool { return e.To == nil }) {
			last = append(last, n)
		}
	}
	c.ending = reachableNodes(last, func(n *ir.Node) []*ir.Node { return before[n] })
}

// nextNodes are the nodes that can follow a node: along edges, from a parallel into
// its branches, and from a branch to where they meet.
func (c *graphs) nextNodes(n *ir.Node) []*ir.Node {
	list := edgeTargets(n.Out)
	if p, ok := n.Action.(*ir.Parallel); ok {
		list = append(list, p.Branches...)
	}
	if p := c.branchOf[n]; p != nil {
		if join := p.Action.(*ir.Parallel).Join; join != nil {
			list = append(list, join)
		}
	}
	return list
}

func edgeTargets(edges []*ir.Edge) []*ir.Node {
	var list []*ir.Node
	for _, e := range edges {
		if e.To != nil {
			list = append(list, e.To)
		}
	}
	return list
}

// reachableNodes returns the nodes to which others lead, those included.
func reachableNodes(from []*ir.Node, next func(*ir.Node) []*ir.Node) map[*ir.Node]bool {
	seen := map[*ir.Node]bool{}
	open := slices.Clone(from)
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if n != nil && !seen[n] {
			seen[n] = true
			open = append(open, next(n)...)
		}
	}
	return seen
}

// isBad reports whether an expression could not be understood, which was reported.
func isBad(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		if _, is := e.(*expr.Bad); is {
			found = true
		}
		return !found
	})
	return found
}

// isSound reports whether a node and the conditions of its edges are understood.
func isSound(n *ir.Node) bool {
	return !n.Broken && len(n.Labels) > 0 && !slices.ContainsFunc(n.Out, func(e *ir.Edge) bool { return isBad(e.Guard) })
}

// describeValues writes down the values of a case: "state.n = 3 and state.m = 0".
func describeValues(list []explore.Binding) string {
	var parts []string
	for _, b := range list {
		if b.Value != "unknown" {
			parts = append(parts, "`"+b.Name+"` is "+b.Value)
		}
	}
	return strings.Join(parts, " and ")
}
