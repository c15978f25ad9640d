package cover

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// addSequence adds the ways through a sequence of steps as edges: into each step and past it,
// into its parts and back to them, and out of it. testrun.Hits has the names.
func (l *list) addSequence(body *ir.Sequence) {
	nodes := body.Nodes
	from, cleans := "START", false
	for i, n := range nodes {
		to := "END"
		if i+1 < len(nodes) {
			to = nodes[i+1].ID
		}
		if n.Finally && !cleans {
			cleans = true
			l.addWay(n, "completed", n.IDSpan, "edge `%s` → `%s` after the steps before completed", from, n.ID)
			l.addWay(n, "failed", n.IDSpan, "edge `%s` → `%s` after a failure", from, n.ID)
		} else {
			l.addWay(n, "run", n.IDSpan, "edge `%s` → `%s`", from, n.ID)
		}
		if n.When != nil && (n.Finally || body.AlwaysAccepted(n.When) == nil) {
			l.addWay(n, "skip", n.When.Span(), "edge `%s` → `%s` past `%s`, by its condition", from, to, n.ID)
		}
		if n.Given != nil {
			l.addWay(n, "given", n.IDSpan, "edge `%s` → `%s` past `%s`, by the input `%s`", from, to, n.ID, n.Given.Name)
		}
		l.addInnerEdges(n, to)
		from = n.ID
	}
	if len(nodes) > 0 {
		l.add("edges", from, nodes[len(nodes)-1].IDSpan, "way END", "edge `%s` → `END`", from)
	}
}

func (l *list) addWay(n *ir.Node, end string, at source.Span, format string, args ...any) {
	if !at.IsValid() {
		at = n.IDSpan
	}
	l.add("edges", l.keyInRun(n), at, "way "+l.keyInRun(n)+" "+end, format, args...)
}

// addInnerEdges adds the edges between a step and its parts, and those by which its parts lead to
// the next step.
func (l *list) addInnerEdges(n *ir.Node, to string) {
	switch a := n.Action.(type) {
	case *ir.ForEach:
		at := n.IDSpan
		if len(a.Vars) > 0 {
			at = a.Vars[0].Span
		}
		l.addWay(n, "item", at, "edge `%s` → its first item", n.ID)
		l.addWay(n, "next", at, "edge `%s` → its next item", n.ID)
		l.addWay(n, "empty", at, "edge `%s` → `%s` without an item", n.ID, to)
		l.addInnerEdges(a.Body, to)
	case *ir.Repeat:
		l.addWay(n, "repeat", a.Span, "edge `%s` → its next iteration", n.ID)
		l.addWay(n, "done", a.Span, "edge `%s` → `%s` by its condition", n.ID, to)
		l.addWay(n, "limit", a.Span, "edge `%s` → `END` by its limit", n.ID)
		l.addInnerEdges(a.Body, to)
	case *ir.Fork:
		for _, branch := range a.Nodes {
			l.addWay(branch, "run", branch.IDSpan, "edge `%s` → `%s`", n.ID, l.keyInRun(branch))
			if branch.When != nil {
				l.addWay(branch, "skip", branch.When.Span(), "edge `%s` → `%s` past `%s`, by its condition", n.ID, to, l.keyInRun(branch))
			}
			l.addInnerEdges(branch, to)
		}
	}
	if n.Review == nil {
		return
	}
	l.addWay(n, "accept", n.Review.Span, "edge `%s` → `%s` by the answer `accept`", n.ID, to)
	l.addWay(n, "edit", n.Review.Span, "edge `%s` → `%s` by the answer `edit`", n.ID, to)
	l.addWay(n, "reject", n.Review.Span, "edge `%s` → `END` by the answer `reject`", n.ID)
	again := "rerun"
	if _, prompt := n.Action.(*ir.Prompt); prompt {
		again = "feedback"
	}
	l.addWay(n, again, n.Review.Span, "edge `%s` → `%s` by the answer `%s`", n.ID, n.ID, again)
}
