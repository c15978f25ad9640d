package explore

import (
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// An Ending is a node and label with which a run can end.
type Ending struct {
	Node  *ir.Node
	Label string
	// Meets and Misses are the cheapest paths on which a goal is, or may be, met
	// there, and on which none is, or may be; nil if there is none. Without goals,
	// every ending meets them.
	Meets, Misses Path
}

// Endings returns the endings in definition order of their nodes and labels. The
// cases in which no edge holds, and no goal either, are not among them: those
// runs fail.
func (r *Result) Endings() []Ending {
	type key struct {
		node  int
		label string
	}
	found := map[key]*Ending{}
	cost := map[*Path]int{}
	w := r.walk
	for id := range w.configs {
		c := &w.configs[id]
		for s := c.first; s < c.last; s++ {
			if w.steps[s].to != end {
				continue
			}
			k := key{c.node, w.steps[s].label}
			e := found[k]
			if e == nil {
				e = &Ending{Node: w.model.nodes[c.node], Label: k.label}
				found[k] = e
			}
			keep := func(p *Path, can bool) {
				if old, known := cost[p]; can && (!known || c.cost < old) {
					cost[p], *p = c.cost, r.through(s)
				}
			}
			meets, misses := r.meets(s)
			keep(&e.Meets, meets)
			keep(&e.Misses, misses)
		}
	}
	var list []Ending
	for i, n := range w.model.nodes {
		if e := found[key{i, ""}]; e != nil {
			list = append(list, *e)
		}
		for _, l := range n.Labels {
			if e := found[key{i, l.Name}]; e != nil {
				list = append(list, *e)
			}
		}
	}
	return list
}

// meets reports whether a goal can be met at the end to which a step leads, and
// whether none can be.
func (r *Result) meets(s int) (meets, misses bool) {
	m := r.walk.model
	if len(m.graph.Goals) == 0 {
		return true, false
	}
	can, must := m.goal(r.scene(s))
	if st := &r.walk.steps[s]; st.label != "" && st.edge == nil {
		return true, false // it is the goal that ends the run there
	}
	return can, !must
}

// scene is the scene in which a condition is evaluated at the end of a step.
func (r *Result) scene(s int) *scene {
	m, st := r.walk.model, &r.walk.steps[s]
	id := m.nodes[r.walk.configs[st.from].node].ID
	at := &scene{model: m, values: st.values, current: id}
	if st.label != "" {
		at.ended, at.label = id, st.label
	}
	return at
}

// GoalMet reports whether a goal can be met at some ending.
func (r *Result) GoalMet(g *ir.Goal) bool {
	w := r.walk
	can := func(at *scene) bool {
		met := false
		at.each(w.model.slotsOf([]expr.Expr{g.Cond}, ""), func(sample *scene, _ bool) { met = met || sample.eval(g.Cond).holds() })
		return met
	}
	if w.empty && can(&scene{model: w.model, values: w.begun}) {
		return true
	}
	for id := range w.configs {
		for s := w.configs[id].first; s < w.configs[id].last; s++ {
			if w.steps[s].to == end && can(r.scene(s)) {
				return true
			}
		}
	}
	return false
}
