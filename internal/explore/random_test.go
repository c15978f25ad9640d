package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A drawer draws a random graph.
type drawer struct {
	t *rapid.T
	g *ir.Graph
}

func (d drawer) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

func (d drawer) often(what string, of int) bool { return d.pick(what, of) > 0 }

// graph draws a graph of a few nodes and three variables.
func (d drawer) graph() *ir.Graph {
	d.g.State = &ir.State{}
	d.g.Limits.Iterations = 8
	for _, v := range []struct {
		name  string
		typ   types.Type
		begin []expr.Expr
	}{
		{"n", types.Float, []expr.Expr{number("0"), number("1"), nil, &expr.Input{Name: "n", Typ: types.Float}}},
		{"m", types.Float, []expr.Expr{number("1"), nil}},
		{"t", types.Text, []expr.Expr{word("x"), word("a"), nil}},
		{"f", types.Bool, []expr.Expr{boolean("false"), nil}},
	} {
		initial := v.begin[d.pick(v.name, len(v.begin))]
		f := &ir.StateField{Name: v.name, Type: &types.Optional{Elem: v.typ}, Initial: initial}
		d.g.State.Fields = append(d.g.State.Fields, f)
	}
	d.nodes()
	visited := slices.DeleteFunc(slices.Clone(d.g.Nodes), d.isBranch)
	target := func() *ir.Node {
		if i := d.pick("to", len(visited)+1); i < len(visited) {
			return visited[i]
		}
		return nil
	}
	for range d.pick("starts", 2) {
		d.g.Start = append(d.g.Start, &ir.Edge{To: visited[d.pick("first", len(visited))], Guard: d.cond(nil, 1)})
	}
	d.g.Start = append(d.g.Start, &ir.Edge{To: visited[0]})
	for _, n := range visited {
		for range 1 + d.pick("edges", 3) {
			e := &ir.Edge{From: n, To: target()}
			if d.often("guarded", 3) {
				e.Guard = d.cond(n, 2)
			}
			n.Out = append(n.Out, e)
		}
		if d.pick("interrupt", 5) == 0 {
			d.g.Interrupts = append(d.g.Interrupts, &ir.Interrupt{Node: n, When: d.cond(nil, 1), Skip: n.Out[0], After: d.pick("after", 4) == 0})
		}
	}
	for range d.pick("goals", 3) {
		d.g.Goals = append(d.g.Goals, &ir.Goal{Cond: d.cond(nil, 1)})
	}
	return d.g
}

func (d drawer) nodes() {
	add := func(id string, a ir.Action, labels ...string) *ir.Node {
		n := &ir.Node{ID: id, Action: a}
		for _, l := range labels {
			n.Labels = append(n.Labels, &ir.Label{Name: l, Failure: l == "fail"})
		}
		d.g.Nodes = append(d.g.Nodes, n)
		for _, l := range labels {
			for range d.pick("handlers", 3) {
				n.Handlers = append(n.Handlers, &ir.Handler{Label: l, Assigns: []*ir.Assign{d.assign()}})
			}
		}
		return n
	}
	for i := range 2 + d.pick("nodes", 2) {
		id := fmt.Sprintf("n%d", i)
		switch d.pick("kind", 4) {
		case 0:
			add(id, &ir.Decision{}, "yes", "no")
		case 1:
			add(id, &ir.Human{}, "a", "b")
		default:
			add(id, &ir.Prompt{}, []string{"a", "b", "x"}[:1+d.pick("labels", 3)]...)
		}
	}
	if d.pick("parallel", 3) == 0 {
		b1, b2 := add("b1", &ir.Prompt{}, "a", "b"), add("b2", &ir.Prompt{}, "a")
		j := add("j", &ir.Join{}, "done")
		add("p", &ir.Parallel{Branches: []*ir.Node{b1, b2}, Join: j}, []string{"done", "fail"}[d.pick("fails", 2)])
	}
	for _, n := range d.g.Nodes {
		if a, ok := n.Action.(*ir.Decision); ok {
			a.Cond = d.cond(nil, 2)
		}
	}
}

func (d drawer) isBranch(n *ir.Node) bool { return n.ID == "b1" || n.ID == "b2" }

func (d drawer) assign() *ir.Assign {
	f := d.g.State.Fields[d.pick("variable", len(d.g.State.Fields))]
	a := &ir.Assign{Field: f, Value: &expr.Said{}}
	switch d.pick("value", 8) {
	case 0, 1, 2:
	case 3:
		a.Value = &expr.Literal{Text: "null", Typ: types.Null}
	default:
		a.Value = d.constant(f)
	}
	return a
}

func (d drawer) constant(f *ir.StateField) expr.Expr {
	switch f.Name {
	case "n", "m":
		return number([]string{"0", "1", "2"}[d.pick("number", 3)])
	case "t":
		return word([]string{"x", "y", "a"}[d.pick("word", 3)])
	}
	return boolean([]string{"true", "false"}[d.pick("truth", 2)])
}

func word(s string) *expr.Literal    { return &expr.Literal{Text: s, Typ: types.Text} }
func boolean(s string) *expr.Literal { return &expr.Literal{Text: s, Typ: types.Bool} }

// cond draws a condition; behind a node when one is given.
func (d drawer) cond(n *ir.Node, depth int) expr.Expr {
	if depth > 0 {
		switch d.pick("connective", 5) {
		case 0:
			return &expr.Not{X: d.cond(n, depth-1)}
		case 1:
			return &expr.Logic{Op: expr.Or, X: d.cond(n, depth-1), Y: d.cond(n, depth-1)}
		case 2:
			return and(d.cond(n, depth-1), d.cond(n, depth-1))
		}
	}
	if n != nil && d.often("label", 2) {
		return label(n.ID, n.Labels[d.pick("which", len(n.Labels))].Name)
	}
	read := func(i int) expr.Expr {
		f := d.g.State.Fields[i]
		return &expr.State{Name: f.Name, Typ: f.Type}
	}
	order := []expr.CompareOp{expr.ValueEqual, expr.ValueNotEqual, expr.ValueLess, expr.ValueLessEqual, expr.ValueGreater, expr.ValueGreaterEqual}
	op := order[d.pick("op", len(order))]
	switch d.pick("atom", 8) {
	case 0:
		return compareValues(op, read(0), read(1))
	case 1:
		other := d.g.Nodes[d.pick("of", len(d.g.Nodes))]
		last := &expr.LastLabel{Node: other.ID, Typ: types.Text}
		if d.often("with", 2) {
			return compareValues(order[d.pick("same", 2)], last, read(2))
		}
		return compareValues(order[d.pick("same", 2)], last, word(other.Labels[d.pick("which", len(other.Labels))].Name))
	case 2:
		return compareValues(op, &expr.Progress{Measure: expr.Iteration}, number([]string{"1", "2", "3"}[d.pick("count", 3)]))
	case 3:
		return compareValues(order[d.pick("same", 2)], &expr.Progress{Measure: expr.CurrentNode}, word(d.g.Nodes[0].ID))
	case 4:
		return compareValues(order[d.pick("same", 2)], read(d.pick("any", 4)), &expr.Literal{Text: "null", Typ: types.Null})
	case 5:
		return compareValues(order[d.pick("same", 2)], read(3), d.constant(d.g.State.Fields[3]))
	case 6:
		return compareValues(op, read(2), d.constant(d.g.State.Fields[2]))
	}
	i := d.pick("either", 2)
	return compareValues(op, read(i), d.constant(d.g.State.Fields[i]))
}

// The exploration has found every result of a run of a random graph, in a few
// visits and with a few texts: distinguished as far as that goes, when paths are
// joined, and when settings may have any value.
func TestNothingIsLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawer{t, &ir.Graph{}}.graph()
		exact := explore.Run(g, explore.Options{})
		if exact.Configurations > 2000 {
			t.Skip("too large")
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walks"), 0))
		results := []seen{see(g, exact), see(g, explore.Run(g, explore.Options{Configurations: 1})), see(g, explore.Run(g, explore.Options{Settings: true}))}
		_, missing := exact.Tests()
		wander(rng, g, func(w world) {
			for i := range results {
				results[i].contains(t, g, w)
			}
			last := w.way[len(w.way)-1]
			if last.before.ended < 8 && slices.Contains(missing, explore.Target{Node: last.node, Label: last.label, Edge: last.edge}) {
				t.Fatalf("there is no test for %s, but a run: %s", last.label, show(w)+describe(g))
			}
		})
	})
}

// wander walks some random paths through a graph, and visits its results.
func wander(rng *rand.Rand, g *ir.Graph, visit func(world)) {
	first := starts(g)
	for range 12 {
		if len(first) == 0 {
			return
		}
		at := first[rng.IntN(len(first))]
		for range 7 {
			var list []world
			at.next(g, func(to world) { list = append(list, to) })
			if len(list) == 0 {
				break
			}
			for range 3 {
				at = list[rng.IntN(len(list))]
				visit(at)
			}
			if at.at == nil {
				break
			}
		}
	}
}

// The observations of a graph.
type seen struct {
	*explore.Result
	anywhere map[*ir.Node]*explore.Choice
	endings  []explore.Ending
	trapped  map[*ir.Node]bool
	longest  float64
	finite   bool
	terms    map[expr.Expr]explore.Results
}

func see(g *ir.Graph, r *explore.Result) seen {
	s := seen{Result: r, anywhere: map[*ir.Node]*explore.Choice{}, endings: r.Endings(), trapped: map[*ir.Node]bool{}}
	for _, n := range g.Nodes {
		s.anywhere[n] = r.Anywhere(n)
		_, s.trapped[n] = r.Trapped(n)
	}
	s.longest, s.finite = r.Longest(explore.Weight)
	s.terms = r.Terms()
	return s
}

func show(w world) string {
	text := "START"
	for _, e := range w.way {
		text += fmt.Sprintf(" → %s [%s] %v %v", e.node.ID, e.label, e.after.vars, e.branches)
	}
	return text
}

// contains requires that the last visit of a run was found.
func (r *seen) contains(t *rapid.T, g *ir.Graph, w world) {
	last := w.way[len(w.way)-1]
	n, after := last.node, last.after
	fail := func(format string, args ...any) {
		t.Fatalf("%s, but there is a run: %s", fmt.Sprintf(format, args...), show(w)+describe(g))
	}
	if !r.Reached(n) || r.Cost(n) > last.before.ended {
		fail("%s is not reached, or for %d", n.ID, r.Cost(n))
	}
	if way, ok := r.WayOut(n, last.label); !ok || way == nil {
		fail("%s does not end with %q", n.ID, last.label)
	}
	for _, f := range g.State.Fields {
		if _, may := r.Unset(n, f.Name); f.Initial == nil && last.before.vars[f.Name] == nil && !may {
			fail("%s has a value at %s", f.Name, n.ID)
		}
	}
	if last.label != "" {
		r.choices(n, &last, fail)
		chosen := false
		for _, e := range n.Out {
			if chosen = r.evaluated(e.Guard, &after, fail); chosen {
				break
			}
		}
		if !chosen {
			r.goals(g, &after, fail)
		}
	}
	for _, in := range g.Interrupts {
		at := &last.before
		if in.After {
			at = &after
		}
		if in.Node == n && (last.label != "" || !in.After) && eval(in.When, at).(bool) && !r.Fires(in) {
			fail("nobody is asked around %s", n.ID)
		}
	}
	if w.at == nil {
		r.finished(g, w, fail)
	}
}

// choices requires that the exploration found the cases at a node's edges.
func (r *seen) choices(n *ir.Node, last *event, fail func(string, ...any)) {
	for _, c := range []*explore.Choice{r.Edges(n), r.anywhere[n]} {
		for i, e := range n.Out {
			holds := eval(e.Guard, &last.after).(bool)
			if holds && c.Edges[i].Held == nil || e == last.edge && c.Edges[i].Taken == nil {
				fail("edge %d never holds", i)
			}
			if !holds || last.edge == nil || e == last.edge || e.Guard == nil || last.edge.Guard == nil || e.To == last.edge.To {
				continue
			}
			if !slices.ContainsFunc(c.Overlaps, func(o explore.Overlap) bool { return o.First == last.edge && o.Second == e }) && !unsure(c) {
				fail("edge %d overlaps none", i)
			}
		}
	}
}

// goals requires that the exploration found the results of the terms of goals, up to the first
// goal that holds.
func (r *seen) goals(g *ir.Graph, w *world, fail func(string, ...any)) {
	for _, goal := range g.Goals {
		if r.evaluated(goal.Cond, w, fail) {
			return
		}
	}
}

// evaluated evaluates a condition from left to right, and requires that the exploration found
// the results of its terms.
func (r *seen) evaluated(e expr.Expr, w *world, fail func(string, ...any)) bool {
	switch e := e.(type) {
	case nil:
		return true
	case *expr.Not:
		return !r.evaluated(e.X, w, fail)
	case *expr.Logic:
		if x := r.evaluated(e.X, w, fail); x == (e.Op == expr.Or) {
			return x
		}
		return r.evaluated(e.Y, w, fail)
	}
	holds := eval(e, w).(bool)
	if found := r.terms[e]; holds && !found.True || !holds && !found.False {
		fail("a term is never %t", holds)
	}
	return holds
}

// unsure reports whether nothing is known of some overlaps: those are not made
// out.
func unsure(c *explore.Choice) bool {
	return slices.ContainsFunc(c.Edges, func(e explore.EdgeCases) bool { return e.Held != nil && !e.Held.Certain })
}

// finished requires that the end of a run was found.
func (r *seen) finished(g *ir.Graph, w world, fail func(string, ...any)) {
	last := w.way[len(w.way)-1]
	if last.label != "" {
		r.goals(g, &last.after, fail)
	}
	met := len(g.Goals) == 0
	for _, goal := range g.Goals {
		holds := eval(goal.Cond, &last.after).(bool)
		if at := last.after; last.label == "" {
			at.at = last.node
			holds = eval(goal.Cond, &at).(bool)
			if !met {
				r.evaluated(goal.Cond, &at, fail)
			}
		}
		met = met || holds
		if holds && !r.GoalMet(goal) {
			fail("a goal is not met")
		}
	}
	if r.finite && r.longest < float64(w.ended) {
		fail("the longest run is of %v", r.longest)
	}
	if most := r.Within(max(w.ended, 1), explore.Weight); most < float64(w.ended) {
		fail("of the runs of %d nodes the longest is of %v", w.ended, most)
	}
	for _, e := range w.way {
		if r.trapped[e.node] {
			fail("%s is a trap", e.node.ID)
		}
	}
	if last.edge == nil && (!met || len(g.Goals) == 0) {
		if !slices.ContainsFunc(r.Edges(last.node).Gaps, func(c explore.Case) bool { return c.Label == last.label }) {
			fail("there is no gap")
		}
		return
	}
	for _, success := range []bool{false, true} {
		if n, way := r.Shortest(success); (met || !success) && (way == nil || n > w.ended) {
			fail("the shortest run is of %d (%v, %s)", n, success, way)
		}
	}
	found := false
	for _, e := range r.endings {
		found = found || e.Node == last.node && e.Label == last.label && (e.Meets != nil || !met) && (e.Misses != nil || met)
	}
	if !found {
		fail("there is no such ending")
	}
}
