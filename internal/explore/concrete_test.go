package explore_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// A plain interpreter of graphs, which knows all values and tries every reply of
// agents and users in a few visits. The exploration must have found each of its
// results.

// A world is the position and state of a run.
type world struct {
	vars   map[string]any // nil, float64, string or bool
	labels map[string]string
	ended  int
	at     *ir.Node
	way    []event
}

// An event is a visit that is over.
type event struct {
	node     *ir.Node
	label    string // "" when it was skipped
	edge     *ir.Edge
	before   world // when the node began
	after    world // when its handlers had run
	branches map[string]string
}

// texts are the possible outputs of nodes.
var texts = []string{"0", "1", "2.5", "7", "x", "y", "yes", "no", "well, well"}

func eval(e expr.Expr, w *world) any {
	switch e := e.(type) {
	case nil:
		return true
	case *expr.Literal:
		switch e.Typ {
		case types.Null:
			return nil
		case types.Bool:
			return e.Text == "true"
		case types.Float, types.Int:
			f, _ := strconv.ParseFloat(e.Text, 64)
			return f
		}
		return e.Text
	case *expr.State:
		return w.vars[e.Name]
	case *expr.LastLabel:
		if l, ok := w.labels[e.Node]; ok {
			return l
		}
		return nil
	case *expr.Progress:
		switch e.Measure {
		case expr.Iteration:
			return float64(w.ended)
		case expr.CurrentNode:
			return w.at.ID
		}
	case *expr.Not:
		return !eval(e.X, w).(bool)
	case *expr.Logic:
		x, y := eval(e.X, w).(bool), eval(e.Y, w).(bool)
		if e.Op == expr.And {
			return x && y
		}
		return x || y
	case *expr.Compare:
		return compareAny(e.Op, eval(e.X, w), eval(e.Y, w))
	}
	panic("no such expression")
}

func compareAny(op expr.CompareOp, x, y any) bool {
	switch op {
	case expr.ValueEqual:
		return x == y
	case expr.ValueNotEqual:
		return x != y
	}
	order := 0
	switch x := x.(type) {
	case float64:
		y, ok := y.(float64)
		if !ok {
			return false
		}
		order = cmp.Compare(x, y)
	case string:
		y, ok := y.(string)
		if !ok {
			return false
		}
		order = strings.Compare(x, y)
	default:
		return false
	}
	return op == expr.ValueLess && order < 0 || op == expr.ValueLessEqual && order <= 0 ||
		op == expr.ValueGreater && order > 0 || op == expr.ValueGreaterEqual && order >= 0
}

func (w world) clone() world {
	w.vars, w.labels = maps.Clone(w.vars), maps.Clone(w.labels)
	w.way = slices.Clip(w.way)
	return w
}

// says reports whether a node's handlers take the text that it gives.
func says(n *ir.Node, label string) bool {
	for _, h := range n.Handlers {
		for _, a := range h.Assigns {
			if _, said := a.Value.(*expr.Said); said && h.Label == label {
				return true
			}
		}
	}
	return false
}

// handle applies a node's handlers.
func (w *world) handle(n *ir.Node, label, text string) {
	w.labels[n.ID] = label
	for _, h := range n.Handlers {
		if h.Label != label {
			continue
		}
		for _, a := range h.Assigns {
			if _, said := a.Value.(*expr.Said); !said {
				w.vars[a.Field.Name] = eval(a.Value, w)
				continue
			}
			t := a.Field.Type
			if o, ok := t.(*types.Optional); ok {
				t = o.Elem
			}
			switch t {
			case types.Bool:
				if b, err := reply.Read[bool](a.Field.Name, text); err == nil {
					w.vars[a.Field.Name] = b
				}
			case types.Float:
				if f, err := reply.Read[float64](a.Field.Name, text); err == nil {
					w.vars[a.Field.Name] = f
				}
			default:
				w.vars[a.Field.Name] = strings.TrimSpace(text)
			}
		}
	}
}

// textForValue are the possible texts of a node that ends with a label.
func textForValue(n *ir.Node, label string) []string {
	switch n.Action.(type) {
	case *ir.Decision, *ir.Parallel, *ir.Join, *ir.Checkpoint:
		return []string{label}
	}
	if !says(n, label) {
		return texts[:1]
	}
	list := slices.Clone(texts)
	var labels []string
	for _, l := range n.Labels {
		labels = append(labels, l.Name)
	}
	for i, text := range list {
		if _, agent := n.Action.(*ir.Prompt); !agent {
			break
		}
		if got, err := reply.Label(text, labels); err == nil && got != label {
			list[i] += "\n[OUTPUT:" + label + "]"
		}
	}
	return list
}

// nodeEnds are the worlds in which the node has ended, by label.
func (w world) nodeEnds(visit func(label string, after world, branches map[string]string)) {
	n := w.at
	switch a := n.Action.(type) {
	case *ir.Decision:
		label := n.Labels[1].Name
		if eval(a.Cond, &w).(bool) {
			label = n.Labels[0].Name
		}
		after := w.clone()
		after.ended++
		after.handle(n, label, label)
		visit(label, after, nil)
		return
	case *ir.Parallel:
		var fork func(at world, rest []*ir.Node, done map[string]string, failed bool)
		fork = func(at world, rest []*ir.Node, done map[string]string, failed bool) {
			if len(rest) == 0 {
				label := n.Labels[0].Name
				if failed && !n.Labels[0].Failure {
					return // the run fails
				}
				after := at.clone()
				after.ended++
				after.handle(n, label, label)
				visit(label, after, maps.Clone(done))
				return
			}
			b := rest[0]
			for _, l := range b.Labels {
				for _, text := range textForValue(b, l.Name) {
					after := at.clone()
					after.ended++
					after.handle(b, l.Name, text)
					done[b.ID] = l.Name
					fork(after, rest[1:], done, failed)
				}
			}
			delete(done, b.ID)
			fork(at, rest[1:], done, true)
		}
		fork(w, a.Branches, map[string]string{}, false)
		return
	}
	for _, l := range n.Labels {
		for _, text := range textForValue(n, l.Name) {
			after := w.clone()
			after.ended++
			after.handle(n, l.Name, text)
			visit(l.Name, after, nil)
		}
	}
}

// edgeOf is the first edge that holds.
func edgeOf(edges []*ir.Edge, w *world) *ir.Edge {
	for _, e := range edges {
		if eval(e.Guard, w).(bool) {
			return e
		}
	}
	return nil
}

// starts are the worlds in which runs of a graph begin.
func starts(g *ir.Graph) []world {
	list := []world{{vars: map[string]any{}, labels: map[string]string{}}}
	for _, f := range g.State.Fields {
		values := []any{nil}
		switch e := f.Initial.(type) {
		case *expr.Literal:
			values = []any{eval(e, nil)}
		case *expr.Input:
			values = []any{0.0, 1.0, 2.5}
		}
		var next []world
		for _, w := range list {
			for _, v := range values {
				c := w.clone()
				c.vars[f.Name] = v
				next = append(next, c)
			}
		}
		list = next
	}
	var out []world
	for _, w := range list {
		w.at = &ir.Node{}
		if e := edgeOf(g.Start, &w); e != nil && e.To != nil {
			w.at = e.To
			out = append(out, w)
		}
	}
	return out
}

// next calls visit for every possible next event, with the world in which the next
// node is about to run; its node is nil at an end and where there is no edge.
func (w world) next(g *ir.Graph, visit func(world)) {
	on := func(e event, after world) {
		e.before, e.after = w, after
		to := after.clone()
		to.way = append(to.way, e)
		to.at = nil
		if e.edge != nil {
			to.at = e.edge.To
		}
		visit(to)
	}
	for _, in := range g.Interrupts {
		if in.Node == w.at && !in.After && !in.Required && in.Skip != nil && eval(in.When, &w).(bool) {
			on(event{node: w.at, edge: in.Skip}, w)
		}
	}
	w.nodeEnds(func(label string, after world, branches map[string]string) {
		on(event{node: w.at, label: label, edge: edgeOf(w.at.Out, &after), branches: branches}, after)
	})
}
