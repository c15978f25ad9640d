package explore

import (
	"github.com/wfc-lang/wfc/internal/expr"
)

// A scene holds the values for the evaluation of a condition.
type scene struct {
	model  *model
	values []value
	// ended is the node that has just ended with label, or "".
	ended, label string
	// current is the node that runs or has just ended.
	current string
	// most bounds the combinations of samples that are tried in it; 0 is
	// mostSamples.
	most int
}

// eval evaluates an expression as far as it is known.
func (s *scene) eval(e expr.Expr) value {
	switch e := e.(type) {
	case *expr.Literal:
		return literal(e)
	case *expr.LastLabel:
		if e.Node == s.ended {
			return value{kind: text, text: s.label}
		}
	case *expr.Progress:
		if e.Measure == expr.CurrentNode {
			return value{kind: text, text: s.current}
		}
	case *expr.Compare:
		if !e.Op.IsValue() {
			return value{kind: unknown}
		}
		return compare(e.Op, s.eval(e.X), s.eval(e.Y))
	case *expr.Not:
		return not(s.eval(e.X))
	case *expr.Logic:
		return s.logic(e)
	}
	if slot := s.model.find(e); slot >= 0 {
		return s.values[slot]
	}
	return value{kind: unknown}
}

// logic decides a connective by whichever side decides it.
func (s *scene) logic(e *expr.Logic) value {
	x, y := s.eval(e.X), s.eval(e.Y)
	decides := truth(e.Op == expr.Or)
	switch {
	case x == decides || y == decides:
		return decides
	case x.kind == boolean && y.kind == boolean:
		return not(decides)
	}
	return value{kind: unknown}
}

// mostSamples bounds the combinations of values that are tried for one decision.
const mostSamples = 20_000

// each calls visit for every combination of samples of the unknown slots among the
// given ones. certain says that all slots were known. If there are too many
// combinations, or no samples, slots stay unknown. Cases tried within a visit count
// with it.
func (s *scene) each(slots []int, visit func(at *scene, certain bool)) {
	var open []int
	most := s.most
	if most == 0 {
		most = mostSamples
	}
	total := 1
	for _, slot := range slots {
		if s.values[slot].known() {
			continue
		}
		n := len(s.model.choices(slot, s.values[slot]))
		if n == 0 || total*n > most {
			continue
		}
		total *= n
		open = append(open, slot)
	}
	certain := true
	for _, slot := range slots {
		certain = certain && s.values[slot].known()
	}
	if len(open) == 0 {
		visit(s, certain)
		return
	}
	at := *s
	at.values = append([]value(nil), s.values...)
	at.most = max(most/total, 1)
	for n := range total {
		for _, slot := range open {
			list := s.model.choices(slot, s.values[slot])
			at.values[slot] = list[n%len(list)]
			n /= len(list)
		}
		visit(&at, false)
	}
}

// choices are the values that represent one that is not known.
func (m *model) choices(slot int, v value) []value {
	if v.kind == unknown {
		return m.slots[slot].orNull
	}
	return m.slots[slot].samples
}
