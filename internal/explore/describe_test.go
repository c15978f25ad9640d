package explore_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// describe writes a graph for people who search for what is wrong with it.
func describe(g *ir.Graph) string {
	var out strings.Builder
	for _, f := range g.State.Fields {
		fmt.Fprintf(&out, "\n%s = %s", f.Name, written(f.Initial))
	}
	edges := func(from string, list []*ir.Edge) {
		for _, e := range list {
			to := "END"
			if e.To != nil {
				to = e.To.ID
			}
			fmt.Fprintf(&out, "\n  %s → %s when %s", from, to, written(e.Guard))
		}
	}
	edges("START", g.Start)
	for _, n := range g.Nodes {
		fmt.Fprintf(&out, "\n%s: %s", n.ID, n.Action.Kind())
		if d, ok := n.Action.(*ir.Decision); ok {
			fmt.Fprintf(&out, " %s", written(d.Cond))
		}
		for _, l := range n.Labels {
			fmt.Fprintf(&out, " [%s]", l.Name)
		}
		for _, h := range n.Handlers {
			fmt.Fprintf(&out, " [%s]: %s = %s;", h.Label, h.Assigns[0].Field.Name, written(h.Assigns[0].Value))
		}
		edges(n.ID, n.Out)
	}
	for _, in := range g.Interrupts {
		fmt.Fprintf(&out, "\ninterrupt at %s, after %v, when %s", in.Node.ID, in.After, written(in.When))
	}
	for _, goal := range g.Goals {
		fmt.Fprintf(&out, "\ngoal %s", written(goal.Cond))
	}
	return out.String() + "\n"
}

func written(e expr.Expr) string {
	switch e := e.(type) {
	case nil:
		return "-"
	case *expr.Literal:
		return e.Text
	case *expr.State:
		return "state." + e.Name
	case *expr.LastLabel:
		return "outputs." + e.Node
	case *expr.Progress:
		return "state." + e.Measure.String()
	case *expr.Not:
		return "!(" + written(e.X) + ")"
	case *expr.Logic:
		return "(" + written(e.X) + map[expr.LogicOp]string{expr.And: " && ", expr.Or: " || "}[e.Op] + written(e.Y) + ")"
	case *expr.Compare:
		return written(e.X) + " " + e.Op.String() + " " + written(e.Y)
	}
	return fmt.Sprintf("%T", e)
}
