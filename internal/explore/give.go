package explore

import (
	"math"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/runtime/reply"
)

// said is a text that tells nothing: no number, no label.
const said = "well"

// gives returns possible replies with which a node ends with a label, so that the
// variables that receive its text take each of the values that guards can
// distinguish.
func (m *model) gives(n *ir.Node, label string) []Give {
	var list []Give
	for _, text := range m.words(n, label) {
		if g, ok := give(n, label, text); ok {
			list = append(list, g)
		}
	}
	return list
}

// words are texts that are of interest for a node that ends with a label.
func (m *model) words(n *ir.Node, label string) []string {
	list := []string{said}
	for _, h := range n.Handlers {
		for _, a := range h.Assigns {
			_, isSaid := a.Value.(*expr.Said)
			if h.Label != label || !isSaid || a.Append || a.Field == nil {
				continue
			}
			slot, read := m.variables[a.Field.Name]
			if !read {
				continue
			}
			for _, v := range m.slots[slot].samples {
				if text, ok := spoken(v); ok && !slices.Contains(list, text) {
					list = append(list, text)
				}
			}
		}
	}
	return list
}

// spoken is a text that gives a variable a value.
func spoken(v value) (words string, ok bool) {
	switch v.kind {
	case boolean:
		return map[bool]string{true: "yes", false: "no"}[v.number != 0], true
	case number:
		return v.String(), true
	case text:
		return v.text, true
	}
	return "", false
}

// give returns how a node is made to give a text and end with a label; ok is false
// if that is impossible.
func give(n *ir.Node, label, text string) (g Give, ok bool) {
	labels := names(n)
	marked := text + "\n[OUTPUT:" + label + "]"
	switch n.Action.(type) {
	case *ir.Bash:
		for _, printed := range []string{text, marked} {
			for exit := range 2 {
				if got, err := reply.ScriptLabel(printed, exit, labels); err == nil && got == label {
					return Give{Text: printed, Exit: exit}, true
				}
			}
		}
		return Give{Text: text, Late: true}, label == "timeout"
	case *ir.Human:
		return Give{Text: text}, true
	case *ir.Prompt, *ir.Join:
		switch got, err := reply.Label(text, labels); {
		case err == nil && got == label:
			return Give{Text: text}, true
		case err != nil:
			return Give{Text: text, Again: "[OUTPUT:" + label + "]"}, true
		}
		return Give{Text: marked}, true
	}
	return Give{}, true
}

// text is the text that a node passes to its handlers.
func (g Give) text(n *ir.Node, label string) string {
	switch a := n.Action.(type) {
	case *ir.Prompt, *ir.Bash:
		return g.Text
	case *ir.Human:
		if g.Text != "" {
			return g.Text
		}
	case *ir.Join:
		if a.Prompt != nil {
			return g.Text
		}
	}
	return label
}

// heard is the value that a variable has after a text was assigned to it.
func heard(f *ir.StateField, old value, text string) value {
	switch t := elem(f.Type); {
	case t == types.Bool:
		if b, err := reply.Read[bool](f.Name, text); err == nil {
			return truth(b)
		}
		return old
	case types.IsNumber(t):
		n, err := reply.Read[float64](f.Name, text)
		if err != nil || t == types.Int && n != math.Trunc(n) {
			return old
		}
		return value{kind: number, number: n}
	}
	return textOf(strings.TrimSpace(text))
}

// example is a value of a type, for an input that decides nothing.
func example(t types.Type) any {
	switch t = elem(t); {
	case t == types.Bool:
		return true
	case types.IsNumber(t):
		return 1.0
	case types.IsText(t):
		return said
	}
	if _, isList := t.(*types.List); isList {
		return []any{}
	}
	return map[string]any{}
}
