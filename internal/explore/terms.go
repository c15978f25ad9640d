package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// Results are the results that a term can have in some run. A term that no run evaluates has
// none.
type Results struct{ True, False bool }

// Terms returns the possible results of the terms of all guards and goals: of each operand of
// `&&`, `||` and `!` that has no operands itself. A term that is not possible never has the
// result, unless an option of the run ends it elsewhere, as --promise does. A possible result
// may still be impossible.
func (r *Result) Terms() map[expr.Expr]Results {
	o := observer{}
	g := r.walk.model.graph
	o.addTerms(ir.Guards(g.Start)...)
	for _, n := range g.Nodes {
		o.addTerms(ir.Guards(n.Out)...)
	}
	for _, goal := range g.Goals {
		o.addTerms(goal.Cond)
	}
	w := r.walk
	o.observeLeaving(&scene{model: w.model, values: w.begun}, w.model.starts, g.Start, w.empty)
	for id := range w.configs {
		c := &w.configs[id]
		n := w.model.nodes[c.node]
		for s := c.first; s < c.last; s++ {
			st := &w.steps[s]
			at := r.sceneAfterStep(s)
			if w.joined {
				at.most = fewSamples
			}
			// The steps of one end of a node are behind each other.
			if st.label != "" && (s == c.first || w.steps[s-1].label != st.label || !slices.Equal(w.steps[s-1].values, st.values)) {
				o.observeLeaving(at, w.model.reads[c.node], n.Out, false)
			}
			if st.to == end {
				o.observeGoals(at)
			}
		}
	}
	return o
}

// An observer collects the results of terms.
type observer map[expr.Expr]Results

// addTerms adds the terms of conditions, without results.
func (o observer) addTerms(conditions ...expr.Expr) {
	for _, e := range conditions {
		switch e := e.(type) {
		case nil:
		case *expr.Not:
			o.addTerms(e.X)
		case *expr.Logic:
			o.addTerms(e.X, e.Y)
		default:
			o[e] = Results{}
		}
	}
}

// observeLeaving observes the choice of an edge, and the goals if possibly no edge holds or if ends
// says that an edge leads to the end.
func (o observer) observeLeaving(s *scene, reads []int, edges []*ir.Edge, ends bool) {
	s.visitSamples(reads, func(at *scene, _ bool) {
		for _, e := range edges {
			if e.Guard == nil {
				return
			}
			if v := o.observeCondition(at, e.Guard); v.kind == boolean && v.mayHold() {
				return
			}
		}
		ends = true
	})
	if ends {
		o.observeGoals(s)
	}
}

// observeGoals observes the goals up to the first that surely holds.
func (o observer) observeGoals(s *scene) {
	s.visitSamples(s.model.goals, func(at *scene, _ bool) {
		for _, g := range s.model.graph.Goals {
			if v := o.observeCondition(at, g.Cond); v.kind == boolean && v.mayHold() {
				return
			}
		}
	})
}

// observeCondition evaluates a condition from left to right, as a run does.
func (o observer) observeCondition(s *scene, e expr.Expr) value {
	switch e := e.(type) {
	case *expr.Not:
		return negateValue(o.observeCondition(s, e.X))
	case *expr.Logic:
		decides := booleanValue(e.Op == expr.Or)
		if x := o.observeCondition(s, e.X); x == decides {
			return x
		}
		o.observeCondition(s, e.Y)
		return s.eval(e)
	}
	v := s.eval(e)
	results := o[e]
	results.True, results.False = results.True || v.mayHold(), results.False || v.mayFail()
	o[e] = results
	return v
}
