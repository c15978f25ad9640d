package check

import (
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Is there a run without failures in which some nodes ran, others were skipped, and
// some conditions had these results?
//
// The search takes the goals apart, as a tableau does: a node that ran fulfilled its
// trigger rule and its condition, one that was skipped did not; a condition with a
// connective holds if its operands do, in the lazy order of the run. What is left are
// comparisons, whose demands either fit together or do not.
//
// A "no" is a proof. A "yes" may be wrong: the search gives up after maxSteps, and for it
// expressions that it cannot name are independent, and so are comparisons of a number
// with different constants.

// A goal is something that is true in the run: a node that ran or was skipped, or the
// result of a condition.
type goal struct {
	in *analysis
	// node ran if holds is true, and was skipped otherwise; it is nil for a condition.
	node *ir.Node
	// cond has the result holds; it is a part of whole.
	cond, whole expr.Expr
	holds       bool
	// starts says that the node's own condition is not yet decided.
	starts bool
}

func (a *analysis) ranGoal(n *ir.Node) goal     { return goal{in: a, node: n, holds: true} }
func (a *analysis) skippedGoal(n *ir.Node) goal { return goal{in: a, node: n} }
func (a *analysis) startsGoal(n *ir.Node) goal {
	return goal{in: a, node: n, holds: true, starts: true}
}

func (a *analysis) resultGoal(cond expr.Expr, holds bool) goal {
	return goal{in: a, cond: cond, whole: cond, holds: holds}
}

// goals is a list whose tails branches of the search share.
type goals struct {
	goal
	rest *goals
}

func (g *goals) and(more ...goal) *goals {
	for _, m := range more {
		g = &goals{m, g}
	}
	return g
}

// maxSteps bounds one search.
const maxSteps = 1000

// isPossible reports whether there may be such a run.
func (g *goals) isPossible() bool {
	open, _ := g.runSearch()
	return open
}

// isFound reports whether the search found such a run before it gave up.
func (g *goals) isFound() bool {
	open, ended := g.runSearch()
	return open && ended
}

func (g *goals) runSearch() (open, ended bool) {
	s := search{ended: map[*ir.Node]bool{}, started: map[*ir.Node]bool{}, steps: maxSteps}
	open = s.canReachAll(g, nil, nil)
	return open, s.steps >= 0
}

type search struct {
	// ended says whether nodes ran, on this branch of the search; started are the nodes
	// whose trigger rules were taken apart.
	ended, started map[*ir.Node]bool
	steps          int
}

// canReachAll reports whether all goals can be reached; later are those that only narrow the
// search, and known the demands of conditions.
func (s *search) canReachAll(todo, later *goals, known texts) bool {
	if s.steps--; s.steps < 0 {
		return true
	}
	if todo == nil {
		if later == nil {
			return true
		}
		todo, later = &goals{later.goal, nil}, later.rest
		return s.canReachNode(todo.goal, nil, later, known)
	}
	g, rest := todo.goal, todo.rest
	switch {
	case g.cond != nil:
		return s.canReachCondition(g, rest, later, known)
	case g.holds:
		return s.canReachAll(rest, later.and(g), known)
	}
	return s.canReachNode(g, rest, later, known)
}

// canReachNode takes the goal about a node apart.
func (s *search) canReachNode(g goal, todo, later *goals, known texts) bool {
	seen := s.ended
	if g.starts {
		seen = s.started
	}
	if ran, decided := seen[g.node]; decided {
		return ran == g.holds && s.canReachAll(todo, later, known)
	}
	seen[g.node] = g.holds
	defer delete(seen, g.node)
	if g.holds {
		return s.canReachRan(g, todo, later, known)
	}
	return s.canReachSkipped(g, todo, later, known)
}

func (s *search) canReachRan(g goal, todo, later *goals, known texts) bool {
	n, a := g.node, g.in
	if !g.starts {
		if n.When != nil {
			todo = todo.and(a.resultGoal(n.When, true))
		}
		later = a.addProvenFacts(a.inputFacts(n), later)
	}
	if n.Include != nil {
		later = later.and(a.ranGoal(n.Include))
	}
	if a.owner != nil {
		later = later.and(a.outer.startsGoal(a.owner))
		if when := a.owner.When; when != nil {
			todo = todo.and(a.outer.resultGoal(when, true))
		}
	}
	if countDeclared(n) == 0 || n.Rule == ir.AllDone {
		return s.canReachAll(todo, later, known)
	}
	if n.Rule == ir.AllSuccess {
		for d := range triggerDependencies(n) {
			later = later.and(a.ranGoal(d))
		}
		return s.canReachAll(todo, later, known)
	}
	for d := range triggerDependencies(n) {
		if s.canReachAll(todo, later.and(a.ranGoal(d)), known) {
			return true
		}
	}
	return false
}

func (s *search) canReachSkipped(g goal, todo, later *goals, known texts) bool {
	n, a := g.node, g.in
	if n.SkipOnTimeout {
		return true
	}
	if n.When != nil && s.canReachAll(todo.and(a.resultGoal(n.When, false)), later, known) {
		return true
	}
	if n.Include != nil && s.canReachAll(todo.and(a.skippedGoal(n.Include)), later, known) {
		return true
	}
	if n.Rule == ir.AllDone {
		return false
	}
	all, some := todo, false
	for d := range triggerDependencies(n) {
		some, all = true, all.and(a.skippedGoal(d))
		if n.Rule == ir.AllSuccess && s.canReachAll(todo.and(a.skippedGoal(d)), later, known) {
			return true
		}
	}
	return some && n.Rule != ir.AllSuccess && s.canReachAll(all, later, known)
}

// addProvenFacts adds what facts say about nodes.
func (a *analysis) addProvenFacts(known facts, to *goals) *goals {
	for _, id := range slices.Sorted(maps.Keys(known)) {
		for in := a; in != nil && known[id] == completed; in = in.outer {
			if n := in.byID[id]; n != nil {
				to = to.and(in.ranGoal(n))
				break
			}
		}
	}
	return to
}

// canReachCondition takes a condition apart.
func (s *search) canReachCondition(g goal, todo, later *goals, known texts) bool {
	part := func(e expr.Expr, holds bool) goal { g.cond, g.holds = e, holds; return g }
	switch e := g.cond.(type) {
	case *expr.Logic:
		return s.canReachConnective(e.Op, e.X, e.Y, g, todo, later, known)
	case *expr.Either:
		return s.canReachConnective(e.Op, e.X, e.Y, g, todo, later, known)
	case *expr.Not:
		return s.canReachAll(todo.and(part(e.X, !g.holds)), later, known)
	case *expr.Negation:
		return s.canReachAll(todo.and(part(e.X, !g.holds)), later, known)
	case *expr.Holds:
		x := e.X
		if text, ok := x.(*expr.Str); ok {
			x = text.X
		}
		if x.Type() == types.Bool { // the text of a bool counts as the bool does
			return s.canReachAll(todo.and(part(x, g.holds)), later, known)
		}
	}
	if test, ok := g.cond.(*expr.Test); ok && (test.Name == "defined" || test.Name == "undefined") {
		if n := g.in.byID[outputOf(test.X)]; n != nil {
			ran := (test.Name == "defined") != test.Not
			return s.canReachAll(todo.and(goal{in: g.in, node: n, holds: ran == g.holds}), later, known)
		}
	}
	yes, no := walker{}.walkCondition(g.cond, facts{})
	if !g.holds {
		yes = no
	}
	later = g.in.addProvenFacts(yes, later)
	if g.in.propertyOf(g.whole).acts {
		return s.canReachAll(todo, later, known)
	}
	v := reading{g.whole.Span()}.meaningOf(g.cond).truth
	demanded := v.yes
	if !g.holds {
		demanded = v.no
	}
	together := andTexts(&known, demanded)
	if together == nil {
		return false
	}
	s.steps -= len(*together) / 4 // to put them together took as long
	return s.canReachAll(todo, later, *together)
}

// canReachConnective takes a condition of two operands apart: the second one counts only if the
// first does not decide.
func (s *search) canReachConnective(op expr.LogicOp, x, y expr.Expr, g goal, todo, later *goals, known texts) bool {
	part := func(e expr.Expr, holds bool) goal { g.cond, g.holds = e, holds; return g }
	decides := op == expr.Or
	if g.holds == decides && s.canReachAll(todo.and(part(x, decides)), later, known) {
		return true
	}
	return s.canReachAll(todo.and(part(y, g.holds)).and(part(x, !decides)), later, known)
}
