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

// combineSolutions returns the combinations of two lists of solutions, without those that contradict
// themselves. An empty list has no solution.
func combineSolutions(a, b [][]flip) (list [][]flip) {
	for _, x := range a {
		for _, y := range b {
			if joined, ok := joinFlips(x, y); ok {
				list = append(list, joined)
			}
			if len(list) >= mostSolutions {
				return list
			}
		}
	}
	return list
}

// joinFlips returns the flips of two solutions; ok is false if they set one place to different
// values.
func joinFlips(a, b []flip) (list []flip, ok bool) {
	list = slices.Clone(a)
	for _, f := range b {
		i := slices.IndexFunc(list, func(g flip) bool { return g.slot == f.slot && g.at == f.at && slices.Equal(g.path, f.path) })
		switch {
		case i < 0:
			list = append(list, f)
		case encodeJSON(list[i].to.testFileValue(f.slot.kind)) != encodeJSON(f.to.testFileValue(f.slot.kind)) || list[i].to.absent != f.to.absent:
			return nil, false
		}
	}
	return list, true
}

// mergeSolutions returns the solutions of all lists, those with the fewest flips first.
func mergeSolutions(lists ...[][]flip) [][]flip {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b []flip) int { return len(a) - len(b) })
	return list[:min(len(list), mostSolutions)]
}

// trivialSolution are the solutions of something that needs no flip: one without flips.
func trivialSolution() [][]flip { return [][]flip{nil} }

// solveCondition returns solutions for a result of a condition.
func (m *model) solveCondition(s *scope, e expr.Expr, want bool) [][]flip {
	if e == nil {
		if want {
			return trivialSolution()
		}
		return nil
	}
	op, inner, negated := conditionOperands(e)
	switch {
	case negated:
		return m.solveCondition(s, inner[0], !want)
	case inner == nil:
		var sure, maybe [][]flip
		for _, o := range m.termOptions(s, e) {
			switch {
			case o.known && o.truth == want:
				sure = append(sure, []flip{o.flip})
			case !o.known:
				maybe = append(maybe, []flip{o.flip})
			}
		}
		list := append(sure, maybe...)
		if len(sure) == 0 {
			list = append(trivialSolution(), list...)
		}
		return list[:min(len(list), mostSolutions)]
	case (op == expr.And) == want:
		return combineSolutions(m.solveCondition(s, inner[0], want), m.solveCondition(s, inner[1], want))
	}
	return mergeSolutions(m.solveCondition(s, inner[0], want), combineSolutions(m.solveCondition(s, inner[0], !want), m.solveCondition(s, inner[1], want)))
}

// solveTerm returns solutions in which a condition evaluates one of its terms with a result,
// and the term decides as far as possible.
func (m *model) solveTerm(s *scope, e, term expr.Expr, want bool) [][]flip {
	op, inner, negated := conditionOperands(e)
	switch {
	case inner == nil && e == term:
		return m.solveCondition(s, e, want)
	case inner == nil:
		return nil
	case negated:
		return m.solveTerm(s, inner[0], term, want)
	}
	neutral := op == expr.And // the value of the other operand that lets this one decide
	if first := m.solveTerm(s, inner[0], term, want); first != nil {
		return mergeSolutions(combineSolutions(first, m.solveCondition(s, inner[1], neutral)), first)
	}
	return combineSolutions(m.solveTerm(s, inner[1], term, want), m.solveCondition(s, inner[0], neutral))
}

// solveReach returns solutions with which a node runs.
func (m *model) solveReach(pl *place) [][]flip {
	if pl == nil {
		return trivialSolution()
	}
	if s, ok := m.solved[pl]; ok {
		return s
	}
	if m.reaching[pl] {
		return trivialSolution()
	}
	m.reaching[pl] = true
	defer delete(m.reaching, pl)
	n := pl.node
	list := m.solveReach(pl.outer)
	var needs []*place
	for _, need := range n.Needs {
		if dep := pl.scope.places[need.Node.ID]; dep != nil && !need.Order {
			needs = append(needs, dep)
		}
	}
	if n.Include != nil {
		needs = append(needs, pl.scope.places[n.Include.ID])
	}
	switch n.Rule {
	case ir.OneSuccess, ir.NoneFailedMinOneSuccess:
		var some [][]flip
		for _, dep := range needs {
			some = mergeSolutions(some, m.solveReach(dep))
		}
		if len(needs) > 0 {
			list = combineSolutions(list, some)
		}
	case ir.AllDone:
	default:
		for _, dep := range needs {
			list = combineSolutions(list, m.solveReach(dep))
		}
	}
	list = combineSolutions(list, m.solveCondition(pl.scope, n.When, true))
	list = list[:min(len(list), mostSolutions/2)]
	m.solved[pl] = list
	return list
}

// solveSkip returns solutions with which a node is skipped.
func (m *model) solveSkip(pl *place, depth int) (list [][]flip) {
	if pl == nil || depth > deepest {
		return nil
	}
	n := pl.node
	if n.Given != nil {
		list = append(list, []flip{m.givenFlip(n.Given)})
	}
	if n.SkipOnTimeout {
		for _, at := range m.slotsOf(pl) {
			list = append(list, []flip{timeoutFlip(m.producers[at])})
		}
	}
	if n.When != nil {
		needs := trivialSolution()
		for _, need := range n.Needs {
			needs = combineSolutions(needs, m.solveReach(pl.scope.places[need.Node.ID]))
		}
		list = mergeSolutions(list, combineSolutions(needs, m.solveCondition(pl.scope, n.When, false)))
	}
	for _, need := range n.Needs {
		dep := pl.scope.places[need.Node.ID]
		if n.Rule != ir.AllDone {
			list = mergeSolutions(list, m.solveSkip(dep, depth+1), m.solveFailure(dep, depth+1))
		}
	}
	return list
}

// solveFailure returns solutions with which a node fails.
func (m *model) solveFailure(pl *place, depth int) (list [][]flip) {
	if pl == nil || depth > deepest {
		return nil
	}
	here := m.solveReach(pl)
	for _, at := range m.slotsOf(pl) {
		p := m.producers[at]
		list = append(list, combineSolutions(here, [][]flip{{failFlip(p)}})...)
		if p.test {
			list = append(list, combineSolutions(here, [][]flip{{flip{slot: at, at: every, to: give{exit: 1}, text: displayKey(pl.key) + " never ends"}}})...)
		}
		if p.signal != "" || p.field != "" {
			list = append(list, combineSolutions(here, [][]flip{{missingWordFlip(p)}})...)
		}
	}
	if a, ok := pl.node.Action.(*ir.Repeat); ok {
		list = append(list, combineSolutions(here, m.solveCondition(pl.scope, a.Cond, !a.Until))...)
	}
	for _, inner := range pl.inner {
		list = append(list, m.solveFailure(inner, depth+1)...)
	}
	return list[:min(len(list), mostSolutions)]
}

// slotsOf returns the slots of the producers of a node itself.
func (m *model) slotsOf(pl *place) []slot {
	return slices.DeleteFunc(slices.Clone(m.order), func(at slot) bool { return m.producers[at].place != pl })
}

// failFlip lets a producer fail.
func failFlip(p *producer) flip {
	to := give{fail: "It failed.", class: "fatal"}
	if p.slot.kind != "agents" {
		to = give{fail: "It failed.", exit: 1}
	}
	return flip{slot: p.slot, at: every, to: to, text: displayKey(p.slot.key) + " fails"}
}

// timeoutFlip lets a producer take longer than any limit.
func timeoutFlip(p *producer) flip {
	return flip{slot: p.slot, at: every, to: give{data: p.defaultWord(), delay: "240h"}, text: displayKey(p.slot.key) + " takes too long"}
}

// missingWordFlip lets a producer not say the word that ends its loop.
func missingWordFlip(p *producer) flip {
	if p.field != "" {
		return flip{slot: p.slot, at: every, path: []string{p.field}, to: give{data: false, structured: true}, text: displayKey(p.slot.key) + " does not end its loop"}
	}
	return flip{slot: p.slot, at: every, to: give{data: p.defaultWord()}, text: displayKey(p.slot.key) + " does not end its loop"}
}
