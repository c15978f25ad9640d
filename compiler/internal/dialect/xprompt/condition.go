package xprompt

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// falseTexts are the texts that count as false, in lower case.
var falseTexts = []string{"", "false", "none", "0", "[]", "{}"}

// test makes the expression of a step's condition.
func (d *decoder) test(v value, sc *scope) expr.Expr {
	e := d.holds(v, sc)
	if result, constant := expr.Constant(e); constant {
		effect := "the step always runs"
		if !result {
			effect = "the step never runs"
		}
		d.Bag.Add(finding.ConstantTest(v.Place(), "`if`", result, effect, instead(v.Node.Value)))
	}
	return e
}

// loopTest makes the expression of a while or a repeat.
func (d *decoder) loopTest(s *stepDecl, sc *scope) expr.Expr {
	v := *s.again.cond
	e := d.holds(v, sc)
	if result, constant := expr.Constant(e); constant {
		what, effect := "`while`", "the step is not repeated"
		if s.again.until {
			what = "`until`"
		}
		if result != s.again.until {
			effect = "the step reaches its maximum and fails"
		}
		d.Bag.Add(finding.ConstantTest(v.Place(), what, result, effect, instead(v.Node.Value)))
	}
	return e
}

// holds is the expression of a condition: the truth of the text that its template
// produces.
func (d *decoder) holds(v value, sc *scope) expr.Expr {
	t := jinja.Template(v.Node.Text(), sc, jinja.Options{Condition: true}, d.Bag)
	x := textOf(t, v)
	if lit, ok := expr.Fold(x).(*expr.Literal); ok && types.IsText(lit.Typ) {
		text := "true"
		if slices.Contains(falseTexts, strings.ToLower(strings.TrimSpace(lit.Text))) {
			text = "false"
		}
		return &expr.Literal{At: v.Place(), Text: text, Typ: types.Bool}
	}
	return &expr.Holds{At: v.Place(), X: x}
}

// textOf is the text that a template makes as one expression: that of its only
// hole when there is nothing else that counts.
func textOf(t *template.Template, v value) expr.Expr {
	if text, constant := t.Constant(); constant {
		return &expr.Literal{At: v.Place(), Text: text, Typ: types.Text}
	}
	var only *template.Hole
	for _, p := range t.Parts {
		switch p := p.(type) {
		case *template.Text:
			if strings.TrimSpace(p.Value) == "" {
				continue
			}
		case *template.Hole:
			if only == nil {
				only = p
				continue
			}
		}
		return &expr.Rendered{At: v.Place(), Text: t}
	}
	return only.Expr
}

// instead is the probable intent of a condition without holes, or "".
func instead(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, "{}\n") || slices.Contains(falseTexts, strings.ToLower(text)) || strings.EqualFold(text, "true") {
		return ""
	}
	return "{{ " + text + " }}"
}
