package gen

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// isDynamic reports whether an expression is one of those that compute.go computes.
func isDynamic(e expr.Expr) bool {
	switch e.(type) {
	case *expr.Local, *expr.StepValue, *expr.Global, *expr.UndefinedName, *expr.Attr, *expr.Item, *expr.Slice, *expr.Call,
		*expr.Filter, *expr.Test, *expr.Arith, *expr.Sign, *expr.Concat, *expr.Relation, *expr.Either, *expr.Negation, *expr.Choose,
		*expr.ListOf, *expr.DictOf, *expr.Rendered, *expr.Holds, *expr.Str, *expr.Convert, *expr.Approved, *expr.GoCall:
		return true
	}
	return false
}

// dynamicOperand is the value of a dynamic expression where its text is read, or
// its truth when it is a condition.
func (f *function) dynamicOperand(e expr.Expr) operand {
	v := f.strict(stringOf(e))
	o := operand{typ: types.Text, ref: e.Span().Text(), name: "value"}
	switch v.form {
	case boolForm:
		o.code, o.typ = f.truthAt(v, f.g.where(e)).code, types.Bool
	default:
		o.code = f.textAt(v, f.g.where(e))
	}
	return o
}

// compute returns the code of an expression.
func (f *function) compute(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Literal:
		return f.constant(e)
	case *expr.Input:
		return f.inputValue(e)
	case *expr.Local:
		return f.localValue(e.Of)
	case *expr.StepValue:
		return f.stepValue(e)
	case *expr.Global:
		return computed{code: f.evaluator().Dot("Func").Call(jen.Lit(e.Name), f.global(e.Name)), fails: true, level: unaryLevel}
	case *expr.UndefinedName:
		return computed{code: f.evaluator().Dot("Undefined").Call(jen.Lit(e.Name)), fails: true, level: unaryLevel}
	case *expr.Attr:
		return f.attr(e)
	case *expr.Item:
		return f.method("Item", f.compute(e.X), f.compute(e.Key))
	case *expr.Slice:
		return f.method("Slice", f.compute(e.X), f.orNone(e.Low), f.orNone(e.High), f.orNone(e.Step))
	case *expr.Call:
		return f.call(e)
	case *expr.Filter:
		return f.filter(e)
	case *expr.Test:
		return f.test(e)
	case *expr.Arith:
		return f.arith(e)
	case *expr.Sign:
		if e.Negative {
			return f.method("Neg", f.compute(e.X))
		}
		return f.method("Pos", f.compute(e.X))
	case *expr.Concat:
		return f.concat(e)
	case *expr.Relation:
		return f.relation(e)
	case *expr.Either:
		return f.either(e)
	case *expr.Negation:
		return f.not(f.strict(e.X))
	case *expr.Choose:
		return f.choose(e)
	case *expr.ListOf:
		return f.listOf(e)
	case *expr.DictOf:
		return f.dictOf(e)
	case *expr.Rendered:
		return f.rendered(e.Text.(*template.Template))
	case *expr.Holds:
		return f.holdsText(e)
	case *expr.Str:
		return f.str(f.strict(e.X))
	case *expr.Convert:
		return f.convert(e)
	case *expr.GoCall:
		return f.goCall(e)
	case *expr.Approved:
		return plainly(boolForm, f.task(f.g.byID[e.Node]).Dot("Approved").Call())
	case *expr.Logic:
		op, level := connective(e.Op)
		return f.connect(op, level, f.truth(f.strict(e.X)), f.truth(f.strict(e.Y)))
	case *expr.Not:
		return f.not(f.strict(e.X))
	}
	return f.staticValue(e)
}

// staticValue is a value of the expressions that other dialects have, too.
func (f *function) staticValue(e expr.Expr) computed {
	o := f.operand(e)
	if o.typ == types.Bool && !o.opt && o.lit == nil {
		return plainly(boolForm, o.code)
	}
	return computed{code: text(o), form: stringForm, level: unaryLevel}
}

// method is a call of the evaluator that gives a value.
func (f *function) method(name string, operands ...computed) computed {
	list := make([]jen.Code, len(operands))
	for i, a := range operands {
		list[i] = a.value()
	}
	return computed{code: f.evaluator().Dot(name).Add(args(list...)), fails: true, level: unaryLevel}
}

func (f *function) orNone(e expr.Expr) computed {
	if e == nil {
		return none()
	}
	return f.compute(e)
}

func none() computed { return plainly(anyForm, jen.Qual(pyPath, "None").Values()) }

// constant is the code of a literal.
func (f *function) constant(e *expr.Literal) computed {
	switch t := literalType(e); {
	case types.IsText(t):
		c := plainly(stringForm, f.g.quote(e.Text))
		c.literal, c.constant = true, &e.Text
		return c
	case t == types.Bool:
		return plainly(boolForm, jen.Lit(strings.EqualFold(e.Text, "true")))
	case t == types.Null:
		return none()
	case t == types.Int:
		n, ok := new(big.Int).SetString(strings.ReplaceAll(e.Text, "_", ""), 0)
		if !ok { // a leading zero is not that of an octal number
			n, ok = new(big.Int).SetString(strings.ReplaceAll(e.Text, "_", ""), 10)
		}
		switch {
		case ok && n.IsInt64():
			c := plainly(intForm, jen.Op(n.String()))
			c.literal, c.number = true, n.String()
			return c
		case ok:
			return f.recorded(n.String())
		}
	case t == types.Float:
		if v, err := strconv.ParseFloat(strings.ReplaceAll(e.Text, "_", ""), 64); err == nil && !math.IsInf(v, 0) {
			return plainly(anyForm, jen.Qual(pyPath, "Float").Call(jen.Op(strconv.FormatFloat(v, 'g', -1, 64))))
		}
		return f.recorded("Infinity")
	}
	return f.recorded(e.Text)
}

// recorded is a value that a JSON text holds.
func (f *function) recorded(json string) computed {
	return computed{code: f.evaluator().Dot("Loads").Add(args(f.g.quote(json))), fails: true, level: unaryLevel}
}

// inputValue is the value of an input.
func (f *function) inputValue(e *expr.Input) computed {
	f.uses.inputs = true
	in := f.g.inputs[e.Name]
	t, read := in.Type, in.read()
	if o, ok := t.(*types.Optional); ok && !nilable(o.Elem) {
		return plainly(anyForm, jen.Qual(pyPath, "OrNone").Call(read))
	}
	if v, ok := goValue(t, read); ok {
		return v
	}
	if l, ok := t.(*types.List); ok {
		if _, basic := goValue(l.Elem, jen.Null()); basic {
			return plainly(anyForm, jen.Qual(pyPath, "ListOf").Call(read))
		}
	}
	return computed{code: f.evaluator().Dot("Loads").Add(args(jen.Qual(valuePath, "Encode").Call(read))), fails: true, level: unaryLevel}
}

// goValue is the code of a Go value of a basic type.
func goValue(t types.Type, code *jen.Statement) (computed, bool) {
	switch {
	case types.IsText(t):
		if _, enum := t.(*types.Enum); enum {
			code = jen.String().Call(code)
		}
		return plainly(stringForm, code), true
	case t == types.Int:
		return plainly(intForm, code), true
	case t == types.Bool:
		return plainly(boolForm, code), true
	case t == types.Float:
		return plainly(anyForm, jen.Qual(pyPath, "Float").Call(code)), true
	}
	return computed{}, false
}

// listOf is a list or a tuple.
func (f *function) listOf(e *expr.ListOf) computed {
	items, fails := f.values(e.Items)
	if e.Tuple {
		return computed{code: f.evaluator().Dot("Tuple").Call(items...), fails: true, level: unaryLevel}
	}
	return computed{code: jen.Qual(pyPath, "NewList").Call(items...), fails: fails, level: unaryLevel}
}

func (f *function) dictOf(e *expr.DictOf) computed {
	var items []jen.Code
	for i, key := range e.Keys {
		pair, _ := f.values([]expr.Expr{key, e.Values[i]})
		items = append(items, pair...)
	}
	return computed{code: f.evaluator().Dot("Dict").Add(args(items...)), fails: true, level: unaryLevel}
}

// values are the codes of values; fails says that one uses the evaluator.
func (f *function) values(list []expr.Expr) (code []jen.Code, fails bool) {
	for _, e := range list {
		v := f.compute(e)
		fails = fails || v.fails
		code = append(code, v.value())
	}
	return code, fails
}

// rendered is the text of a template within an expression.
func (f *function) rendered(t *template.Template) computed {
	if !t.Statements() {
		code := f.holes(t)
		return computed{code: code.code, form: stringForm, fails: code.fails, level: compareLevel}
	}
	body := f.inside(func() { f.statements(t, "", "") })
	return computed{code: f.evaluator().Dot("Capture").Add(args(jen.Func().Params().Block(body...))), form: stringForm, fails: true, level: unaryLevel}
}

// holdsText decides a condition by its text.
func (f *function) holdsText(e *expr.Holds) computed {
	v := f.conditionValue(shownBy(e))
	switch {
	case v.constant != nil:
		return plainly(boolForm, jen.Lit(!expr.IsFalseText(*v.constant)))
	case v.form == boolForm, v.form == intForm:
		return f.truth(v)
	case v.form == stringForm:
		return computed{code: jen.Qual(pyPath, "Condition").Call(v.code), form: boolForm, fails: v.fails, level: unaryLevel}
	}
	return computed{code: f.evaluator().Dot("Condition").Add(args(v.code)), form: boolForm, fails: true, level: unaryLevel}
}

// conversions are the evaluator's methods by the types that they make.
var conversions = map[types.Type]struct {
	method string
	form   form
}{
	types.Int: {"ToInt", intForm}, types.Float: {"ToFloat", anyForm}, types.Bool: {"ToBool", boolForm},
	types.Word: {"ToWord", stringForm}, types.Line: {"ToLine", stringForm}, types.Path: {"ToPath", stringForm},
}

// convert reads a text as a value of a basic type.
func (f *function) convert(e *expr.Convert) computed {
	x := f.str(f.strict(e.X))
	to, ok := e.To.(types.Basic)
	if !ok || conversions[to].method == "" {
		if o, ok := e.To.(*types.Optional); ok {
			return f.convert(&expr.Convert{At: e.At, X: e.X, To: o.Elem, What: e.What})
		}
		return x
	}
	c := conversions[to]
	f.requires = f.requires || to == types.Path
	code := f.evaluator().Dot(c.method).Add(args(x.code, jen.Lit(cleanLine(e.What))))
	if to == types.Float {
		code = jen.Qual(pyPath, "Float").Call(code)
	}
	return computed{code: code, form: c.form, fails: true, level: unaryLevel}
}

// global is the method of py.Globals for a global function.
func (f *function) global(name string) *jen.Statement {
	sig, ok := pynames.Globals.Find(name)
	if !ok {
		panic(fmt.Sprintf("the unknown global function %s reached the generator", name))
	}
	return pyMethod("Globals", sig)
}

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
	// number is the text of a constant that is a whole number, or "".
	number string
	// length is the code of a length as an int, or nil.
	length *jen.Statement
	// text is the code of the text of a choice between two whole numbers, or nil.
	text *jen.Statement
}

// short is a length as an int.
func (v computed) short() computed {
	if v.length != nil {
		v.code = v.length
	}
	return v
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
	return jen.Add(boolean{code: v.code, level: v.level}.within(level))
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
		switch {
		case v.length != nil:
			out.code = jen.Qual(strconvPath, "Itoa").Call(v.length)
		case v.text != nil:
			out.code = v.text
		default:
			out.code = jen.Qual(strconvPath, "FormatInt").Call(v.code, jen.Lit(10))
		}
	case boolForm:
		out.code = jen.Qual(pyPath, "Bool").Call(v.code).Dot("String").Call()
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
		return f.evaluator().Dot("Text").Add(args(f.member(v.field), f.g.whereText(at)))
	}
	if v.form == anyForm || v.fails {
		return f.evaluator().Dot("Text").Add(args(v.value(), f.g.whereText(at)))
	}
	return f.str(v).code
}

// truthAt is the value's truth as it leaves the template.
func (f *function) truthAt(v computed, at string) boolean {
	switch {
	case v.form == anyForm:
		return boolean{code: f.evaluator().Dot("If").Add(args(v.code, f.g.whereText(at))), level: unaryLevel}
	case v.fails:
		return boolean{code: f.evaluator().Dot("Holds").Add(args(f.truth(v).code, f.g.whereText(at))), level: unaryLevel}
	}
	t := f.truth(v)
	return boolean{code: t.code, level: t.level}
}

// valueAt is the value as a py.Value when it leaves an expression for a variable.
func (f *function) valueAt(v computed, at string) *jen.Statement {
	if v.fails {
		return f.evaluator().Dot("Value").Add(args(v.value(), f.g.whereText(at)))
	}
	return v.value()
}

// thunk is a function that computes a value when it is asked for.
func thunk(v computed) *jen.Statement {
	if v.literal {
		return call(pyPath, "Const", v.value())
	}
	return jen.Func().Params().Add(anyForm.goType()).Add(oneLine(jen.Return(v.value())))
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
	switch {
	case strings.HasPrefix(text, "{"):
	case inBraces(e.Span()):
		text = "{{ " + text + " }}"
	default:
		text = "`" + text + "`"
	}
	return g.placeOf(text, e.Span())
}

// inBraces reports whether a place is all that stands in double braces.
func inBraces(at source.Span) bool {
	if !at.IsValid() {
		return false
	}
	content := at.File.Content
	return bytes.HasSuffix(bytes.TrimRight(content[:at.Start], " "), []byte("{{")) && bytes.HasPrefix(bytes.TrimLeft(content[at.End:], " "), []byte("}}"))
}
