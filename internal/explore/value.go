package explore

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// A value is the knowledge about a variable, or about an expression. Values are
// compared with ==.
type value struct {
	kind   kind
	number float64 // of a number; 1 or 0 of a bool
	text   string  // of a text; the JSON of a list or an object
}

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	compound
	// present is some value of the variable's type, not null; unknown may be null
	// too.
	present
	unknown
)

func booleanValue(b bool) value {
	if b {
		return value{kind: boolean, number: 1}
	}
	return value{kind: boolean}
}

// isKnown reports whether it is one value.
func (v value) isKnown() bool { return v.kind < present }

// String is the value as messages show it.
func (v value) String() string {
	switch v.kind {
	case null:
		return "null"
	case boolean:
		return strconv.FormatBool(v.number != 0)
	case number:
		return strconv.FormatFloat(v.number, 'f', -1, 64)
	case text:
		return strconv.Quote(v.text)
	case compound:
		return v.text
	}
	return "unknown"
}

// literalValue returns the value of a constant.
func literalValue(l *expr.Literal) value {
	switch {
	case l.Typ == types.Null:
		return value{kind: null}
	case l.Typ == types.Bool:
		return booleanValue(l.Text == "true")
	case types.IsNumber(l.Typ):
		f, err := strconv.ParseFloat(strings.TrimSpace(l.Text), 64)
		if err != nil {
			return value{kind: present}
		}
		return value{kind: number, number: f}
	case types.IsText(l.Typ):
		return value{kind: text, text: l.Text}
	case l.Typ == types.Invalid:
		return value{kind: unknown}
	}
	return jsonConstant(l.Text)
}

// jsonConstant returns the value of a constant that is written as JSON.
func jsonConstant(text string) value {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return value{kind: present}
	}
	switch v := v.(type) {
	case nil:
		return value{kind: null}
	case bool:
		return booleanValue(v)
	case float64:
		return value{kind: number, number: v}
	case string:
		return textOf(v)
	}
	return value{kind: compound, text: text}
}

func textOf(s string) value { return value{kind: text, text: s} }

// mergeValues returns the value of a variable that has one of two values.
func mergeValues(a, b value) value {
	switch {
	case a == b:
		return a
	case a.kind == null || b.kind == null || a.kind == unknown || b.kind == unknown:
		return value{kind: unknown}
	}
	return value{kind: present}
}

// compareValues decides a comparison by values as expr.CompareOp describes it.
func compareValues(op expr.CompareOp, x, y value) value {
	switch op {
	case expr.ValueEqual:
		return equalValues(x, y)
	case expr.ValueNotEqual:
		return negateValue(equalValues(x, y))
	}
	if x.kind == null || y.kind == null {
		return booleanValue(false)
	}
	if !x.isKnown() || !y.isKnown() {
		return value{kind: unknown}
	}
	if x.kind != y.kind || x.kind != number && x.kind != text {
		return booleanValue(false)
	}
	order := cmp.Compare(x.number, y.number)
	if x.kind == text {
		order = strings.Compare(x.text, y.text)
	}
	return booleanValue(op.HoldsFor(order))
}

func equalValues(x, y value) value {
	switch {
	case x.kind == compound && y.kind == compound:
		return value{kind: unknown} // JSON has several notations for one value
	case x.isKnown() && y.isKnown():
		return booleanValue(x == y)
	case x.kind == null && y.kind == present, x.kind == present && y.kind == null:
		return booleanValue(false)
	}
	return value{kind: unknown}
}

func negateValue(v value) value {
	if v.kind == boolean {
		return booleanValue(v.number == 0)
	}
	return value{kind: unknown}
}

// mayHold and fails report whether a condition can be true, and can be false.
func (v value) mayHold() bool { return v.kind != boolean || v.number != 0 }

func (v value) mayFail() bool { return v.kind != boolean || v.number == 0 }

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
		return literalValue(e)
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
		return compareValues(e.Op, s.eval(e.X), s.eval(e.Y))
	case *expr.Not:
		return negateValue(s.eval(e.X))
	case *expr.Logic:
		return s.evalLogic(e)
	}
	if slot := s.model.findSlot(e); slot >= 0 {
		return s.values[slot]
	}
	return value{kind: unknown}
}

// evalLogic decides a connective by whichever side decides it.
func (s *scene) evalLogic(e *expr.Logic) value {
	x, y := s.eval(e.X), s.eval(e.Y)
	decides := booleanValue(e.Op == expr.Or)
	switch {
	case x == decides || y == decides:
		return decides
	case x.kind == boolean && y.kind == boolean:
		return negateValue(decides)
	}
	return value{kind: unknown}
}

// mostSamples bounds the combinations of values that are tried for one decision.
const mostSamples = 20_000

// visitSamples calls visit for every combination of samples of the unknown slots among the
// given ones. certain says that all slots were known. If there are too many
// combinations, or no samples, slots stay unknown. Cases tried within a visit count
// with it.
func (s *scene) visitSamples(slots []int, visit func(at *scene, certain bool)) {
	var open []int
	most := s.most
	if most == 0 {
		most = mostSamples
	}
	total := 1
	for _, slot := range slots {
		if s.values[slot].isKnown() {
			continue
		}
		n := len(s.model.candidateValues(slot, s.values[slot]))
		if n == 0 || total*n > most {
			continue
		}
		total *= n
		open = append(open, slot)
	}
	certain := true
	for _, slot := range slots {
		certain = certain && s.values[slot].isKnown()
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
			list := s.model.candidateValues(slot, s.values[slot])
			at.values[slot] = list[n%len(list)]
			n /= len(list)
		}
		visit(&at, false)
	}
}

// candidateValues are the values that represent one that is not known.
func (m *model) candidateValues(slot int, v value) []value {
	if v.kind == unknown {
		return m.slots[slot].orNull
	}
	return m.slots[slot].samples
}
