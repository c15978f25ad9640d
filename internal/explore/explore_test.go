package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// build makes a graph of nodes written as "id: label label", the first of which
// begins, and of edges made by e.
func build(nodes ...string) (*ir.Graph, func(id string) *ir.Node) {
	g := &ir.Graph{State: &ir.State{}}
	byID := map[string]*ir.Node{}
	for _, text := range nodes {
		id, labels, _ := strings.Cut(text, ":")
		n := &ir.Node{ID: id, Action: &ir.Prompt{}}
		for _, l := range strings.Fields(labels) {
			n.Labels = append(n.Labels, &ir.Label{Name: l})
		}
		g.Nodes = append(g.Nodes, n)
		byID[id] = n
	}
	g.Start = []*ir.Edge{{To: g.Nodes[0]}}
	return g, func(id string) *ir.Node {
		if n := byID[id]; n != nil || id == "" {
			return n
		}
		panic("no node " + id)
	}
}

func edge(from, to *ir.Node, guard expr.Expr) *ir.Edge {
	e := &ir.Edge{From: from, To: to, Guard: guard}
	from.Out = append(from.Out, e)
	return e
}

func label(node, name string) expr.Expr {
	return compareValues(expr.ValueEqual, &expr.LastLabel{Node: node, Typ: types.Text}, &expr.Literal{Text: name, Typ: types.Text})
}

func compareValues(op expr.CompareOp, x, y expr.Expr) expr.Expr {
	return &expr.Compare{Op: op, X: x, Y: y}
}

func and(x, y expr.Expr) expr.Expr { return &expr.Logic{Op: expr.And, X: x, Y: y} }

func number(text string) *expr.Literal { return &expr.Literal{Text: text, Typ: types.Float} }

func variable(g *ir.Graph, name string, t types.Type, initial expr.Expr) expr.Expr {
	g.State.Fields = append(g.State.Fields, &ir.StateField{Name: name, Type: t, Initial: initial})
	return &expr.State{Name: name, Typ: t}
}

func set(g *ir.Graph, n *ir.Node, label, name string, v expr.Expr) {
	n.Handlers = append(n.Handlers, &ir.Handler{Label: label, Assigns: []*ir.Assign{{Field: g.State.Field(name), Value: v}}})
}

// An edge whose guard reads a counter that only prose is written to leaves a gap.
func TestAGapIsFoundWithItsWay(t *testing.T) {
	g, node := build("work: done", "review: P0 clean")
	attempts := variable(g, "attempts", types.Float, number("0"))
	set(g, node("work"), "done", "attempts", &expr.Said{})
	edge(node("work"), node("review"), nil)
	edge(node("review"), node("work"), and(label("review", "P0"), compareValues(expr.ValueLess, attempts, number("3"))))
	edge(node("review"), nil, label("review", "clean"))
	r := explore.Run(g, explore.Options{})
	gaps := r.Edges(node("review")).Gaps
	if len(gaps) != 1 || gaps[0].Label != "P0" || gaps[0].Certain {
		t.Fatalf("%+v", gaps)
	}
	way, values := r.CaseWay(node("review"), &gaps[0])
	if got := way.String(); got != "START → work [done] → review [P0]" {
		t.Error(got)
	}
	if len(values) != 1 || values[0].Name != "state.attempts" || values[0].Value != "3" || !values[0].Supposed {
		t.Errorf("%+v", values)
	}
	if shortest, way := r.Shortest(false); shortest != 2 || way.String() != "START → work [done] → review [clean]" {
		t.Error(shortest, way)
	}
	if _, finite := r.Longest(explore.Weight); finite {
		t.Error("a loop has no longest run")
	}
	if groups := r.Components(); len(groups) != 1 || len(groups[0]) != 2 {
		t.Errorf("%v", groups)
	}
}

// Guards that cover every number leave none, and neither does a variable whose
// value is known.
func TestNoGapWhereNoneCanBe(t *testing.T) {
	for name, initial := range map[string]expr.Expr{"known": number("1"), "unknown": &expr.Input{Typ: types.Float}} {
		g, node := build("a: ok")
		n := variable(g, "n", types.Float, initial)
		edge(node("a"), nil, compareValues(expr.ValueLess, n, number("3")))
		if name == "unknown" {
			edge(node("a"), node("a"), compareValues(expr.ValueGreaterEqual, n, number("3")))
		}
		r := explore.Run(g, explore.Options{})
		if gaps := r.Edges(node("a")).Gaps; len(gaps) != 0 {
			t.Errorf("%s: %+v", name, gaps)
		}
	}
}

// A decision about values that only ever are good enough has a dead label.
func TestADeadLabelOfADecision(t *testing.T) {
	g, node := build("review: P1 clean", "check: pass fail", "fix: done")
	score := variable(g, "score", types.Float, number("0"))
	set(g, node("review"), "P1", "score", number("5"))
	set(g, node("review"), "clean", "score", number("10"))
	node("check").Action = &ir.Decision{Cond: compareValues(expr.ValueGreaterEqual, score, number("8"))}
	edge(node("review"), node("fix"), label("review", "P1"))
	edge(node("review"), node("check"), label("review", "clean"))
	back := edge(node("check"), node("fix"), label("check", "fail"))
	edge(node("check"), nil, nil)
	edge(node("fix"), node("review"), nil)
	r := explore.Run(g, explore.Options{})
	if _, ok := r.WayOut(node("check"), "fail"); ok {
		t.Error("`fail` cannot come out")
	}
	if way, ok := r.WayOut(node("check"), "pass"); !ok || !certain(way) {
		t.Error(way, ok)
	}
	if e := r.Edges(node("check")).Edges[0]; e.Edge != back || e.Taken != nil || e.Held != nil {
		t.Errorf("%+v", e)
	}
	if e := r.Anywhere(node("check")).Edges[0]; e.Taken == nil {
		t.Error("by itself the edge can be taken")
	}
}

// The branches of a parallel count, and their handlers run in the order of
// branches.
func TestParallel(t *testing.T) {
	g, node := build("p: all_done", "b1: good bad", "b2: good bad", "j: done")
	v := variable(g, "v", types.Text, &expr.Literal{Text: "none", Typ: types.Text})
	set(g, node("b1"), "bad", "v", &expr.Literal{Text: "one", Typ: types.Text})
	set(g, node("b2"), "bad", "v", &expr.Literal{Text: "two", Typ: types.Text})
	node("p").Action = &ir.Parallel{Branches: []*ir.Node{node("b1"), node("b2")}, Join: node("j")}
	node("j").Action = &ir.Join{}
	edge(node("p"), node("j"), nil)
	for _, value := range []string{"none", "one", "two"} {
		edge(node("j"), nil, compareValues(expr.ValueEqual, v, &expr.Literal{Text: value, Typ: types.Text}))
	}
	never := edge(node("j"), node("p"), and(label("b2", "bad"), compareValues(expr.ValueEqual, v, &expr.Literal{Text: "one", Typ: types.Text})))
	r := explore.Run(g, explore.Options{})
	for _, e := range r.Edges(node("j")).Edges {
		if (e.Held == nil) != (e.Edge == never) {
			t.Errorf("%+v", e)
		}
	}
	if n, _ := r.Shortest(false); n != 4 {
		t.Error(n)
	}
	if most, finite := r.Longest(explore.Weight); most != 4 || !finite {
		t.Error(most, finite)
	}
	if !r.Reached(node("b1")) || r.Cost(node("j")) != 3 {
		t.Error("branches run with their parallel")
	}
}

// A node from which no way leads to an end is a trap.
func TestTrap(t *testing.T) {
	g, node := build("a: ok bad", "b: ok", "c: ok")
	edge(node("a"), nil, label("a", "ok"))
	edge(node("a"), node("b"), nil)
	edge(node("b"), node("c"), nil)
	edge(node("c"), node("b"), nil)
	r := explore.Run(g, explore.Options{})
	if way, always := r.Trapped(node("b")); !always || way.String() != "START → a [bad]" {
		t.Error(way, always)
	}
	if way, _ := r.Trapped(node("a")); way != nil {
		t.Error(way)
	}
}

// Goals are evaluated where runs end, and where no edge holds.
func TestGoals(t *testing.T) {
	g, node := build("a: yes no maybe")
	edge(node("a"), nil, label("a", "yes"))
	edge(node("a"), nil, label("a", "no"))
	goal := &ir.Goal{Cond: label("a", "yes")}
	silent := &ir.Goal{Cond: label("a", "maybe")}
	g.Goals = []*ir.Goal{goal, silent}
	r := explore.Run(g, explore.Options{})
	if gaps := r.Edges(node("a")).Gaps; len(gaps) != 0 {
		t.Errorf("a goal covers the label: %+v", gaps)
	}
	ends := r.Endings()
	if len(ends) != 3 || ends[0].Meets == nil || ends[0].Misses != nil || ends[1].Meets != nil || ends[1].Misses == nil || ends[2].Meets == nil {
		t.Errorf("%+v", ends)
	}
	if !r.GoalMet(goal) || !r.GoalMet(silent) {
		t.Error("both goals can be met")
	}
}

// Optional interrupts let nodes be skipped.
func TestSkip(t *testing.T) {
	g, node := build("a: ok", "b: good bad", "c: ok")
	edge(node("a"), node("b"), nil)
	edge(node("b"), node("c"), label("b", "good"))
	out := edge(node("b"), nil, nil)
	edge(node("c"), nil, nil)
	in := &ir.Interrupt{Node: node("b"), Skip: out, When: compareValues(expr.ValueEqual, &expr.Progress{Measure: expr.CurrentNode}, &expr.Literal{Text: "b", Typ: types.Text})}
	g.Interrupts = []*ir.Interrupt{in, {Node: node("c"), After: true, When: label("b", "bad")}}
	r := explore.Run(g, explore.Options{})
	if !r.Fires(in) || r.Fires(g.Interrupts[1]) {
		t.Error("the first can be asked, the second cannot")
	}
	if n, way := r.Shortest(false); n != 1 || way.String() != "START → a [ok] → b (skipped)" {
		t.Error(n, way)
	}
}

// large is a graph of n nodes in a ring with shortcuts, guarded by 10 variables
// of which handlers set each to one of a few constants.
func large(n int) *ir.Graph {
	var nodes []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf("n%d: a b", i))
	}
	g, node := build(nodes...)
	var vars []expr.Expr
	for v := range 10 {
		vars = append(vars, variable(g, fmt.Sprintf("v%d", v), types.Float, number("0")))
	}
	for i := range n {
		from, name := node(fmt.Sprintf("n%d", i)), fmt.Sprintf("n%d", i)
		set(g, from, "a", fmt.Sprintf("v%d", i%10), number(fmt.Sprint(i%4)))
		edge(from, node(fmt.Sprintf("n%d", (i*7+3)%n)), and(label(name, "b"), compareValues(expr.ValueLess, vars[(i+3)%10], number("2"))))
		if i == n-1 {
			edge(from, nil, nil)
		} else {
			edge(from, node(fmt.Sprintf("n%d", i+1)), nil)
		}
	}
	return g
}

// Beyond the bound, facts that hold on all paths to a node are kept, and everything
// reachable is still reachable.
func TestBound(t *testing.T) {
	g := large(24)
	all, few := explore.Run(g, explore.Options{Configurations: 1 << 20}), explore.Run(g, explore.Options{Configurations: 100})
	if !all.Complete || few.Complete || few.Configurations > 24 || few.Bound != 100 {
		t.Fatal(all.Complete, all.Configurations, few.Complete, few.Configurations)
	}
	for _, n := range g.Nodes {
		if all.Reached(n) && !few.Reached(n) || all.Cost(n) >= 0 && few.Cost(n) > all.Cost(n) {
			t.Error(n.ID, all.Cost(n), few.Cost(n))
		}
	}
}

func BenchmarkExplore(b *testing.B) {
	g := large(200)
	for b.Loop() {
		r := explore.Run(g, explore.Options{})
		b.ReportMetric(float64(r.Configurations), "configurations")
		if r.Complete {
			b.ReportMetric(1, "complete")
		}
	}
}
