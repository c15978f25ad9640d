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

func (a *analysis) ran(n *ir.Node) goal     { return goal{in: a, node: n, holds: true} }
func (a *analysis) skipped(n *ir.Node) goal { return goal{in: a, node: n} }
func (a *analysis) starts(n *ir.Node) goal  { return goal{in: a, node: n, holds: true, starts: true} }

func (a *analysis) result(cond expr.Expr, holds bool) goal {
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

// possible reports whether there may be such a run.
func (g *goals) possible() bool {
	open, _ := g.search()
	return open
}

// found reports whether the search found such a run before it gave up.
func (g *goals) found() bool {
	open, ended := g.search()
	return open && ended
}

func (g *goals) search() (open, ended bool) {
	s := search{ended: map[*ir.Node]bool{}, started: map[*ir.Node]bool{}, steps: maxSteps}
	open = s.open(g, nil, nil)
	return open, s.steps >= 0
}

type search struct {
	// ended says whether nodes ran, on this branch of the search; started are the nodes
	// whose trigger rules were taken apart.
	ended, started map[*ir.Node]bool
	steps          int
}

// open reports whether all goals can be reached; later are those that only narrow the
// search, and known the demands of conditions.
func (s *search) open(todo, later *goals, known texts) bool {
	if s.steps--; s.steps < 0 {
		return true
	}
	if todo == nil {
		if later == nil {
			return true
		}
		todo, later = &goals{later.goal, nil}, later.rest
		return s.node(todo.goal, nil, later, known)
	}
	g, rest := todo.goal, todo.rest
	switch {
	case g.cond != nil:
		return s.condition(g, rest, later, known)
	case g.holds:
		return s.open(rest, later.and(g), known)
	}
	return s.node(g, rest, later, known)
}

// node takes the goal about a node apart.
func (s *search) node(g goal, todo, later *goals, known texts) bool {
	seen := s.ended
	if g.starts {
		seen = s.started
	}
	if ran, decided := seen[g.node]; decided {
		return ran == g.holds && s.open(todo, later, known)
	}
	seen[g.node] = g.holds
	defer delete(seen, g.node)
	if g.holds {
		return s.ran(g, todo, later, known)
	}
	return s.skipped(g, todo, later, known)
}

func (s *search) ran(g goal, todo, later *goals, known texts) bool {
	n, a := g.node, g.in
	if !g.starts {
		if n.When != nil {
			todo = todo.and(a.result(n.When, true))
		}
		later = a.proven(a.inputFacts(n), later)
	}
	if n.Within != nil {
		later = later.and(a.ran(n.Within))
	}
	if a.owner != nil {
		later = later.and(a.outer.starts(a.owner))
		if when := a.owner.When; when != nil {
			todo = todo.and(a.outer.result(when, true))
		}
	}
	if countDeclared(n) == 0 || n.Trigger == ir.AllDone {
		return s.open(todo, later, known)
	}
	if n.Trigger == ir.AllSuccess {
		for d := range declared(n) {
			later = later.and(a.ran(d))
		}
		return s.open(todo, later, known)
	}
	for d := range declared(n) {
		if s.open(todo, later.and(a.ran(d)), known) {
			return true
		}
	}
	return false
}

func (s *search) skipped(g goal, todo, later *goals, known texts) bool {
	n, a := g.node, g.in
	if n.SkipTimeout {
		return true
	}
	if n.When != nil && s.open(todo.and(a.result(n.When, false)), later, known) {
		return true
	}
	if n.Within != nil && s.open(todo.and(a.skipped(n.Within)), later, known) {
		return true
	}
	if n.Trigger == ir.AllDone {
		return false
	}
	all, some := todo, false
	for d := range declared(n) {
		some, all = true, all.and(a.skipped(d))
		if n.Trigger == ir.AllSuccess && s.open(todo.and(a.skipped(d)), later, known) {
			return true
		}
	}
	return some && n.Trigger != ir.AllSuccess && s.open(all, later, known)
}

// proven adds what facts say about nodes.
func (a *analysis) proven(known facts, to *goals) *goals {
	for _, id := range slices.Sorted(maps.Keys(known)) {
		for in := a; in != nil && known[id] == completed; in = in.outer {
			if n := in.byID[id]; n != nil {
				to = to.and(in.ran(n))
				break
			}
		}
	}
	return to
}

// condition takes a condition apart.
func (s *search) condition(g goal, todo, later *goals, known texts) bool {
	part := func(e expr.Expr, holds bool) goal { g.cond, g.holds = e, holds; return g }
	switch e := g.cond.(type) {
	case *expr.Logic:
		return s.connective(e.Op, e.X, e.Y, g, todo, later, known)
	case *expr.Either:
		return s.connective(e.Op, e.X, e.Y, g, todo, later, known)
	case *expr.Not:
		return s.open(todo.and(part(e.X, !g.holds)), later, known)
	case *expr.Negation:
		return s.open(todo.and(part(e.X, !g.holds)), later, known)
	case *expr.Holds:
		x := e.X
		if text, ok := x.(*expr.Str); ok {
			x = text.X
		}
		if x.Type() == types.Bool { // the text of a bool counts as the bool does
			return s.open(todo.and(part(x, g.holds)), later, known)
		}
	}
	if test, ok := g.cond.(*expr.Test); ok && (test.Name == "defined" || test.Name == "undefined") {
		if n := g.in.byID[outputOf(test.X)]; n != nil {
			ran := (test.Name == "defined") != test.Not
			return s.open(todo.and(goal{in: g.in, node: n, holds: ran == g.holds}), later, known)
		}
	}
	yes, no := walker{}.walk(g.cond, facts{})
	if !g.holds {
		yes = no
	}
	later = g.in.proven(yes, later)
	if g.in.propertyOf(g.whole).acts {
		return s.open(todo, later, known)
	}
	v := reading{g.whole.Span()}.of(g.cond).truth
	demanded := v.yes
	if !g.holds {
		demanded = v.no
	}
	together := both(&known, demanded)
	if together == nil {
		return false
	}
	s.steps -= len(*together) / 4 // to put them together took as long
	return s.open(todo, later, *together)
}

// connective takes a condition of two operands apart: the second one counts only if the
// first does not decide.
func (s *search) connective(op expr.LogicOp, x, y expr.Expr, g goal, todo, later *goals, known texts) bool {
	part := func(e expr.Expr, holds bool) goal { g.cond, g.holds = e, holds; return g }
	decides := op == expr.Or
	if g.holds == decides && s.open(todo.and(part(x, decides)), later, known) {
		return true
	}
	return s.open(todo.and(part(y, g.holds)).and(part(x, !decides)), later, known)
}
