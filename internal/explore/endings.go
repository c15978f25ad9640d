package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// An ending is a way for a node to end in which all values are known: a visit
// without its edge.
type ending struct {
	visit  Visit
	values []value
	weight int
}

// nodeEndings returns the ways for a node to end that are tried.
func (r *replayed) nodeEndings(n *ir.Node, values []value, cost int) []ending {
	var list []ending
	add := func(label string, g Give) {
		e := ending{visit: Visit{Node: n, Label: label, Give: g}, weight: 1, values: slices.Clone(values)}
		r.applyEnding(&e, &e.visit, cost)
		list = append(list, e)
	}
	switch a := n.Action.(type) {
	case *ir.Decision:
		s := &scene{model: r.model, values: values, current: n.ID}
		if holds, known := s.decideCondition(a.Cond); known && len(n.Labels) == 2 {
			add(n.Labels[map[bool]int{true: 0, false: 1}[holds]].Name, Give{})
		}
	case *ir.Parallel:
		return r.parallelEndings(n, a, values, cost)
	default:
		for _, l := range n.Labels {
			for _, g := range r.model.possibleReplies(n, l.Name) {
				add(l.Name, g)
			}
		}
	}
	return list
}

// applyEnding performs the effects of a node's end: its label, its handlers and the count
// of nodes.
func (r *replayed) applyEnding(e *ending, v *Visit, cost int) {
	m := r.model
	if slot, read := m.labels[v.Node.ID]; read {
		e.values[slot] = textOf(v.Label)
	}
	if slot, read := m.measures[expr.Iteration]; read {
		e.values[slot] = value{kind: number, number: float64(cost + e.weight)}
	}
	for _, h := range v.Node.Handlers {
		if h.Label != v.Label {
			continue
		}
		for _, a := range h.Assigns {
			if a.Field == nil {
				continue
			}
			if slot, read := m.variables[a.Field.Name]; read {
				e.values[slot] = m.slots[slot].reduceValue(valueAfterAssign(a, e.values[slot], v))
			}
		}
	}
}

// valueAfterAssign is the value of a variable after an assignment.
func valueAfterAssign(a *ir.Assign, old value, v *Visit) value {
	if _, isSaid := a.Value.(*expr.Said); isSaid && !a.Append {
		return valueFromText(a.Field, old, v.Give.handlerText(v.Node, v.Label))
	}
	return assignedValue(a, old)
}

// reduceValue returns as much of a value as the slot is for.
func (s *slot) reduceValue(v value) value {
	if s.presence && v.kind != null {
		return value{kind: present}
	}
	return v
}

// mostBranched is the maximum number of combinations of branches' ends; beyond it,
// one branch at a time ends with another label than its first.
const mostBranched = 512

// parallelEndings returns the ways for a parallel to end.
func (r *replayed) parallelEndings(n *ir.Node, p *ir.Parallel, values []value, cost int) []ending {
	options := make([][]Visit, len(p.Branches))
	total := 1
	for i, b := range p.Branches {
		for _, l := range b.Labels {
			for _, g := range r.model.possibleReplies(b, l.Name) {
				options[i] = append(options[i], Visit{Node: b, Label: l.Name, Give: g})
			}
		}
		if n.FailureLabel() != "" {
			options[i] = append(options[i], Visit{Node: b, Give: Give{Fails: true}})
		}
		total = min(total*max(len(options[i]), 1), mostBranched+1)
		if len(options[i]) == 0 {
			return nil
		}
	}
	var list []ending
	add := func(choice []int) {
		e := ending{visit: Visit{Node: n, Label: n.PassLabel()}, weight: 1, values: slices.Clone(values)}
		for i, k := range choice {
			b := options[i][k]
			e.visit.Branches = append(e.visit.Branches, b)
			if b.Give.Fails {
				e.visit.Label = n.FailureLabel()
			} else {
				e.weight++
			}
		}
		for i := range e.visit.Branches {
			if b := &e.visit.Branches[i]; !b.Give.Fails {
				r.applyEnding(&e, b, cost)
			}
		}
		r.applyEnding(&e, &e.visit, cost)
		list = append(list, e)
	}
	choice := make([]int, len(options))
	if total > mostBranched {
		add(choice)
		for i := range options {
			for k := 1; k < len(options[i]); k++ {
				choice[i] = k
				add(choice)
			}
			choice[i] = 0
		}
		return list
	}
	for {
		add(choice)
		i := 0
		for i < len(choice) && choice[i] == len(options[i])-1 {
			choice[i] = 0
			i++
		}
		if i == len(choice) {
			return list
		}
		choice[i]++
	}
}

// jsonValue is a known value as JSON has it.
func (v value) jsonValue() any {
	switch v.kind {
	case boolean:
		return v.number != 0
	case number:
		return v.number
	case text:
		return v.text
	}
	return nil
}

// inputValue is the value that an input has.
func inputValue(v any) value {
	switch v := v.(type) {
	case bool:
		return booleanValue(v)
	case float64:
		return value{kind: number, number: v}
	case string:
		return textOf(v)
	}
	return value{kind: present}
}
