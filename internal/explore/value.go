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

func truth(b bool) value {
	if b {
		return value{kind: boolean, number: 1}
	}
	return value{kind: boolean}
}

// known reports whether it is one value.
func (v value) known() bool { return v.kind < present }

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

// literal returns the value of a constant.
func literal(l *expr.Literal) value {
	switch {
	case l.Typ == types.Null:
		return value{kind: null}
	case l.Typ == types.Bool:
		return truth(l.Text == "true")
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
	return anything(l.Text)
}

// anything returns the value of a constant that is written as JSON.
func anything(text string) value {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return value{kind: present}
	}
	switch v := v.(type) {
	case nil:
		return value{kind: null}
	case bool:
		return truth(v)
	case float64:
		return value{kind: number, number: v}
	case string:
		return textOf(v)
	}
	return value{kind: compound, text: text}
}

func textOf(s string) value { return value{kind: text, text: s} }

// merge returns the value of a variable that has one of two values.
func merge(a, b value) value {
	switch {
	case a == b:
		return a
	case a.kind == null || b.kind == null || a.kind == unknown || b.kind == unknown:
		return value{kind: unknown}
	}
	return value{kind: present}
}

// compare decides a comparison by values as expr.CompareOp describes it.
func compare(op expr.CompareOp, x, y value) value {
	switch op {
	case expr.ValueEqual:
		return equal(x, y)
	case expr.ValueNotEqual:
		return not(equal(x, y))
	}
	if x.kind == null || y.kind == null {
		return truth(false)
	}
	if !x.known() || !y.known() {
		return value{kind: unknown}
	}
	if x.kind != y.kind || x.kind != number && x.kind != text {
		return truth(false)
	}
	order := cmp.Compare(x.number, y.number)
	if x.kind == text {
		order = strings.Compare(x.text, y.text)
	}
	switch op {
	case expr.ValueLess:
		return truth(order < 0)
	case expr.ValueLessEqual:
		return truth(order <= 0)
	case expr.ValueGreater:
		return truth(order > 0)
	case expr.ValueGreaterEqual:
		return truth(order >= 0)
	}
	return value{kind: unknown}
}

func equal(x, y value) value {
	switch {
	case x.kind == compound && y.kind == compound:
		return value{kind: unknown} // JSON has several notations for one value
	case x.known() && y.known():
		return truth(x == y)
	case x.kind == null && y.kind == present, x.kind == present && y.kind == null:
		return truth(false)
	}
	return value{kind: unknown}
}

func not(v value) value {
	if v.kind == boolean {
		return truth(v.number == 0)
	}
	return value{kind: unknown}
}

// holds and fails report whether a condition can be true, and can be false.
func (v value) holds() bool { return v.kind != boolean || v.number != 0 }
func (v value) fails() bool { return v.kind != boolean || v.number == 0 }
