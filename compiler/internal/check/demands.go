package check

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Which values must a condition have read if it is true, and which if it is false?
//
// The answer is a superset: it leaves out values only if they are impossible. So a
// condition that no values make true is always false. A condition that fails its node
// is neither.

// A verdict holds the demands of an expression that counts as true and of one that
// counts as false; nil means that it never does.
type verdict struct{ yes, no *texts }

// A meaning holds the two ways in which a value can count: by its truth as a value, and
// by its text, as expr.Holds reads it. A float 0.0 is false as a value, but its text
// counts as true. So a value that `and` or `or` returns needs both.
type meaning struct{ truth, text verdict }

// anyVerdict is the verdict about an expression that may have any result.
func anyVerdict() verdict { return verdict{&texts{}, &texts{}} }

// constantVerdict is the verdict about an expression with a known result.
func constantVerdict(result bool) verdict {
	if result {
		return verdict{yes: &texts{}}
	}
	return verdict{no: &texts{}}
}

func (v verdict) not() verdict { return verdict{v.no, v.yes} }

func (v verdict) and(w verdict) verdict {
	return verdict{andTexts(v.yes, w.yes), orTexts(v.no, andTexts(v.yes, w.no))}
}

func (v verdict) or(w verdict) verdict { return v.not().and(w.not()).not() }

// onlyResult returns the only possible result of a condition, if there is one.
func (v verdict) onlyResult() (result, constant bool) {
	return v.no == nil, (v.yes == nil) != (v.no == nil)
}

// demandVerdict returns the verdict about a condition. The demands name the whole condition
// as their reason.
func demandVerdict(cond expr.Expr) verdict {
	if hasSideEffects(cond) {
		return anyVerdict()
	}
	return reading{cond.Span()}.meaningOf(cond).truth
}

// A reading is the analysis of one condition.
type reading struct{ at source.Span }

// boolMeaning is the meaning of a bool, whose text counts as the value does.
func boolMeaning(v verdict) meaning { return meaning{v, v} }

func (r reading) meaningOf(e expr.Expr) meaning {
	switch e := e.(type) {
	case *expr.Compare:
		return boolMeaning(r.comparisonVerdict(e))
	case *expr.Logic:
		return r.connectiveMeaning(e.Op, e.X, e.Y)
	case *expr.Either:
		return r.connectiveMeaning(e.Op, e.X, e.Y)
	case *expr.Not:
		return boolMeaning(r.meaningOf(e.X).truth.not())
	case *expr.Negation:
		return boolMeaning(r.meaningOf(e.X).truth.not())
	case *expr.Choose:
		return r.choiceMeaning(e)
	case *expr.Holds:
		return boolMeaning(r.meaningOf(e.X).text)
	case *expr.Str:
		return meaning{anyVerdict(), r.meaningOf(e.X).text}
	case *expr.Rendered:
		return meaning{anyVerdict(), r.renderedVerdict(e)}
	case *expr.Relation:
		return boolMeaning(r.relationVerdict(e))
	case *expr.Test:
		return boolMeaning(r.testVerdict(e))
	case *expr.Literal:
		return r.literalMeaning(e)
	}
	return r.atomMeaning(e)
}

// connectiveMeaning is the meaning of a value that is one of two, by the truth of the first.
func (r reading) connectiveMeaning(op expr.LogicOp, first, second expr.Expr) meaning {
	x, y := r.meaningOf(first), r.meaningOf(second)
	m := meaning{truth: x.truth.and(y.truth)}
	if op == expr.Or {
		m.truth = x.truth.or(y.truth)
	}
	kept, other := x.truth.no, x.truth.yes
	if op == expr.Or {
		kept, other = other, kept
	}
	m.text = verdict{orTexts(andTexts(kept, x.text.yes), andTexts(other, y.text.yes)), orTexts(andTexts(kept, x.text.no), andTexts(other, y.text.no))}
	if t := first.Type(); op == expr.And && falseHasFalseText(t) {
		m.text.yes = andTexts(other, y.text.yes)
	} else if op == expr.Or && trueHasTrueText(t) {
		m.text.no = andTexts(other, y.text.no)
	}
	return m
}

func (r reading) choiceMeaning(e *expr.Choose) meaning {
	cond, then, els := r.meaningOf(e.If).truth, r.meaningOf(e.Then), boolMeaning(constantVerdict(false))
	if e.Else != nil {
		els = r.meaningOf(e.Else)
	}
	return meaning{cond.chooseBetween(then.truth, els.truth), cond.chooseBetween(then.text, els.text)}
}

func (v verdict) chooseBetween(then, els verdict) verdict {
	return verdict{
		orTexts(andTexts(v.yes, then.yes), andTexts(v.no, els.yes)),
		orTexts(andTexts(v.yes, then.no), andTexts(v.no, els.no)),
	}
}

// renderedVerdict is the verdict about the text of a template that is one `if` statement
// around fixed texts.
func (r reading) renderedVerdict(e *expr.Rendered) verdict {
	t, ok := e.Text.(*template.Template)
	if !ok {
		return anyVerdict()
	}
	var only *template.If
	for _, p := range t.Parts {
		if text, fixed := p.(*template.Text); fixed && strings.TrimSpace(text.Value) == "" {
			continue
		}
		branch, ok := p.(*template.If)
		if !ok || only != nil {
			return anyVerdict()
		}
		only = branch
	}
	if only == nil {
		return constantVerdict(false)
	}
	v := fixedTextVerdict(only.Else)
	for i := len(only.Branches) - 1; i >= 0; i-- {
		b := &only.Branches[i]
		v = r.meaningOf(b.Cond).truth.chooseBetween(fixedTextVerdict(b.Body), v)
	}
	return v
}

// fixedTextVerdict is the verdict about the text of parts that have no holes.
func fixedTextVerdict(parts []template.Part) verdict {
	text, constant := (&template.Template{Parts: parts}).Constant()
	if !constant {
		return anyVerdict()
	}
	return constantVerdict(!expr.IsFalseText(text))
}

// literalMeaning is the meaning of a constant that the condition itself writes. Others are
// arguments of a prompt or constants of a build, which may have other values elsewhere.
func (r reading) literalMeaning(e *expr.Literal) meaning {
	if e.Typ == types.Bool && e.At == r.at {
		return boolMeaning(constantVerdict(e.Text == "true")) // a condition that the front end decided
	}
	class, known := r.constantClass(e)
	if !known {
		return boolMeaning(anyVerdict())
	}
	text := anyVerdict()
	if !types.IsNumber(e.Typ) || e.Typ == types.Int {
		text = constantVerdict(!expr.IsFalseText(e.Text) && e.Typ != types.Null)
	}
	return meaning{constantVerdict(isTrue(class)), text}
}

// atomMeaning is the meaning of an expression by its own truth and its own text.
func (r reading) atomMeaning(e expr.Expr) meaning {
	name := r.exprName(e)
	if name == "" {
		return boolMeaning(anyVerdict())
	}
	truth, text := r.flagVerdict("true "+name), r.flagVerdict("text "+name)
	whenFalse, whenTrue := falseHasFalseText(e.Type()), trueHasTrueText(e.Type())
	if whenFalse && whenTrue {
		return boolMeaning(truth)
	}
	m := meaning{truth, text}
	if whenFalse {
		m.truth.no, m.text.yes = andTexts(truth.no, text.no), andTexts(truth.yes, text.yes)
	}
	if whenTrue {
		m.truth.yes, m.text.no = andTexts(truth.yes, text.yes), andTexts(truth.no, text.no)
	}
	return m
}

// flagVerdict is the verdict about a name that is true or false.
func (r reading) flagVerdict(name string) verdict {
	value := func(v string) *texts { return &texts{{name, choice{values: []string{v}, at: r.at}}} }
	return verdict{value("true"), value("false")}
}

// falseHasFalseText reports whether values of a type that are false have texts that
// count as false, too.
func falseHasFalseText(t types.Type) bool {
	switch t := t.(type) {
	case *types.Enum, *types.Struct:
		return true
	case types.Basic:
		return t == types.Bool || t == types.Null || types.IsText(t)
	}
	return false
}

// trueHasTrueText reports whether values of a type that are true have texts that count
// as true, too.
func trueHasTrueText(t types.Type) bool {
	_, object := t.(*types.Struct)
	return object || t == types.Bool
}
