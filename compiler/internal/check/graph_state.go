package check

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// reportUnreadVariables reports variables without readers, unless a faulty condition may
// read them.
func (c *graphs) reportUnreadVariables() {
	if c.graph.State == nil || c.hasUnclearPart() {
		return
	}
	read := map[string]bool{}
	for _, e := range c.allExprs() {
		for _, name := range c.readVariables(e) {
			read[name] = true
		}
	}
	for _, f := range c.graph.State.Fields {
		if f.Declared && !read[f.Name] {
			c.bag.Add(finding.UnusedVariable(f.Span, f.Name, len(c.written[f.Name]) > 0))
		}
	}
}

// allExprs are the expressions of the graph.
func (c *graphs) allExprs() []expr.Expr {
	list := ir.Guards(c.graph.Start)
	for _, g := range c.graph.Goals {
		list = append(list, g.Cond)
	}
	for _, in := range c.graph.Interrupts {
		list = append(list, interruptExprs(in)...)
	}
	for _, n := range c.graph.Nodes {
		list = append(append(list, ir.Guards(n.Out)...), workExprs(n)...)
	}
	return list
}

// interruptExprs are the expressions of an interrupt.
func interruptExprs(in *ir.Interrupt) []expr.Expr {
	list := []expr.Expr{in.When}
	for _, u := range holeUses(in.Message, true, true) {
		list = append(list, u.expr)
	}
	return list
}

// workExprs are the expressions that a node evaluates to do its work.
func workExprs(n *ir.Node) []expr.Expr {
	var list []expr.Expr
	for _, u := range actionUses(n.Action, true) {
		if u.live {
			list = append(list, u.expr)
		}
	}
	if d, ok := n.Action.(*ir.Decision); ok {
		list = append(list, d.Cond)
	}
	return list
}

// hasUnclearPart reports whether some condition or node was not understood.
func (c *graphs) hasUnclearPart() bool {
	return c.graph.Broken || slices.ContainsFunc(c.graph.Nodes, func(n *ir.Node) bool { return n.Broken }) ||
		slices.ContainsFunc(c.allExprs(), isBad)
}

// reportRaces reports variables that branches of one parallel node write, or write and
// read.
func (c *graphs) reportRaces(p *ir.Parallel) {
	for i, b := range p.Branches {
		if b == nil || slices.Index(p.Branches, b) < i {
			continue
		}
		reported := map[string]bool{}
		for _, w := range handlerWritings(b) {
			for _, other := range p.Branches[:i] {
				first := c.conflictingWriting(w, other)
				if name := w.assign.Field.Name; first != nil && !reported[name] {
					reported[name] = true
					c.bag.Add(codes.BranchesWriteAlike.New(w.assign.Span, fmt.Sprintf("`%s` and `%s` run in parallel and both set `state.%s`", other.ID, b.ID, name)).
						WithRelated(first.assign.Span, "also set here").
						WithHelp("use one variable per branch, or `append` to a list in both"))
				}
			}
		}
	}
	for _, reader := range p.Branches {
		if reader == nil {
			continue
		}
		for _, writer := range p.Branches {
			if writer != nil && writer != reader {
				c.readsOld(reader, writer)
			}
		}
	}
}

// handlerWritings are the assignments in a node's handlers.
func handlerWritings(n *ir.Node) []writing {
	var list []writing
	for _, h := range n.Handlers {
		for _, a := range h.Assigns {
			if a.Field != nil {
				list = append(list, writing{n, a})
			}
		}
	}
	return list
}

// conflictingWriting returns an assignment of another branch to the same variable, unless
// both append.
func (c *graphs) conflictingWriting(w writing, other *ir.Node) *writing {
	if other == nil {
		return nil
	}
	for _, o := range handlerWritings(other) {
		if o.assign.Field == w.assign.Field && !(o.assign.Append && w.assign.Append) {
			return &o
		}
	}
	return nil
}

func (c *graphs) readsOld(reader, writer *ir.Node) {
	for _, e := range workExprs(reader) {
		expr.Walk(e, func(e expr.Expr) bool {
			s, ok := e.(*expr.State)
			if !ok {
				return true
			}
			for _, w := range handlerWritings(writer) {
				if w.assign.Field.Name == s.Name {
					c.bag.Add(codes.BranchReadsOld.New(s.At, fmt.Sprintf("`%s` reads the old `state.%s`: `%s` sets it after all branches", reader.ID, s.Name, writer.ID)).
						WithRelated(w.assign.Span, "set here"))
					return false
				}
			}
			return false
		})
	}
}

// reportUnset reports the first place at which each variable may be read before it has
// a value.
func (c *graphs) reportUnset() {
	if c.graph.State == nil {
		return
	}
	for _, f := range c.graph.State.Fields {
		if f.Initial != nil {
			continue
		}
		for _, n := range c.graph.Nodes {
			at, found := readOf(f.Name, append(workExprs(n), asksOf(c.graph, n)...))
			if !found {
				continue
			}
			if way, may := c.found.Unset(c.stateNode(n), f.Name); may {
				c.bag.Add(codes.UnsetVariable.New(at, fmt.Sprintf("`state.%s` may have no value when `%s` reads it", f.Name, n.ID)).
					WithRelated(c.firstSet(f.Name), "set here").
					WithHelp("follow this path: " + way.String() + " → " + n.ID).
					WithHelp("declare it with an initial value under `state.variables`"))
				break
			}
		}
	}
}

// stateNode is the node at which the state is that a node reads: a branch reads that
// from before its parallel node.
func (c *graphs) stateNode(n *ir.Node) *ir.Node {
	if p := c.branchOf[n]; p != nil {
		return p
	}
	return n
}

func (c *graphs) firstSet(name string) source.Span {
	if list := c.written[name]; len(list) > 0 {
		return list[0].assign.Span
	}
	return source.Span{}
}

// asksOf are the expressions of the interrupts before a node.
func asksOf(g *ir.Graph, n *ir.Node) []expr.Expr {
	var list []expr.Expr
	for _, in := range g.Interrupts {
		if in.Node == n && !in.After {
			list = append(list, interruptExprs(in)...)
		}
	}
	return list
}

// readOf finds where expressions read a variable. A comparison of it with nothing
// is how to ask whether it has a value.
func readOf(name string, list []expr.Expr) (at source.Span, found bool) {
	for _, e := range list {
		expr.Walk(e, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Compare); ok && (isNull(c.X) || isNull(c.Y)) {
				return false
			}
			if s, ok := e.(*expr.State); ok && s.Name == name && !found {
				at, found = s.At, true
			}
			return !found
		})
	}
	return at, found
}
