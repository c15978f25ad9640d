package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
)

// Operators on values whose Go types are known are those of Go, as long as they do
// the same there: arithmetic does not, for whole numbers of Python have no end.

var arithMethods = [...]string{
	expr.Add: "Add", expr.Sub: "Sub", expr.Mul: "Mul", expr.Div: "Div", expr.FloorDiv: "FloorDiv", expr.Mod: "Mod", expr.Pow: "Pow",
}

func (f *function) arith(e *expr.Arith) computed {
	x, y := f.strict(e.X), f.strict(e.Y)
	if e.Op == expr.Add && x.form == stringForm && y.form == stringForm {
		return joined(x, y)
	}
	return f.method(arithMethods[e.Op], x, y)
}

// joined is two texts in a row.
func joined(x, y computed) computed {
	return computed{code: x.within(compareLevel).Op("+").Add(y.within(compareLevel)), form: stringForm, fails: x.fails || y.fails, level: compareLevel}
}

// concat joins the texts of values.
func (f *function) concat(e *expr.Concat) computed {
	parts := make([]computed, len(e.Parts))
	plain := true
	for i, p := range e.Parts {
		parts[i] = f.strict(p)
		plain = plain && parts[i].form != anyForm
	}
	if !plain {
		return f.method("Concat", parts...)
	}
	out := f.str(parts[0])
	for _, p := range parts[1:] {
		out = joined(out, f.str(p))
	}
	return out
}

var relationMethods = [...]string{
	expr.Equal: "Eq", expr.NotEqual: "Ne", expr.Less: "Lt", expr.LessEqual: "Le", expr.Greater: "Gt", expr.GreaterEqual: "Ge", expr.In: "In", expr.NotIn: "NotIn",
}

// relation is a chain of comparisons. The operands in the middle of a long one are
// computed once, and only when they are compared.
func (f *function) relation(e *expr.Relation) computed {
	x := f.strict(e.X)
	out := computed{form: boolForm}
	var chain []jen.Code
	for i, link := range e.Links {
		y := f.strict(link.Y)
		last := i == len(e.Links)-1
		if !last && !y.literal {
			name := f.local("middle")
			chain = append(chain, jen.Id(name).Op(":=").Add(y.code))
			fails := y.fails
			y = plainly(y.form, jen.Id(name))
			y.fails = fails
		}
		c := f.link(link.Op, x, y)
		out.fails = out.fails || c.fails
		if last && i == 0 {
			return c
		}
		if last {
			chain = append(chain, jen.Return(c.code))
		} else {
			chain = append(chain, jen.If(f.not(c).code).Block(jen.Return(jen.False())))
		}
		x = y
	}
	out.code, out.level = jen.Func().Params().Bool().Block(chain...).Call(), unaryLevel
	return out
}

// link is one comparison.
func (f *function) link(op expr.RelationOp, x, y computed) computed {
	equality := op == expr.Equal || op == expr.NotEqual
	if op != expr.In && op != expr.NotIn && x.form == y.form && x.form != anyForm && (x.form != boolForm || equality) {
		return computed{code: x.operand().Op(op.String()).Add(y.operand()), form: boolForm, fails: x.fails || y.fails, level: compareLevel}
	}
	c := f.method(relationMethods[op], x, y)
	c.form = boolForm
	return c
}

// not is the opposite of a value's truth.
func (f *function) not(v computed) computed {
	out := computed{form: boolForm, fails: v.fails, level: compareLevel}
	switch v.form {
	case stringForm:
		out.code = v.operand().Op("==").Lit("")
	case intForm:
		out.code = v.operand().Op("==").Lit(0)
	default:
		t := f.truth(v)
		out.code, out.fails, out.level = jen.Op("!").Add(t.operand()), t.fails, unaryLevel
	}
	return out
}

// connect joins two conditions by an operator of Go.
func (f *function) connect(op string, level precedence, x, y computed) computed {
	return computed{code: x.within(level).Op(op).Op(softMark).Add(y.within(level)), form: boolForm, fails: x.fails || y.fails, level: level}
}

// either is one of two values.
func (f *function) either(e *expr.Either) computed {
	x, y := f.compute(e.X), f.compute(e.Y)
	op, level, method := "&&", andLevel, "And"
	if e.Op == expr.Or {
		op, level, method = "||", orLevel, "Or"
	}
	if x.form == boolForm && y.form == boolForm {
		return f.connect(op, level, x, y)
	}
	return computed{code: f.evaluator().Dot(method).Add(args(x.value(), thunk(anyForm, y))), fails: true, level: unaryLevel}
}

// decide is the truth of an expression where nothing but that is asked: there the
// words and, or, not are operators of Go.
func (f *function) decide(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Either:
		op, level := "&&", andLevel
		if e.Op == expr.Or {
			op, level = "||", orLevel
		}
		return f.connect(op, level, f.decide(e.X), f.decide(e.Y))
	case *expr.Negation:
		return f.not(f.decide(e.X))
	}
	return f.truth(f.strict(e))
}

// choose is one of two values by a condition.
func (f *function) choose(e *expr.Choose) computed {
	cond, then := f.decide(e.If), f.compute(e.Then)
	otherwise := jen.Nil()
	if e.Else != nil {
		y := f.compute(e.Else)
		if y.form == then.form && y.form != anyForm {
			return computed{
				code: jen.Func().Params().Add(y.form.goType()).Block(
					jen.If(cond.code).Block(jen.Return(then.code)),
					jen.Return(y.code),
				).Call(),
				form: y.form, fails: cond.fails || then.fails || y.fails, level: unaryLevel,
			}
		}
		otherwise = thunk(anyForm, y)
	}
	return computed{code: f.evaluator().Dot("Choose").Add(args(cond.code, thunk(anyForm, then), otherwise)), fails: true, level: unaryLevel}
}
