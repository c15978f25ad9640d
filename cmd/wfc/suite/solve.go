package suite

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// A solution is a list of flips that together may lead to something. Solutions are guesses:
// the run shows whether they were right.

// mostSolutions bounds the solutions of one condition or way.
const mostSolutions = 24

// both returns the combinations of two lists of solutions, without those that contradict
// themselves. An empty list has no solution.
func both(a, b [][]flip) (list [][]flip) {
	for _, x := range a {
		for _, y := range b {
			if joined, ok := join(x, y); ok {
				list = append(list, joined)
			}
			if len(list) >= mostSolutions {
				return list
			}
		}
	}
	return list
}

// join returns the flips of two solutions; ok is false if they set one place to different
// values.
func join(a, b []flip) (list []flip, ok bool) {
	list = slices.Clone(a)
	for _, f := range b {
		i := slices.IndexFunc(list, func(g flip) bool { return g.slot == f.slot && g.at == f.at && slices.Equal(g.path, f.path) })
		switch {
		case i < 0:
			list = append(list, f)
		case encode(list[i].to.written(f.slot.kind)) != encode(f.to.written(f.slot.kind)) || list[i].to.absent != f.to.absent:
			return nil, false
		}
	}
	return list, true
}

// either returns the solutions of all lists, those with the fewest flips first.
func either(lists ...[][]flip) [][]flip {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b []flip) int { return len(a) - len(b) })
	return list[:min(len(list), mostSolutions)]
}

// always are the solutions of something that needs no flip: one without flips.
func always() [][]flip { return [][]flip{nil} }

// solve returns solutions for a result of a condition.
func (m *model) solve(s *scope, e expr.Expr, want bool) [][]flip {
	if e == nil {
		if want {
			return always()
		}
		return nil
	}
	op, inner, negated := operands(e)
	switch {
	case negated:
		return m.solve(s, inner[0], !want)
	case inner == nil:
		var sure, maybe [][]flip
		for _, o := range m.leaf(s, e) {
			switch {
			case o.known && o.truth == want:
				sure = append(sure, []flip{o.flip})
			case !o.known:
				maybe = append(maybe, []flip{o.flip})
			}
		}
		list := append(sure, maybe...)
		if len(sure) == 0 {
			list = append(always(), list...)
		}
		return list[:min(len(list), mostSolutions)]
	case (op == expr.And) == want:
		return both(m.solve(s, inner[0], want), m.solve(s, inner[1], want))
	}
	return either(m.solve(s, inner[0], want), both(m.solve(s, inner[0], !want), m.solve(s, inner[1], want)))
}

// evaluate returns solutions in which a condition evaluates one of its terms with a result,
// and the term decides as far as possible.
func (m *model) evaluate(s *scope, e, term expr.Expr, want bool) [][]flip {
	op, inner, negated := operands(e)
	switch {
	case inner == nil && e == term:
		return m.solve(s, e, want)
	case inner == nil:
		return nil
	case negated:
		return m.evaluate(s, inner[0], term, want)
	}
	neutral := op == expr.And // the value of the other operand that lets this one decide
	if first := m.evaluate(s, inner[0], term, want); first != nil {
		return either(both(first, m.solve(s, inner[1], neutral)), first)
	}
	return both(m.evaluate(s, inner[1], term, want), m.solve(s, inner[0], neutral))
}

// reach returns solutions with which a node runs.
func (m *model) reach(pl *place) [][]flip {
	if pl == nil {
		return always()
	}
	if s, ok := m.solved[pl]; ok {
		return s
	}
	if m.reaching[pl] {
		return always()
	}
	m.reaching[pl] = true
	defer delete(m.reaching, pl)
	n := pl.node
	list := m.reach(pl.outer)
	var needs []*place
	for _, need := range n.Needs {
		if dep := pl.scope.places[need.Node.ID]; dep != nil && !need.Order {
			needs = append(needs, dep)
		}
	}
	if n.Within != nil {
		needs = append(needs, pl.scope.places[n.Within.ID])
	}
	switch n.Trigger {
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		var some [][]flip
		for _, dep := range needs {
			some = either(some, m.reach(dep))
		}
		if len(needs) > 0 {
			list = both(list, some)
		}
	case ir.AllDone:
	default:
		for _, dep := range needs {
			list = both(list, m.reach(dep))
		}
	}
	list = both(list, m.solve(pl.scope, n.When, true))
	list = list[:min(len(list), mostSolutions/2)]
	m.solved[pl] = list
	return list
}

// skip returns solutions with which a node is skipped.
func (m *model) skip(pl *place, depth int) (list [][]flip) {
	if pl == nil || depth > deepest {
		return nil
	}
	n := pl.node
	if n.Given != nil {
		list = append(list, []flip{m.givenFlip(n.Given)})
	}
	if n.SkipTimeout {
		for _, at := range m.slotsOf(pl) {
			list = append(list, []flip{late(m.producers[at])})
		}
	}
	if n.When != nil {
		needs := always()
		for _, need := range n.Needs {
			needs = both(needs, m.reach(pl.scope.places[need.Node.ID]))
		}
		list = either(list, both(needs, m.solve(pl.scope, n.When, false)))
	}
	for _, need := range n.Needs {
		dep := pl.scope.places[need.Node.ID]
		if n.Trigger != ir.AllDone {
			list = either(list, m.skip(dep, depth+1), m.fail(dep, depth+1))
		}
	}
	return list
}

// fail returns solutions with which a node fails.
func (m *model) fail(pl *place, depth int) (list [][]flip) {
	if pl == nil || depth > deepest {
		return nil
	}
	here := m.reach(pl)
	for _, at := range m.slotsOf(pl) {
		p := m.producers[at]
		list = append(list, both(here, [][]flip{{failing(p)}})...)
		if p.test {
			list = append(list, both(here, [][]flip{{flip{slot: at, at: every, to: give{exit: 1}, text: shown(pl.key) + " never ends"}}})...)
		}
		if p.signal != "" || p.field != "" {
			list = append(list, both(here, [][]flip{{unsaid(p)}})...)
		}
	}
	if a, ok := pl.node.Action.(*ir.Repeat); ok {
		list = append(list, both(here, m.solve(pl.scope, a.Cond, !a.Until))...)
	}
	for _, inner := range pl.inner {
		list = append(list, m.fail(inner, depth+1)...)
	}
	return list[:min(len(list), mostSolutions)]
}

// slotsOf returns the slots of the producers of a node itself.
func (m *model) slotsOf(pl *place) (list []slot) {
	for _, at := range m.order {
		if p := m.producers[at]; p.place == pl {
			list = append(list, at)
		}
	}
	return list
}

// failing lets a producer fail.
func failing(p *producer) flip {
	to := give{fail: "It failed.", class: "fatal"}
	if p.slot.kind != "agents" {
		to = give{fail: "It failed.", exit: 1}
	}
	return flip{slot: p.slot, at: every, to: to, text: shown(p.slot.key) + " fails"}
}

// late lets a producer take longer than any limit.
func late(p *producer) flip {
	return flip{slot: p.slot, at: every, to: give{data: p.word(), delay: "240h"}, text: shown(p.slot.key) + " takes too long"}
}

// unsaid lets a producer not say the word that ends its loop.
func unsaid(p *producer) flip {
	if p.field != "" {
		return flip{slot: p.slot, at: every, path: []string{p.field}, to: give{data: false, structured: true}, text: shown(p.slot.key) + " does not end its loop"}
	}
	return flip{slot: p.slot, at: every, to: give{data: p.word()}, text: shown(p.slot.key) + " does not end its loop"}
}
