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

// anything is the verdict about an expression that may have any result.
func anything() verdict { return verdict{&texts{}, &texts{}} }

// always is the verdict about an expression with a known result.
func always(result bool) verdict {
	if result {
		return verdict{yes: &texts{}}
	}
	return verdict{no: &texts{}}
}

func (v verdict) not() verdict { return verdict{v.no, v.yes} }

func (v verdict) and(w verdict) verdict {
	return verdict{both(v.yes, w.yes), either(v.no, both(v.yes, w.no))}
}

func (v verdict) or(w verdict) verdict { return v.not().and(w.not()).not() }

// result returns the only possible result of a condition, if there is one.
func (v verdict) result() (result, constant bool) {
	return v.no == nil, (v.yes == nil) != (v.no == nil)
}

// demands returns the verdict about a condition. The demands name the whole condition
// as their reason.
func demands(cond expr.Expr) verdict {
	if acts(cond) {
		return anything()
	}
	return reading{cond.Span()}.of(cond).truth
}

// A reading is the analysis of one condition.
type reading struct{ at source.Span }

// alike is the meaning of a bool, whose text counts as the value does.
func alike(v verdict) meaning { return meaning{v, v} }

func (r reading) of(e expr.Expr) meaning {
	switch e := e.(type) {
	case *expr.Compare:
		return alike(r.compare(e))
	case *expr.Logic:
		return r.connect(e.Op, e.X, e.Y)
	case *expr.Either:
		return r.connect(e.Op, e.X, e.Y)
	case *expr.Not:
		return alike(r.of(e.X).truth.not())
	case *expr.Negation:
		return alike(r.of(e.X).truth.not())
	case *expr.Choose:
		return r.choose(e)
	case *expr.Holds:
		return alike(r.of(e.X).text)
	case *expr.Str:
		return meaning{anything(), r.of(e.X).text}
	case *expr.Rendered:
		return meaning{anything(), r.rendered(e)}
	case *expr.Relation:
		return alike(r.relation(e))
	case *expr.Test:
		return alike(r.test(e))
	case *expr.Literal:
		return r.literal(e)
	}
	return r.atom(e)
}

// connect is the meaning of a value that is one of two, by the truth of the first.
func (r reading) connect(op expr.LogicOp, first, second expr.Expr) meaning {
	x, y := r.of(first), r.of(second)
	m := meaning{truth: x.truth.and(y.truth)}
	if op == expr.Or {
		m.truth = x.truth.or(y.truth)
	}
	kept, other := x.truth.no, x.truth.yes
	if op == expr.Or {
		kept, other = other, kept
	}
	m.text = verdict{either(both(kept, x.text.yes), both(other, y.text.yes)), either(both(kept, x.text.no), both(other, y.text.no))}
	if t := first.Type(); op == expr.And && falseHasFalseText(t) {
		m.text.yes = both(other, y.text.yes)
	} else if op == expr.Or && trueHasTrueText(t) {
		m.text.no = both(other, y.text.no)
	}
	return m
}

func (r reading) choose(e *expr.Choose) meaning {
	cond, then, els := r.of(e.If).truth, r.of(e.Then), alike(always(false))
	if e.Else != nil {
		els = r.of(e.Else)
	}
	return meaning{cond.choose(then.truth, els.truth), cond.choose(then.text, els.text)}
}

func (v verdict) choose(then, els verdict) verdict {
	return verdict{
		either(both(v.yes, then.yes), both(v.no, els.yes)),
		either(both(v.yes, then.no), both(v.no, els.no)),
	}
}

// rendered is the verdict about the text of a template that is one `if` statement
// around fixed texts.
func (r reading) rendered(e *expr.Rendered) verdict {
	t, ok := e.Text.(*template.Template)
	if !ok {
		return anything()
	}
	var only *template.If
	for _, p := range t.Parts {
		if text, fixed := p.(*template.Text); fixed && strings.TrimSpace(text.Value) == "" {
			continue
		}
		branch, ok := p.(*template.If)
		if !ok || only != nil {
			return anything()
		}
		only = branch
	}
	if only == nil {
		return always(false)
	}
	v := fixed(only.Else)
	for i := len(only.Branches) - 1; i >= 0; i-- {
		b := &only.Branches[i]
		v = r.of(b.Cond).truth.choose(fixed(b.Body), v)
	}
	return v
}

// fixed is the verdict about the text of parts that have no holes.
func fixed(parts []template.Part) verdict {
	text, constant := (&template.Template{Parts: parts}).Constant()
	if !constant {
		return anything()
	}
	return always(!expr.IsFalseText(text))
}

// literal is the meaning of a constant that the condition itself writes. Others are
// arguments of a prompt or constants of a build, which may have other values elsewhere.
func (r reading) literal(e *expr.Literal) meaning {
	if e.Typ == types.Bool && e.At == r.at {
		return alike(always(e.Text == "true")) // a condition that the front end decided
	}
	class, known := r.class(e)
	if !known {
		return alike(anything())
	}
	text := anything()
	if !types.IsNumber(e.Typ) || e.Typ == types.Int {
		text = always(!expr.IsFalseText(e.Text) && e.Typ != types.Null)
	}
	return meaning{always(isTrue(class)), text}
}

// atom is the meaning of an expression by its own truth and its own text.
func (r reading) atom(e expr.Expr) meaning {
	name := r.name(e)
	if name == "" {
		return alike(anything())
	}
	truth, text := r.flag("true "+name), r.flag("text "+name)
	whenFalse, whenTrue := falseHasFalseText(e.Type()), trueHasTrueText(e.Type())
	if whenFalse && whenTrue {
		return alike(truth)
	}
	m := meaning{truth, text}
	if whenFalse {
		m.truth.no, m.text.yes = both(truth.no, text.no), both(truth.yes, text.yes)
	}
	if whenTrue {
		m.truth.yes, m.text.no = both(truth.yes, text.yes), both(truth.no, text.no)
	}
	return m
}

// flag is the verdict about a name that is true or false.
func (r reading) flag(name string) verdict {
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
