package explore

import (
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Samples represent an unknown value. A guard can distinguish values only by
// comparing them. So these values are enough: each constant, and between two
// constants, below and above all, as many different values as there are variables
// that are compared with each other. For every order of those variables, some of
// the samples have it.

// A family is a set of slots that guards compare with each other, and the constants
// that they are compared with.
type family struct {
	slots     []int
	constants []value
	// ordered says that a guard asks which is less. whole says that one of the
	// slots is for whole numbers only.
	ordered, whole bool
}

// mostRelated bounds how many variables are compared with each other for their
// values to be tried.
const mostRelated = 6

// chooseSamples chooses the samples of all slots.
func (m *model) chooseSamples() {
	of := make([]*family, len(m.slots))
	for i := range of {
		of[i] = &family{slots: []int{i}}
	}
	m.visitExpressions(func(e expr.Expr) {
		c, ok := e.(*expr.Compare)
		if !ok {
			return
		}
		x, y := m.findSlot(c.X), m.findSlot(c.Y)
		if x >= 0 && y >= 0 && of[x] != of[y] {
			from, to := of[x], of[y]
			to.slots = append(to.slots, from.slots...)
			to.constants = append(to.constants, from.constants...)
			to.ordered = to.ordered || from.ordered
			for _, slot := range from.slots {
				of[slot] = to
			}
		}
		if x >= 0 && x == y { // any value makes the difference
			of[x].constants = append(of[x].constants, value{kind: number}, value{kind: text})
		}
		for _, pair := range [][2]expr.Expr{{c.X, c.Y}, {c.Y, c.X}} {
			if slot := m.findSlot(pair[0]); slot >= 0 {
				of[slot].constants = append(of[slot].constants, m.possibleConstants(pair[1])...)
				of[slot].ordered = of[slot].ordered || c.Op >= expr.ValueLess && c.Op <= expr.ValueGreaterEqual
			}
		}
	})
	m.addKnownConstants(of)
	for i := range m.slots {
		of[i].whole = of[i].whole || types.WithoutNull(m.slots[i].typ) == types.Int
	}
	for i := range m.slots {
		s := &m.slots[i]
		if s.samples = of[i].slotSamples(s.typ); len(s.samples) > 0 {
			s.orNull = append(slices.Clone(s.samples), value{kind: null})
		}
	}
}

// addKnownConstants adds the values that variables are known to have, at first or after a
// handler, where they are compared with other variables.
func (m *model) addKnownConstants(of []*family) {
	add := func(slot int, v value) {
		if f := of[slot]; len(f.slots) > 1 && v.isKnown() {
			f.constants = append(f.constants, v)
		}
	}
	for slot, s := range m.slots {
		add(slot, s.initial)
	}
	for _, n := range m.nodes {
		for _, h := range n.Handlers {
			for _, a := range h.Assigns {
				if a.Field == nil {
					continue
				}
				slot, read := m.variables[a.Field.Name]
				if _, isSaid := a.Value.(*expr.Said); !read || a.Append {
					continue
				} else if isSaid && givesOnlyLabel(n) {
					add(slot, valueFromText(a.Field, value{kind: unknown}, h.Label))
				} else if !isSaid {
					add(slot, assignedValue(a, value{kind: unknown}))
				}
			}
		}
	}
}

// possibleConstants are the values that an expression can have by its form.
func (m *model) possibleConstants(e expr.Expr) []value {
	switch e := e.(type) {
	case *expr.Literal:
		return []value{literalValue(e)}
	case *expr.LastLabel:
		var list []value
		if at, known := m.byID[e.Node]; known {
			for _, l := range m.nodes[at].Labels {
				list = append(list, value{kind: text, text: l.Name})
			}
		}
		return list
	case *expr.Progress:
		var list []value
		if e.Measure == expr.CurrentNode {
			for _, n := range m.nodes {
				list = append(list, value{kind: text, text: n.ID})
			}
		}
		return list
	}
	return nil
}

// visitExpressions calls visit for every expression in the graph's guards.
func (m *model) visitExpressions(visit func(expr.Expr)) {
	walk := func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool { visit(e); return true })
	}
	for _, e := range m.graph.Start {
		walk(e.Guard)
	}
	for _, n := range m.nodes {
		for _, e := range n.Out {
			walk(e.Guard)
		}
		if d, ok := n.Action.(*ir.Decision); ok {
			walk(d.Cond)
		}
	}
	for _, in := range m.graph.Interrupts {
		walk(in.When)
	}
	for _, goal := range m.graph.Goals {
		walk(goal.Cond)
	}
}

// slotSamples returns the family's samples for one of its slots.
func (f *family) slotSamples(t types.Type) []value {
	t = types.WithoutNull(t)
	switch e, isEnum := t.(*types.Enum); {
	case isEnum:
		var list []value
		for _, v := range e.Values {
			list = append(list, value{kind: text, text: v})
		}
		return list
	case t == types.Bool:
		return []value{booleanValue(true), booleanValue(false)}
	case len(f.slots) > mostRelated || len(f.slots) == 1 && len(f.constants) == 0:
		return nil
	case types.IsNumber(t):
		return f.numberSamples(t == types.Int)
	case types.IsText(t):
		return f.textSamples()
	}
	return nil
}

// numberSamples returns the constants and len(f.slots) numbers in each gap between them.
func (f *family) numberSamples(whole bool) []value {
	var list []float64
	for _, c := range f.constants {
		if c.kind == number {
			list = append(list, c.number)
		}
	}
	if len(list) == 0 {
		list = []float64{0}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if f.whole {
		list = f.addWholeNumbers(list)
	}
	var all []float64
	for k := range f.slots {
		all = append(all, list[0]-distinguishableStep(list[0])*float64(len(f.slots)-k))
	}
	for i, at := range list {
		all = append(all, at)
		for k := range f.slots {
			if i+1 < len(list) {
				all = append(all, f.sampleBetween(at, list[i+1], k))
			} else {
				all = append(all, at+distinguishableStep(at)*float64(k+1))
			}
		}
	}
	var out []value
	for _, n := range all {
		if whole {
			n = math.Floor(n)
		}
		if v := (value{kind: number, number: n}); !math.IsInf(n, 0) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// addWholeNumbers adds the whole numbers between two constants, where there are some but
// fewer than slots: there whole numbers and others can take turns.
func (f *family) addWholeNumbers(list []float64) []float64 {
	var out []float64
	for i, at := range list {
		out = append(out, at)
		if i+1 == len(list) {
			break
		}
		first, last := math.Floor(at)+1, math.Ceil(list[i+1])-1
		if last-first+1 >= float64(len(f.slots)) {
			continue
		}
		for n := first; n <= last; n++ {
			out = append(out, n)
		}
	}
	return out
}

// sampleBetween returns the k-th sample between two constants: a whole number when
// there are enough of them.
func (f *family) sampleBetween(low, high float64, k int) float64 {
	first, last := math.Floor(low)+1, math.Ceil(high)-1
	if last-first+1 >= float64(len(f.slots)) && first > low && first+float64(k) < high {
		return first + float64(k)
	}
	return low + (high-low)*float64(k+1)/float64(len(f.slots)+1)
}

// distinguishableStep is one from a number that makes another one of it.
func distinguishableStep(f float64) float64 {
	if math.Abs(f) < 1<<52 {
		return 1
	}
	return math.Abs(f) / 2
}

// textSamples returns the string constants and len(f.slots) other strings. It adds those in
// each gap between constants only if guards compare the order of strings.
func (f *family) textSamples() []value {
	var list []string
	for _, c := range f.constants {
		if c.kind == text {
			list = append(list, c.text)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	all := slices.Clone(list)
	if len(list) == 0 || list[0] != "" {
		all = append(all, "")
	}
	for i, at := range list {
		if !f.ordered && i+1 < len(list) {
			continue
		}
		for k := range f.slots {
			next := at + strings.Repeat("…", k+1)
			if i+1 < len(list) && next >= list[i+1] {
				// Nothing is less that is greater than at and longer.
				next = at + strings.Repeat("\x00", k+1)
			}
			if i+1 < len(list) && next >= list[i+1] {
				break
			}
			all = append(all, next)
		}
	}
	for k := range f.slots {
		if last := len(list) - 1; last < 0 {
			all = append(all, strings.Repeat("…", k+1))
		} else if next := strings.Repeat("\x00", k); f.ordered && next < list[0] {
			all = append(all, next)
		}
	}
	slices.Sort(all)
	var out []value
	for _, s := range slices.Compact(all) {
		out = append(out, value{kind: text, text: s})
	}
	return out
}
