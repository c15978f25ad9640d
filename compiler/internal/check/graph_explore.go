package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// reportDeadOutputs reports outputs of decisions that never occur, and interrupts that never
// ask.
func (c *graphs) reportDeadOutputs() {
	for _, n := range c.graph.Nodes {
		d, ok := n.Action.(*ir.Decision)
		if !ok || !c.free.Reached(n) || n.Broken || len(n.Labels) != 2 || isBad(d.Cond) || !c.isUnderstood() {
			continue
		}
		for i, l := range n.Labels {
			if _, ends := c.free.WayOut(n, l.Name); !ends {
				way, _ := c.free.WayOut(n, n.Labels[1-i].Name)
				c.deadOutputs[n] = true
				c.bag.Add(codes.DeadCondition.New(l.Span, fmt.Sprintf("`%s` never ends with `%s`: in every run it ends with `%s`", n.ID, l.Name, n.Labels[1-i].Name)).
					WithHelp("follow this path: " + way.String()))
			}
		}
	}
	for _, in := range c.graph.Interrupts {
		if in.Node != nil && c.free.Reached(in.Node) && in.When != nil && !isBad(in.When) && !c.free.Fires(in) && c.isUnderstood() {
			c.bag.Add(codes.DeadCondition.New(in.Span, fmt.Sprintf("the interrupt at `%s` never asks: its condition is always false there", in.Node.ID)))
		}
	}
}

// isUnderstood reports whether all nodes are understood: the followers of others are
// unknown.
func (c *graphs) isUnderstood() bool {
	return !slices.ContainsFunc(c.graph.Nodes, func(n *ir.Node) bool { return n.Broken || len(n.Labels) == 0 })
}

// reportTraps reports nodes from which no run gets to an end, nor to a place without an
// edge, which is said.
func (c *graphs) reportTraps() {
	for _, n := range c.graph.Nodes {
		if !c.found.Reached(n) || c.branchOf[n] != nil || !c.ending[n] {
			continue
		}
		if way, _ := c.found.Trapped(n); way == nil {
			continue
		}
		if free, _ := c.free.Trapped(n); free == nil && c.loops {
			continue // another value would let runs through; a separate finding says that no handler sets it
		}
		c.reportTrap(n)
	}
}

// reportTrap reports the first nodes of a trap: those that runs come to from outside
// of it.
func (c *graphs) reportTrap(n *ir.Node) {
	way, always := c.found.Trapped(n)
	if len(way) > 0 {
		if before, _ := c.found.Trapped(way[len(way)-1].Node); before != nil && slices.Equal(ir.IDs(before.Nodes()), ir.IDs(way[:len(way)-1].Nodes())) {
			return // it follows one that is reported
		}
	}
	c.bag.Add(finding.Trap(n.IDSpan, n.ID, way.String(), always))
}

// reportGoals reports completion conditions that never hold where runs end.
func (c *graphs) reportGoals() {
	var unmet []*ir.Goal
	for _, g := range c.graph.Goals {
		if isBad(g.Cond) {
			return
		}
		if !c.found.GoalMet(g) {
			unmet = append(unmet, g)
		}
	}
	endings := c.found.Endings()
	switch {
	case len(unmet) == 0 || len(endings) == 0:
	case len(unmet) == len(c.graph.Goals):
		c.bag.Add(finding.UnreachableSuccess(unmet[0].Span, endings[0].Misses.String()))
	default:
		for _, g := range unmet {
			c.bag.Add(codes.DeadCondition.New(g.Span, fmt.Sprintf("completion condition `%s` never holds where a run can end", g.Text)))
		}
	}
}

// reportLimits reports a limit of iterations that no run keeps, or that some node is
// beyond.
func (c *graphs) reportLimits() {
	most, at := c.graph.Limits.Iterations, c.graph.Limits.IterationsSpan
	if most <= 0 {
		return
	}
	if shortest, way := c.found.Shortest(false); way != nil && shortest > most {
		c.bag.Add(finding.LimitTooLow(at, most, shortest, way.String(), false))
		return
	}
	if shortest, way := c.found.Shortest(true); way != nil && shortest > most {
		c.bag.Add(finding.LimitTooLow(at, most, shortest, way.String(), true))
		return
	}
	for _, n := range c.graph.Nodes {
		if before := c.found.Cost(n); before >= most {
			way, _ := c.found.Way(n)
			c.bag.Add(codes.NodeBeyondLimit.New(n.IDSpan, fmt.Sprintf("`%s` never runs: %d nodes come before it, the limit is %d", n.ID, before, most)).
				WithRelated(at, "the limit").
				WithHelp("follow the shortest path to it: " + way.String()))
			return // those after it are, too
		}
	}
}

// reportStuckComparisons reports comparisons by size with variables that nothing in a loop
// changes. Those that callers give are settings.
func (c *graphs) reportStuckComparisons() {
	for _, loop := range c.found.Components() {
		reported := map[string]bool{}
		for _, n := range loop {
			if !isSound(n) {
				continue
			}
			for _, e := range n.Out {
				c.stuckIn(e.Guard, loop, reported)
			}
			if d, ok := n.Action.(*ir.Decision); ok {
				c.stuckIn(d.Cond, loop, reported)
			}
		}
	}
}

func (c *graphs) stuckIn(e expr.Expr, loop []*ir.Node, reported map[string]bool) {
	expr.Walk(e, func(e expr.Expr) bool {
		compare, ok := e.(*expr.Compare)
		if !ok {
			return true
		}
		variable := ""
		for _, side := range []expr.Expr{compare.X, compare.Y} {
			switch side := side.(type) {
			case *expr.Literal:
			case *expr.State:
				if c.changesVariable(side.Name, loop) {
					return false
				}
				variable = cmp.Or(variable, side.Name)
			default:
				return false
			}
		}
		ordered := compare.Op >= expr.ValueLess && compare.Op <= expr.ValueGreaterEqual
		if f := c.graph.State.Field(variable); ordered && f != nil && !reported[variable] {
			reported[variable] = true
			c.loops = true
			c.bag.Add(finding.StuckGuard(compare.At, variable, ir.IDs(loop), f.Span))
		}
		return false
	})
}

// changesVariable reports whether a handler of a loop's nodes, or of branches that run in
// it, sets a variable, or a caller gives it.
func (c *graphs) changesVariable(name string, loop []*ir.Node) bool {
	if f := c.graph.State.Field(name); f == nil {
		return true
	} else if _, given := f.Initial.(*expr.Input); given {
		return true
	}
	for _, w := range c.written[name] {
		at := w.node
		if p := c.branchOf[at]; p != nil {
			at = p
		}
		if slices.Contains(loop, at) {
			return true
		}
	}
	return false
}
