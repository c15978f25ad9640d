package gen

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
)

// A form is the Go type of a value's code.
type form int

const (
	anyForm    form = iota // py.Value
	stringForm             // string
	intForm                // int64
	boolForm               // bool
)

// goType is the form's Go type.
func (f form) goType() *jen.Statement {
	switch f {
	case stringForm:
		return jen.String()
	case intForm:
		return jen.Int64()
	case boolForm:
		return jen.Bool()
	}
	return jen.Qual(pyPath, "Value")
}

// A computed is the code of a value of a template.
type computed struct {
	code *jen.Statement
	form form
	// fails says that the code uses the evaluator.
	fails bool
	// level is how tightly its outermost operator binds.
	level precedence
	// literal says that the code is a constant of Go, and constant is the text of one
	// that is a text.
	literal  bool
	constant *string
	// field is set when the value is that of a field which may not be there.
	field *selection
}

// plainly is code of the given form that needs no evaluator.
func plainly(form form, code *jen.Statement) computed {
	return computed{code: code, form: form, level: unaryLevel}
}

// operand is the code as the operand of any operator.
func (v computed) operand() *jen.Statement { return v.within(unaryLevel) }

// within returns the code as an operand of an operator of the given level, in a
// statement of its own.
func (v computed) within(level precedence) *jen.Statement {
	return jen.Add(boolean{v.code, v.level}.within(level))
}

// value is the code of the value as a py.Value.
func (v computed) value() *jen.Statement {
	switch v.form {
	case stringForm:
		return jen.Qual(pyPath, "Str").Call(v.code)
	case intForm:
		return jen.Qual(pyPath, "Int").Call(v.code)
	case boolForm:
		return jen.Qual(pyPath, "Bool").Call(v.code)
	}
	return v.code
}

// str is the value's text, as Python prints it.
func (f *function) str(v computed) computed {
	out := computed{form: stringForm, fails: v.fails, level: unaryLevel}
	switch v.form {
	case stringForm:
		return v
	case intForm:
		out.code = jen.Qual(strconvPath, "FormatInt").Call(v.code, jen.Lit(10))
	case boolForm:
		out.code = jen.Qual(pyPath, "BoolText").Call(v.code)
	default:
		out.code, out.fails = f.evaluator().Dot("Str").Add(args(v.code)), true
	}
	return out
}

// truth is the value's truth.
func (f *function) truth(v computed) computed {
	out := computed{form: boolForm, fails: v.fails, level: compareLevel}
	switch v.form {
	case boolForm:
		return v
	case stringForm:
		out.code = v.operand().Op("!=").Lit("")
	case intForm:
		out.code = v.operand().Op("!=").Lit(0)
	default:
		out.code, out.fails, out.level = f.evaluator().Dot("Truth").Add(args(v.code)), true, unaryLevel
	}
	return out
}

// textAt is the value's text as it leaves the template. at is what a message says
// of the place.
func (f *function) textAt(v computed, at string) *jen.Statement {
	if v.field != nil {
		read, _ := goValue(v.field.typ, jen.Qual(pyPath, "Required").Add(group("(", fillMark, []jen.Code{jen.Op("&").Add(f.evaluator()), v.field.code, jen.Lit(v.field.name), jen.Lit(at)})))
		return f.str(read).code
	}
	if v.form == anyForm || v.fails {
		return f.evaluator().Dot("Text").Add(args(v.value(), jen.Lit(at)))
	}
	return f.str(v).code
}

// truthAt is the value's truth as it leaves the template.
func (f *function) truthAt(v computed, at string) boolean {
	switch {
	case v.form == anyForm:
		return boolean{f.evaluator().Dot("If").Add(args(v.code, jen.Lit(at))), unaryLevel}
	case v.fails:
		return boolean{f.evaluator().Dot("Is").Add(args(f.truth(v).code, jen.Lit(at))), unaryLevel}
	}
	t := f.truth(v)
	return boolean{t.code, t.level}
}

// valueAt is the value as a py.Value when it leaves an expression for a variable.
func (f *function) valueAt(v computed, at string) *jen.Statement {
	if v.fails {
		return f.evaluator().Dot("At").Add(args(v.value(), jen.Lit(at)))
	}
	return v.value()
}

// thunk is a function that computes a value of a form when it is asked for.
func thunk(form form, v computed) *jen.Statement {
	code := v.code
	if form == anyForm {
		code = v.value()
	}
	return jen.Func().Params().Add(form.goType()).Add(oneLine(jen.Return(code)))
}

// placeOf is what messages say of a place: the text there and its line.
func (g *generator) placeOf(text string, at source.Span) string {
	const most = 60
	text = strings.Join(strings.Fields(cleanLine(text)), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	if !at.IsValid() {
		return text
	}
	line := strconv.Itoa(at.Position().Line)
	if g.program.File != nil && at.File.Name == g.program.File.Name {
		return text + " (line " + line + ")"
	}
	return text + " (" + g.position(at) + ")"
}

// where is placeOf for an expression.
func (g *generator) where(e expr.Expr) string {
	text := strings.TrimSpace(strings.Trim(e.Span().Text(), `"'`))
	if !strings.HasPrefix(text, "{") {
		text = "`" + text + "`"
	}
	return g.placeOf(text, e.Span())
}
