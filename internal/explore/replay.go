package explore

import (
	"container/heap"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A replayed is a second exploration of a graph, in which every value is known: where the
// first has an unknown one, this tries strings that an agent, a script or a person could
// give, and values of inputs. So it finds fewer paths, but each of them can be replayed.
type replayed struct {
	model *model
	walk  *walk // for short names of configurations
	bound int
	// horizon is how many nodes may end, or 0 for any number.
	horizon int
	moments []moment
	known   map[string]int
	queue   agenda
	deeds   []deed
	// found are the first deeds for each target.
	found map[Target]int
	// home and astray are, by moment, the deeds that lead nearest to an end, and to
	// a place without an edge; -1 when none does.
	home, astray []int
}

// A moment is a configuration in which all values are known.
type moment struct {
	node   int
	values []value
	cost   int
	from   int // a deed, or -1
	inputs map[string]any
	done   bool
}

// A deed is a visit and where it leads: to a moment, end or nowhere.
type deed struct {
	from, to int
	visit    Visit
	weight   int
	finish   Finish
}

// farthest bounds the nodes that end in a run when guards count them and the
// graph has no limit.
const farthest = 60

func replayGraph(g *ir.Graph, bound int) *replayed {
	m := newModel(g, false)
	r := &replayed{model: m, walk: newWalk(m, bound), bound: bound, known: map[string]int{}, found: map[Target]int{}, horizon: g.Limits.Iterations}
	if _, counts := m.measures[expr.Iteration]; counts && r.horizon == 0 {
		r.horizon = farthest
	}
	r.findStartMoments()
	for r.queue.Len() > 0 && len(r.moments) < r.bound {
		at := heap.Pop(&r.queue).(entry)
		if mo := &r.moments[at.config]; mo.done || mo.cost != at.cost {
			continue
		}
		r.moments[at.config].done = true
		r.expandMoment(at.config)
	}
	r.home = r.shortestDeedsToward(func(d *deed) bool { return d.to == end })
	r.astray = r.shortestDeedsToward(func(d *deed) bool { return d.to == nowhere })
	return r
}

// mostInputs bounds the combinations of inputs that are tried.
const mostInputs = 256

// findStartMoments finds the moments with which runs begin: one for each value of an input
// that a guard can distinguish.
func (r *replayed) findStartMoments() {
	m := r.model
	values := make([]value, len(m.slots))
	for i, s := range m.slots {
		values[i] = s.initial
	}
	for measure, slot := range m.measures {
		if measure == expr.Iteration || measure == expr.CostUSD {
			values[slot] = value{kind: number}
		}
	}
	inputs := map[string]any{}
	var open []int
	name := map[int]string{}
	if m.graph.State != nil {
		for _, f := range m.graph.State.Fields {
			in, ok := f.Initial.(*expr.Input)
			if !ok {
				continue
			}
			inputs[in.Name] = exampleValue(in.Typ)
			if slot, read := m.variables[f.Name]; read && len(m.slots[slot].samples) > 0 {
				open, name[slot] = append(open, slot), in.Name
			} else if read {
				values[slot] = inputValue(inputs[in.Name])
			}
		}
	}
	var try func(open []int, values []value, inputs map[string]any)
	left := mostInputs
	try = func(open []int, values []value, inputs map[string]any) {
		if len(open) == 0 {
			if left--; left >= 0 {
				r.startRun(values, inputs)
			}
			return
		}
		for _, v := range m.slots[open[0]].samples {
			next := append([]value(nil), values...)
			next[open[0]] = v
			with := map[string]any{name[open[0]]: v.jsonValue()}
			for k, old := range inputs {
				if _, set := with[k]; !set {
					with[k] = old
				}
			}
			try(open[1:], next, with)
		}
	}
	try(open, values, inputs)
}

// startRun begins a run with values.
func (r *replayed) startRun(values []value, inputs map[string]any) {
	s := &scene{model: r.model, values: values}
	if e, ok := s.firstHoldingEdge(r.model.graph.Start); ok && e != nil && e.To != nil {
		if at, known := r.model.index[e.To]; known {
			r.reachMoment(moment{node: at, values: values, from: -1, inputs: inputs})
		}
	}
}

// firstHoldingEdge returns the first edge that holds, nil when none does; ok is false when
// that is not known.
func (s *scene) firstHoldingEdge(edges []*ir.Edge) (e *ir.Edge, ok bool) {
	for _, e := range edges {
		holds, known := s.decideCondition(e.Guard)
		if !known || holds {
			return e, known
		}
	}
	return nil, true
}

// decideCondition decides a condition; nil holds.
func (s *scene) decideCondition(cond expr.Expr) (holds, known bool) {
	if cond == nil {
		return true, true
	}
	v := s.eval(cond)
	return v.mayHold(), v.kind == boolean
}

func (r *replayed) reachMoment(mo moment) int {
	name := r.walk.configName(mo.node, mo.values)
	id, known := r.known[name]
	if !known {
		id = len(r.moments)
		r.known[name] = id
		r.moments = append(r.moments, mo)
	} else if old := &r.moments[id]; mo.cost < old.cost && !old.done {
		*old = mo
	} else {
		return id
	}
	heap.Push(&r.queue, entry{mo.cost, id})
	return id
}

// expandMoment tries everything that can follow a moment.
func (r *replayed) expandMoment(id int) {
	mo := r.moments[id]
	n := r.model.nodes[mo.node]
	s := &scene{model: r.model, values: mo.values, current: n.ID}
	var before []string
	for _, in := range r.model.graph.Interrupts {
		if in.Node != n || in.After {
			continue
		}
		asked, known := s.decideCondition(in.When)
		switch {
		case !known:
			return
		case !asked:
			continue
		case !in.Required && in.Skip != nil:
			answers := append(append([]string(nil), before...), "skip")
			r.addDeed(id, mo.values, Visit{Node: n, Before: answers, Edge: in.Skip}, 0)
		}
		before = append(before, "yes")
	}
	for _, e := range r.nodeEndings(n, mo.values, mo.cost) {
		e.visit.Before = before
		r.followEnding(id, e)
	}
}

// followEnding chooses the edge of a node that has ended and asks the interrupts behind
// it.
func (r *replayed) followEnding(id int, e ending) {
	n, v := e.visit.Node, &e.visit
	s := &scene{model: r.model, values: e.values, ended: n.ID, label: v.Label, current: n.ID}
	edge, known := s.firstHoldingEdge(n.Out)
	if !known {
		return
	}
	v.Edge = edge
	for _, in := range r.model.graph.Interrupts {
		if in.Node != n || !in.After || edge == nil {
			continue
		}
		asked, known := s.decideCondition(in.When)
		if !known {
			return
		}
		if asked {
			v.After = append(v.After, "yes")
		}
	}
	r.addDeed(id, e.values, *v, e.weight)
}

// addDeed adds a deed: a visit that is over and continues along its edge.
func (r *replayed) addDeed(from int, values []value, v Visit, weight int) {
	mo := &r.moments[from]
	d := deed{from: from, to: nowhere, visit: v, weight: weight, finish: NoEdge}
	s := &scene{model: r.model, values: values, ended: v.Node.ID, label: v.Label, current: v.Node.ID}
	if v.Label == "" {
		s.ended = ""
	}
	met, known := len(r.model.graph.Goals) == 0, true
	for _, g := range r.model.graph.Goals {
		holds, sure := s.decideCondition(g.Cond)
		met, known = met || holds && sure, known && sure
	}
	switch {
	case v.Edge == nil && !met && !known, v.Edge != nil && v.Edge.To == nil && !met && !known:
		return
	case v.Edge == nil && len(r.model.graph.Goals) == 0, v.Edge == nil && !met:
	case v.Edge == nil || v.Edge.To == nil:
		d.to, d.finish = end, Success
		if !met {
			d.finish = Unsuccessful
		}
	}
	id := len(r.deeds)
	if v.Edge != nil && v.Edge.To != nil {
		at, inside := r.model.index[v.Edge.To]
		if !inside {
			return
		}
		d.to, d.finish = nowhere, Limited
		if cost := mo.cost + weight; r.horizon == 0 || cost < r.horizon {
			d.to = r.reachMoment(moment{node: at, values: values, cost: cost, from: id, inputs: mo.inputs})
		}
	}
	r.deeds = append(r.deeds, d)
	r.keepFirstDeed(Target{v.Node, v.Label, v.Edge}, id)
	for _, b := range v.Branches {
		r.keepFirstDeed(Target{Node: b.Node, Label: b.Label}, id)
	}
}

// keepFirstDeed keeps the first deed for a target: deeds are found cheapest first.
func (r *replayed) keepFirstDeed(t Target, deed int) {
	if _, known := r.found[t]; !known {
		r.found[t] = deed
	}
}

// shortestDeedsToward finds for each moment the deed that leads on the shortest way to one of
// some deeds.
func (r *replayed) shortestDeedsToward(last func(*deed) bool) []int {
	best, far := make([]int, len(r.moments)), make([]int, len(r.moments))
	for i := range best {
		best[i] = -1
	}
	into := make([][]int, len(r.moments))
	var queue agenda
	try := func(id, length int) {
		if at := r.deeds[id].from; best[at] < 0 || length < far[at] {
			best[at], far[at] = id, length
			heap.Push(&queue, entry{length, at})
		}
	}
	for id := range r.deeds {
		d := &r.deeds[id]
		if d.to >= 0 {
			into[d.to] = append(into[d.to], id)
		} else if d.finish != Limited && last(d) {
			try(id, d.weight)
		}
	}
	for queue.Len() > 0 {
		e := heap.Pop(&queue).(entry)
		if far[e.config] != e.cost {
			continue
		}
		for _, id := range into[e.config] {
			try(id, e.cost+r.deeds[id].weight)
		}
	}
	return best
}

// buildTest returns the test for a target: the cheapest way to it, and the shortest on
// from there.
func (r *replayed) buildTest(t Target) (Test, bool) {
	at, known := r.found[t]
	if !known {
		return Test{}, false
	}
	var way []int
	for d := at; d >= 0; d = r.moments[r.deeds[d].from].from {
		way = append([]int{d}, way...)
	}
	test := Test{Target: t, Inputs: r.moments[r.deeds[at].from].inputs}
	number, ended := 0, 0
	take := func(d *deed) {
		v := d.visit
		number++
		v.Number = number
		v.Branches = append([]Visit(nil), v.Branches...)
		for i := range v.Branches {
			number++
			v.Branches[i].Number = number
		}
		test.Visits = append(test.Visits, v)
		ended += d.weight
	}
	for _, d := range way {
		take(&r.deeds[d])
	}
	d := &r.deeds[at]
	for d.to >= 0 {
		limit := r.model.graph.Limits.Iterations
		if d.weight > 0 && limit > 0 && ended >= limit {
			test.Finish = Limited
			return test, true
		}
		next := r.home[d.to]
		if next < 0 {
			next = r.astray[d.to]
		}
		if next < 0 {
			// The run is stopped here.
			if d.weight > 0 {
				test.Finish, test.Limit = Limited, ended
				return test, true
			}
			if next = r.firstPerformingDeed(d.to); next < 0 {
				return Test{}, false
			}
		}
		d = &r.deeds[next]
		take(d)
	}
	if test.Finish = d.finish; d.finish == Limited {
		test.Limit = ended
	}
	return test, true
}

// firstPerformingDeed returns a deed of a moment in which its node is not skipped, or -1.
func (r *replayed) firstPerformingDeed(id int) int {
	for i := range r.deeds {
		if d := &r.deeds[i]; d.from == id && d.weight > 0 {
			return i
		}
	}
	return -1
}
