package suite

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// An option is a flip that gives a term of a condition a result.
type option struct {
	flip flip
	// truth is the result, if known is set.
	truth, known bool
}

// A probeValue is a value that a term distinguishes from others.
type probeValue struct {
	value        any
	absent       bool
	truth, known bool
}

// other is a string that no condition names.
const other = "something else"

// termOptions returns options for a term: a condition without operands that are conditions.
func (m *model) termOptions(s *scope, e expr.Expr) (list []option) {
	seen := map[string]bool{}
	add := func(src source, v probeValue) {
		for _, f := range m.valueFlips(src, v) {
			id := fmt.Sprint(f.slot, f.path, encodeJSON(f.to.testFileValue(f.slot.kind)), f.to.absent)
			if !seen[id] {
				seen[id] = true
				list = append(list, option{f, v.truth, v.known && !src.inexact})
			}
		}
	}
	pair := func(x, y expr.Expr, values func(constant any, mirrored bool) []probeValue) bool {
		for i, sides := range [][2]expr.Expr{{x, y}, {y, x}} {
			c, ok := constantOf(sides[1])
			if !ok {
				continue
			}
			for _, src := range m.exprSources(s, sides[0], 0) {
				for _, v := range values(c, i == 1) {
					add(src, v)
				}
			}
			return true
		}
		return false
	}
	both := func(x, y expr.Expr) {
		// Two values from outside: make them equal, and different in both directions.
		for _, side := range []expr.Expr{x, y} {
			for _, src := range m.exprSources(s, side, 0) {
				for _, v := range []any{0.0, 1.0, 2.0, "1", other, true, false} {
					add(src, probeValue{value: v})
				}
			}
		}
	}
	switch e := decidingExpr(e).(type) {
	case *expr.Compare:
		op := e.Op
		if !pair(e.X, e.Y, func(c any, mirrored bool) []probeValue { return comparisonValues(op.String(), c, mirrored) }) {
			both(e.X, e.Y)
		}
	case *expr.Relation:
		x := e.X
		for _, link := range e.Links {
			op := link.Op
			if !pair(x, link.Y, func(c any, mirrored bool) []probeValue { return comparisonValues(op.String(), c, mirrored) }) {
				both(x, link.Y)
			}
			x = link.Y
		}
		if len(e.Links) > 1 {
			for i := range list {
				list[i].known = false
			}
		}
	case *expr.Test:
		for _, src := range m.exprSources(s, e.X, 0) {
			for _, v := range testValues(e) {
				add(src, v)
			}
		}
	case *expr.Choose:
		for _, part := range []expr.Expr{e.If, e.Then, e.Else} {
			if part == nil {
				continue
			}
			for _, inner := range conditionTerms(part) {
				for _, o := range m.termOptions(s, inner) {
					o.known = false
					list = append(list, o)
				}
			}
		}
	default:
		for _, src := range m.exprSources(s, e, 0) {
			if src.label {
				for _, choice := range []string{"accept", "reject"} {
					add(src, probeValue{value: choice})
				}
				continue
			}
			for _, v := range []probeValue{
				{value: true, truth: true, known: true}, {value: false, known: true}, {value: "true", truth: true, known: true}, {value: ""}, {value: "false"}, {value: other},
				{value: 0.0}, {value: 1.0}, {value: []any{}}, {absent: true},
			} {
				add(src, v)
			}
			for _, c := range exprConstants(e) {
				add(src, probeValue{value: c})
				if text, ok := c.(string); ok {
					add(src, probeValue{value: []any{text}})
				}
			}
		}
	}
	return list
}

// constantOf returns the value of a constant, or those of the constants of a list.
func constantOf(e expr.Expr) (any, bool) {
	if c, ok := expr.Fold(expr.Copy(e)).(*expr.Literal); ok {
		return literalValue(c), true
	}
	l, ok := e.(*expr.ListOf)
	if !ok {
		return nil, false
	}
	list := []any{}
	for _, item := range l.Items {
		if c, ok := item.(*expr.Literal); ok {
			list = append(list, literalValue(c))
		}
	}
	return list, true
}

// testValues returns values for a test such as `x is defined`.
func testValues(e *expr.Test) []probeValue {
	values := []probeValue{{absent: true}, {value: nil}, {value: true}, {value: false}, {value: 1.0}, {value: 2.0}, {value: other}, {value: ""}, {value: []any{}}, {value: map[string]any{}}}
	for _, a := range e.Args {
		for _, c := range exprConstants(a.Value) {
			values = append(values, probeValue{value: c})
		}
	}
	return values
}

// comparisonValues returns values for the comparison of a value with a constant. mirrored means
// that the constant is the left side.
func comparisonValues(op string, c any, mirrored bool) (list []probeValue) {
	if other, ok := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]; ok && mirrored {
		op = other
	}
	yes := func(v any, holds bool) { list = append(list, probeValue{value: v, truth: holds, known: true}) }
	switch op {
	case "==", "!=":
		equal := op == "=="
		yes(c, equal)
		switch v := c.(type) {
		case bool:
			yes(!v, !equal)
		case float64:
			yes(v+1, !equal)
		case nil:
			yes(other, !equal)
			yes(1.0, !equal)
			list = append(list, probeValue{absent: true})
		case string:
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				yes(f, equal)
				yes(f+1, !equal)
			}
			if v == "true" || v == "false" {
				yes(v == "true", equal)
				yes(v != "true", !equal)
			}
			yes(other, !equal)
			if v != "" {
				list = append(list, probeValue{value: "", truth: !equal, known: true})
			}
		default:
			yes(other, !equal)
		}
	case "<", "<=", ">", ">=":
		f, ok := c.(float64)
		if text, isText := c.(string); isText {
			n, err := strconv.ParseFloat(text, 64)
			f, ok = n, err == nil
			if err != nil {
				list = append(list, probeValue{value: text}, probeValue{value: text + "z"}, probeValue{value: ""})
			}
		}
		if !ok {
			return list
		}
		steps := []float64{-1, 0, 1}
		if f > 0 && f <= 1 || f != float64(int64(f)) {
			steps = []float64{-0.125, 0, 0.125}
		}
		for _, d := range steps {
			yes(f+d, op == "<" && d < 0 || op == "<=" && d <= 0 || op == ">" && d > 0 || op == ">=" && d >= 0)
		}
		yes(f+2*steps[2], op[0] == '>')
		yes(f+2*steps[0], op[0] == '<')
	case "in", "not in":
		holds := op == "in"
		if mirrored { // the constant is in the value
			list = append(list, probeValue{value: c, truth: holds, known: true}, probeValue{value: []any{c}, truth: holds, known: true},
				probeValue{value: other, truth: !holds, known: true}, probeValue{value: []any{}, truth: !holds, known: true})
			return list
		}
		items, _ := c.([]any)
		for _, item := range items {
			yes(item, holds)
		}
		yes(other, !holds)
	}
	return list
}

// valueFlips returns the changes that give a source a value; none if its schema forbids that.
func (m *model) valueFlips(src source, v probeValue) (list []flip) {
	p := m.producers[src.slot]
	name := displayKey(src.slot.key)
	if src.slot.kind == "answers" {
		return m.answerFlips(src, v, name)
	}
	if p == nil {
		return nil
	}
	add := func(path []string, to give, text string) {
		list = append(list, flip{slot: src.slot, at: every, path: path, to: to, text: text})
	}
	switch {
	case src.label:
		if label, ok := v.value.(string); ok && slices.Contains(p.labels, label) {
			add(nil, labelGive(p, label, ""), name+" ends with "+label)
		} else if ok {
			for _, l := range p.labels {
				if l != v.value {
					add(nil, labelGive(p, l, ""), name+" ends with "+l)
					break
				}
			}
		}
		return list
	case src.field != nil:
		text := valueText(v.value)
		if v.absent {
			return nil
		}
		if src.slot.kind == "inputs" {
			break
		}
		for _, l := range p.labels {
			add(nil, labelGive(p, l, text), name+" is "+quoteForName(text)+" with "+l)
		}
		return list
	}
	value, of := v.value, schemaAt(p.shape, src.path)
	if src.size {
		n, ok := value.(float64)
		if n = nearestInteger(n); !ok || n < 0 || n > 1000 {
			return nil
		}
		if types.SchemaKind(of) == "string" || of == nil && len(src.path) == 0 {
			value = strings.Repeat("x", int(n))
		} else {
			value = m.listElements(p, of, src.path, int(n))
		}
	}
	switch {
	case v.absent && src.slot.kind == "inputs" && len(src.path) == 0:
		if in := m.inputs[src.slot.key]; in != nil && (in.Default != nil || isOptional(in.Type) || in.Replaces != "") {
			add(nil, give{absent: true}, "no "+name)
		}
	case v.absent:
		if len(src.path) > 0 && !isRequired(p.shape, src.path) {
			add(src.path, give{absent: true}, strings.Join(append([]string{"no", name}, visibleParts(src.path)...), " "))
		}
	case src.slot.kind == "inputs" && len(src.path) == 0:
		for _, candidate := range valuesInSchema(of, value) {
			if schemaAllows(of, candidate) {
				add(nil, give{data: candidate}, name+" is "+quoteForName(valueText(candidate)))
			}
		}
	case len(src.path) == 0 && p.shape == nil:
		text := valueText(value)
		add(nil, m.textGive(p, text), name+" is "+quoteForName(text))
	default:
		for _, candidate := range valuesInSchema(of, value) {
			if schemaAllows(of, candidate) {
				list = append(list, partFlip(src.slot, src.path, candidate))
			}
		}
	}
	return list
}

// listElements returns a list of n values for the part of a give with a schema, or else with the
// form that its uses need.
func (m *model) listElements(p *producer, of shape, path []string, n int) []any {
	items, _ := of["items"].(map[string]any)
	if items == nil {
		return p.form.partAt(path...).sampleElements("element", n)
	}
	all := []any{}
	for i := range n {
		all = append(all, numberElement(sampleSchema(items, "element", 0), i+1))
	}
	return all
}

func isOptional(t types.Type) bool {
	_, ok := t.(*types.Optional)
	return ok
}

// nearestInteger returns the integer on the same side of a constant as a number near the constant: 2 for
// 1.125, and 0 for 0.875.
func nearestInteger(f float64) float64 {
	switch nearest := math.Round(f); {
	case f > nearest:
		return nearest + 1
	case f < nearest:
		return nearest - 1
	}
	return f
}

// visibleParts are the parts of a path for a name.
func visibleParts(path []string) []string {
	return slices.DeleteFunc(slices.Clone(path), func(p string) bool { return p == element })
}

// valuesInSchema returns a value in the types that a schema has for it: 8 and "8". Something else than
// the values that a condition names is each value of an enum.
func valuesInSchema(of shape, v any) []any {
	switch types.SchemaKind(of) {
	case "string":
		if values, ok := of["enum"].([]any); ok && v == other {
			return values // those that the condition names come before
		}
		if _, isText := v.(string); !isText && v != nil {
			return []any{valueText(v)}
		}
	case "integer", "number":
		if text, ok := v.(string); ok {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				return []any{f}
			}
		}
		if f, ok := v.(float64); ok && types.SchemaKind(of) == "integer" {
			return []any{nearestInteger(f)}
		}
	case "boolean":
		if text, ok := v.(string); ok {
			if b, err := strconv.ParseBool(text); err == nil {
				return []any{b}
			}
		}
	}
	return []any{v}
}

// valueText is a value as text.
func valueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return encodeJSON(v)
}

// quoteForName is a value for the name of a test.
func quoteForName(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	return cmp.Or(text, "empty")
}

// answerFlips returns the answers that give a source a value.
func (m *model) answerFlips(src source, v probeValue, name string) []flip {
	text, ok := v.value.(string)
	if !ok {
		return nil
	}
	last := ""
	if len(src.path) > 0 {
		last = src.path[len(src.path)-1]
	}
	to := give{choice: "approve", text: text}
	if src.label || last == "decision" || last == "choice" {
		to = give{choice: text}
	} else if last == "payload" || last == "status" || last == "event" {
		to = give{choice: "signal", text: text}
	}
	return []flip{{slot: src.slot, at: every, to: to, text: name + " gets " + quoteForName(text)}}
}
