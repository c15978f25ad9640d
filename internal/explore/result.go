package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/graph"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A Result is the result of an exploration.
type Result struct {
	walk *walk
	// Configurations is the number of distinguished configurations.
	Configurations int
	// Bound is how many might have been; when Complete is false there were more,
	// and variables have values only where all ways to a node agree.
	Bound    int
	Complete bool
	// starts are the cheapest configurations of each node, -1 for a node that is
	// not reached.
	first []int
	// leads says for each configuration whether an end is reachable, or a place
	// where no edge holds.
	leads []bool
}

func newResult(w *walk, o Options) *Result {
	r := &Result{walk: w, Configurations: len(w.configs), Bound: o.Configurations, Complete: !w.joined}
	r.first = make([]int, len(w.model.nodes))
	for i := range r.first {
		r.first[i] = -1
	}
	for id, c := range w.configs {
		if at := r.first[c.node]; at < 0 || c.cost < w.configs[at].cost {
			r.first[c.node] = id
		}
	}
	r.findEnds()
	return r
}

// Reached reports whether a node can run. The branches of a parallel can when
// that can.
func (r *Result) Reached(n *ir.Node) bool {
	at, known := r.walk.model.index[n]
	if !known {
		return false
	}
	if r.walk.model.branch[at] {
		for i, p := range r.walk.model.nodes {
			if a, ok := p.Action.(*ir.Parallel); ok && r.first[i] >= 0 && slices.Contains(a.Branches, n) {
				return true
			}
		}
		return false
	}
	return r.first[at] >= 0
}

// Way returns the cheapest way to a node: the nodes that end before it begins.
// It reports false for a node that is not reached, and for a branch.
func (r *Result) Way(n *ir.Node) (Path, bool) {
	at, known := r.walk.model.index[n]
	if !known || r.first[at] < 0 {
		return nil, false
	}
	return r.pathToConfig(r.first[at]), true
}

// Cost is how many nodes end at least before a node begins; -1 when it is not
// reached.
func (r *Result) Cost(n *ir.Node) int {
	at, known := r.walk.model.index[n]
	if !known || r.first[at] < 0 {
		return -1
	}
	return r.walk.configs[r.first[at]].cost
}

// WayOut returns the cheapest way through a node that ends with a label there,
// the node last. It reports false when the node never ends so; it is not for
// branches.
func (r *Result) WayOut(n *ir.Node, label string) (Path, bool) {
	best := -1
	for s, id := range r.walk.allSteps() {
		c := &r.walk.configs[id]
		if r.walk.model.nodes[c.node] == n && r.walk.steps[s].label == label && (best < 0 || c.cost < r.walk.configs[r.walk.steps[best].from].cost) {
			best = s
		}
	}
	if best < 0 {
		return nil, false
	}
	return r.pathThroughStep(best), true
}

// Edges returns the cases at the edges of a node in all reachable configurations.
func (r *Result) Edges(n *ir.Node) *Choice {
	at, known := r.walk.model.index[n]
	if !known {
		return newChoice(n.Out)
	}
	return r.walk.cases[at]
}

// Anywhere returns the cases at the edges of a node if every variable may have any
// value, reachable or not.
func (r *Result) Anywhere(n *ir.Node) *Choice {
	m := r.walk.model
	c := newChoice(n.Out)
	at, known := m.index[n]
	if !known {
		return c
	}
	values := make([]value, len(m.slots))
	for i := range values {
		values[i].kind = present
		_, optional := m.slots[i].typ.(*types.Optional)
		if s := &m.slots[i]; optional || s.initial.kind == null || s.initial.kind == unknown {
			values[i].kind = unknown
		}
	}
	for _, l := range n.Labels {
		s := &scene{model: m, values: values, ended: n.ID, label: l.Name, current: n.ID}
		s.visitSamples(m.reads[at], func(sample *scene, certain bool) {
			here := Case{Label: l.Name, Certain: certain, config: -1, values: values, sampled: sample.values}
			c.decideCase(sample, here, func() (can, must bool) { return m.goalStatus(sample) }, func(int, bool) {})
		})
	}
	return c
}

// Fires reports whether an interrupt can be asked.
func (r *Result) Fires(in *ir.Interrupt) bool { return r.walk.fired[in] }

// findEnds finds the configurations from which an end can be reached or a place
// where no edge holds, following the steps backwards.
func (r *Result) findEnds() {
	w := r.walk
	r.leads = make([]bool, len(w.configs))
	before := make([][]int, len(w.configs))
	var open []int
	for s, id := range w.allSteps() {
		switch to := w.steps[s].to; {
		case to >= 0:
			before[to] = append(before[to], id)
		case !r.leads[id]:
			r.leads[id] = true
			open = append(open, id)
		}
	}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		for _, b := range before[id] {
			if !r.leads[b] {
				r.leads[b] = true
				open = append(open, b)
			}
		}
	}
}

// Trapped returns the cheapest path to a configuration of a node that reaches neither an
// end nor a place where no edge holds, and whether that is so for every configuration of
// the node. It reports nil if there is no such configuration; an empty path that is not
// nil leads to a first node.
func (r *Result) Trapped(n *ir.Node) (way Path, always bool) {
	at := r.walk.model.index[n]
	best, always := -1, true
	for id := range r.walk.configs {
		switch c := &r.walk.configs[id]; {
		case c.node != at:
		case r.leads[id]:
			always = false
		case best < 0 || c.cost < r.walk.configs[best].cost:
			best = id
		}
	}
	if best < 0 {
		return nil, false
	}
	return append(Path{}, r.pathToConfig(best)...), always
}

// Unset returns the cheapest path to a node on which a variable may have no value
// when the node begins. It reports false if there is none, and for a variable that
// begins with a value that no guard reads.
func (r *Result) Unset(n *ir.Node, variable string) (Path, bool) {
	slot, known := r.walk.model.variables[variable]
	at, here := r.walk.model.index[n]
	if !known || !here {
		return nil, false
	}
	best := -1
	for id := range r.walk.configs {
		c := &r.walk.configs[id]
		if v := c.values[slot]; c.node != at || v.kind != null && v.kind != unknown {
			continue
		}
		if best < 0 || c.cost < r.walk.configs[best].cost {
			best = id
		}
	}
	if best < 0 {
		return nil, false
	}
	return r.pathToConfig(best), true
}

// Components are the groups of nodes that can follow each other in cycles, by
// the edges that can be taken, each in definition order.
func (r *Result) Components() [][]*ir.Node {
	w := r.walk
	next := make([][]int, len(w.model.nodes))
	for s, id := range w.allSteps() {
		node := w.configs[id].node
		if to := w.steps[s].to; to >= 0 && !slices.Contains(next[node], w.configs[to].node) {
			next[node] = append(next[node], w.configs[to].node)
		}
	}
	var list [][]*ir.Node
	for _, group := range graph.Components(len(next), func(n int) []int { return next[n] }) {
		if len(group) == 1 && !slices.Contains(next[group[0]], group[0]) {
			continue
		}
		slices.Sort(group)
		var nodes []*ir.Node
		for _, n := range group {
			nodes = append(nodes, w.model.nodes[n])
		}
		list = append(list, nodes)
	}
	return list
}
