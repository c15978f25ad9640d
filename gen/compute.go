package gen

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// Where types are known, the expressions of templates become plain Go. What is
// left is computed by an evaluator that keeps the first error, so that the code
// reads as an expression does:
//
//	var e jinja.Eval
//	orders := e.Step(fetchOrders)
//	prompt := "In all " + e.Text(e.Add(e.Attr(orders, "count"), py.Int(1)), "{{ orders.count + 1 }} (line 12)")
//	if err := e.Err(); err != nil {
//		return "", err
//	}
//
// A function declares the evaluator when it first needs it. Code that emits a use of the
// evaluator calls checkEvaluator, so that the generated code checks the error before it uses
// the value; writePredicate does so at the end of a predicate.

// dynamicOperand is the value of a dynamic expression where its text is read, or
// its truth when it is a condition.
func (f valueWriter) dynamicOperand(e expr.Expr) operand {
	v := f.strictValue(stringOf(e))
	o := operand{typ: types.Text, ref: e.Span().Text(), name: "value"}
	switch v.form {
	case boolForm:
		o.code, o.typ = f.truthAt(v, f.g.placeOfExpr(e)).code, types.Bool
	default:
		o.code = f.textAt(v, f.g.placeOfExpr(e))
	}
	return o
}

// computeValue returns the code of an expression.
func (f valueWriter) computeValue(e expr.Expr) computed {
	switch e := e.(type) {
	case *expr.Literal:
		return f.constantValue(e)
	case *expr.Input:
		return f.inputValue(e)
	case *expr.Local:
		return f.localValue(e.Of)
	case *expr.StepValue:
		return f.stepValue(e)
	case *expr.Global:
		return computed{code: f.useEvaluator().Dot("Func").Call(jen.Lit(e.Name), f.globalMethod(e.Name)), fails: true, level: unaryLevel}
	case *expr.UndefinedName:
		return computed{code: f.useEvaluator().Dot("Undefined").Call(jen.Lit(e.Name)), fails: true, level: unaryLevel}
	case *expr.Attr:
		return f.attrValue(e)
	case *expr.Item:
		return f.methodValue("Item", f.computeValue(e.X), f.computeValue(e.Key))
	case *expr.Slice:
		return f.methodValue("Slice", f.computeValue(e.X), f.orNone(e.Low), f.orNone(e.High), f.orNone(e.Step))
	case *expr.Call:
		return f.callValue(e)
	case *expr.Filter:
		return f.filterValue(e)
	case *expr.Test:
		return f.testValue(e)
	case *expr.Arith:
		return f.arithValue(e)
	case *expr.Sign:
		if e.Negative {
			return f.methodValue("Neg", f.computeValue(e.X))
		}
		return f.methodValue("Pos", f.computeValue(e.X))
	case *expr.Concat:
		return f.concatValue(e)
	case *expr.Relation:
		return f.relationValue(e)
	case *expr.Either:
		return f.eitherValue(e)
	case *expr.Negation:
		return f.notValue(f.strictValue(e.X))
	case *expr.Choose:
		return f.chooseValue(e)
	case *expr.ListOf:
		return f.listOf(e)
	case *expr.DictOf:
		return f.dictOf(e)
	case *expr.Rendered:
		return f.renderedText(e.Text.(*template.Template))
	case *expr.Holds:
		return f.holdsText(e)
	case *expr.Str:
		return f.stringValue(f.strictValue(e.X))
	case *expr.Convert:
		return f.convertValue(e)
	case *expr.GoCall:
		return f.goCall(e)
	case *expr.Approved:
		return plainValue(boolForm, f.taskVariable(f.g.byID[e.Node]).Dot("Approved").Call())
	case *expr.Logic:
		op, level := goConnective(e.Op)
		return f.connectConditions(op, level, f.truthValue(f.strictValue(e.X)), f.truthValue(f.strictValue(e.Y)))
	case *expr.Not:
		return f.notValue(f.strictValue(e.X))
	}
	return f.staticValue(e)
}

// staticValue is a value of the expressions that other dialects have, too.
func (f valueWriter) staticValue(e expr.Expr) computed {
	o := f.asOperandWriter().operandCode(e)
	if o.typ == types.Bool && !o.opt && o.lit == nil {
		return plainValue(boolForm, o.code)
	}
	return computed{code: textOf(o), form: stringForm, level: unaryLevel}
}

// methodValue is a call of the evaluator that gives a value.
func (f valueWriter) methodValue(name string, operands ...computed) computed {
	list := make([]jen.Code, len(operands))
	for i, a := range operands {
		list[i] = a.pyValue()
	}
	return computed{code: f.useEvaluator().Dot(name).Call(list...), fails: true, level: unaryLevel}
}

func (f valueWriter) orNone(e expr.Expr) computed {
	if e == nil {
		return noneValue()
	}
	return f.computeValue(e)
}

// constantValue is the code of a literal.
func (f valueWriter) constantValue(e *expr.Literal) computed {
	switch t := literalType(e); {
	case types.IsText(t):
		c := plainValue(stringForm, f.g.quoteString(e.Text))
		c.literal, c.constant = true, &e.Text
		return c
	case t == types.Bool:
		return plainValue(boolForm, jen.Lit(strings.EqualFold(e.Text, "true")))
	case t == types.Null:
		return noneValue()
	case t == types.Int:
		n, ok := new(big.Int).SetString(strings.ReplaceAll(e.Text, "_", ""), 0)
		if !ok { // a leading zero is not that of an octal number
			n, ok = new(big.Int).SetString(strings.ReplaceAll(e.Text, "_", ""), 10)
		}
		switch {
		case ok && n.IsInt64():
			c := plainValue(intForm, jen.Op(n.String()))
			c.literal = true
			return c
		case ok:
			return f.recordedValue(n.String())
		}
	case t == types.Float:
		if v, err := strconv.ParseFloat(strings.ReplaceAll(e.Text, "_", ""), 64); err == nil && !math.IsInf(v, 0) {
			return plainValue(anyForm, jen.Qual(pyPath, "Float").Call(jen.Op(strconv.FormatFloat(v, 'g', -1, 64))))
		}
		return f.recordedValue("Infinity")
	}
	return f.recordedValue(e.Text)
}

// recordedValue is a value that a JSON text holds.
func (f valueWriter) recordedValue(json string) computed {
	return computed{code: f.useEvaluator().Dot("Loads").Call(f.g.quoteString(json)), fails: true, level: unaryLevel}
}

// inputValue is the value of an input.
func (f valueWriter) inputValue(e *expr.Input) computed {
	f.uses.inputs = true
	in := f.g.inputs[e.Name]
	t, read := in.Type, in.readCode()
	if o, ok := t.(*types.Optional); ok && !hasNil(o.Elem) {
		return plainValue(anyForm, jen.Qual(pyPath, "OrNone").Call(read))
	}
	if v, ok := goValue(t, read); ok {
		return v
	}
	if l, ok := t.(*types.List); ok {
		if _, basic := goValue(l.Elem, jen.Null()); basic {
			return plainValue(anyForm, jen.Qual(pyPath, "ListOf").Call(read))
		}
	}
	return computed{code: f.useEvaluator().Dot("Loads").Call(jen.Qual(valuePath, "Encode").Call(read)), fails: true, level: unaryLevel}
}

// listOf is a list or a tuple.
func (f valueWriter) listOf(e *expr.ListOf) computed {
	items, fails := f.valueList(e.Items)
	if e.Tuple {
		return computed{code: f.useEvaluator().Dot("Tuple").Call(items...), fails: true, level: unaryLevel}
	}
	return computed{code: jen.Qual(pyPath, "NewList").Call(items...), fails: fails, level: unaryLevel}
}

func (f valueWriter) dictOf(e *expr.DictOf) computed {
	var items []jen.Code
	for i, key := range e.Keys {
		pair, _ := f.valueList([]expr.Expr{key, e.Values[i]})
		items = append(items, pair...)
	}
	return computed{code: f.useEvaluator().Dot("Dict").Call(items...), fails: true, level: unaryLevel}
}

// valueList is the codes of values; fails says that one uses the evaluator.
func (f valueWriter) valueList(list []expr.Expr) (code []jen.Code, fails bool) {
	for _, e := range list {
		v := f.computeValue(e)
		fails = fails || v.fails
		code = append(code, v.pyValue())
	}
	return code, fails
}

// renderedText is the text of a template within an expression.
func (f valueWriter) renderedText(t *template.Template) computed {
	if !t.Statements() {
		code := f.asTextWriter().holesText(t)
		return computed{code: code.code, form: stringForm, fails: code.fails, level: compareLevel}
	}
	body := f.innerBlock(func() { f.asTextWriter().writeStatements(t, "", "") })
	return computed{code: f.useEvaluator().Dot("Capture").Call(jen.Func().Params().Block(body...)), form: stringForm, fails: true, level: unaryLevel}
}

// holdsText decides a condition by its text.
func (f valueWriter) holdsText(e *expr.Holds) computed {
	v := f.conditionValue(decidingValue(e))
	switch {
	case v.constant != nil:
		return plainValue(boolForm, jen.Lit(!expr.IsFalseText(*v.constant)))
	case v.form == boolForm, v.form == intForm:
		return f.truthValue(v)
	case v.form == stringForm:
		return computed{code: jen.Qual(jinjaPath, "Condition").Call(v.code), form: boolForm, fails: v.fails, level: unaryLevel}
	}
	return computed{code: f.useEvaluator().Dot("Condition").Call(v.code), form: boolForm, fails: true, level: unaryLevel}
}

// conversions are the evaluator's methods by the types that they make.
var conversions = map[types.Type]struct {
	method string
	form   form
}{
	types.Int: {"ToInt", intForm}, types.Float: {"ToFloat", anyForm}, types.Bool: {"ToBool", boolForm},
	types.Word: {"ToWord", stringForm}, types.Line: {"ToLine", stringForm}, types.Path: {"ToPath", stringForm},
}

// convertValue reads a text as a value of a basic type.
func (f valueWriter) convertValue(e *expr.Convert) computed {
	x := f.stringValue(f.strictValue(e.X))
	if enum, ok := e.To.(*types.Enum); ok {
		args := append([]jen.Code{x.code, jen.Lit(cleanLine(e.What))}, stringLiterals(enum.Values)...)
		return computed{code: f.useEvaluator().Dot("ToChoice").Call(args...), form: stringForm, fails: true, level: unaryLevel}
	}
	to, ok := e.To.(types.Basic)
	if !ok || conversions[to].method == "" {
		if o, ok := e.To.(*types.Optional); ok {
			return f.convertValue(&expr.Convert{At: e.At, X: e.X, To: o.Elem, What: e.What})
		}
		return x
	}
	c := conversions[to]
	f.requires = f.requires || to == types.Path
	code := f.useEvaluator().Dot(c.method).Call(x.code, jen.Lit(cleanLine(e.What)))
	if to == types.Float {
		code = jen.Qual(pyPath, "Float").Call(code)
	}
	return computed{code: code, form: c.form, fails: true, level: unaryLevel}
}

// globalMethod is the method of py.Globals for a global function.
func (f valueWriter) globalMethod(name string) *jen.Statement {
	sig, ok := pynames.Globals.Find(name)
	if !ok {
		panic(fmt.Sprintf("the unknown global function %s reached the generator", name))
	}
	return pyMethod("Globals", sig)
}

// stringValue is the value's text, as Python prints it.
func (f valueWriter) stringValue(v computed) computed {
	out := computed{form: stringForm, fails: v.fails, level: unaryLevel}
	switch v.form {
	case stringForm:
		return v
	case intForm:
		out.code = jen.Qual(strconvPath, "FormatInt").Call(v.code, jen.Lit(10))
	case boolForm:
		out.code = jen.Qual(pyPath, "Bool").Call(v.code).Dot("String").Call()
	default:
		out.code, out.fails = f.useEvaluator().Dot("Str").Call(v.code), true
	}
	return out
}

// truthValue is the value's truth.
func (f valueWriter) truthValue(v computed) computed {
	out := computed{form: boolForm, fails: v.fails, level: compareLevel}
	switch v.form {
	case boolForm:
		return v
	case stringForm:
		out.code = v.asOperand().Op("!=").Lit("")
	case intForm:
		out.code = v.asOperand().Op("!=").Lit(0)
	default:
		out.code, out.fails, out.level = f.useEvaluator().Dot("Truth").Call(v.code), true, unaryLevel
	}
	return out
}

// textAt is the value's text as it leaves the template. at is what a message says
// of the place.
func (f valueWriter) textAt(v computed, at string) *jen.Statement {
	if v.field != nil {
		return f.useEvaluator().Dot("Text").Call(f.memberValue(v.field), f.g.whereText(at))
	}
	if v.form == anyForm || v.fails {
		return f.useEvaluator().Dot("Text").Call(v.pyValue(), f.g.whereText(at))
	}
	return f.stringValue(v).code
}

// truthAt is the value's truth as it leaves the template.
func (f valueWriter) truthAt(v computed, at string) boolean {
	switch {
	case v.form == anyForm:
		return boolean{code: f.useEvaluator().Dot("If").Call(v.code, f.g.whereText(at)), level: unaryLevel}
	case v.fails:
		return boolean{code: f.useEvaluator().Dot("Holds").Call(f.truthValue(v).code, f.g.whereText(at)), level: unaryLevel}
	}
	t := f.truthValue(v)
	return boolean{code: t.code, level: t.level}
}

// valueAt is the value as a py.Value when it leaves an expression for a variable.
func (f valueWriter) valueAt(v computed, at string) *jen.Statement {
	if v.fails {
		return f.useEvaluator().Dot("Value").Call(v.pyValue(), f.g.whereText(at))
	}
	return v.pyValue()
}

// stepValue is a step's output.
func (f valueWriter) stepValue(e *expr.StepValue) computed {
	n := f.g.byID[e.Node]
	text := types.IsText(n.Output)
	if text && e.Presence.Always() {
		return plainValue(stringForm, f.taskVariable(n).Dot("MustOutput").Call().Dot("Text"))
	}
	read := "Step"
	if text {
		read = "StepText"
	}
	code := func() *jen.Statement { return f.useEvaluator().Dot(read).Call(f.taskVariable(n)) }
	return f.shareValue("step "+n.ID, n.task+"Output", code)
}

// localValue is the value of something declared: by the template, or around the
// function.
func (f valueWriter) localValue(d *expr.Declared) computed {
	if v, ok := f.vars[d]; ok {
		f.varReads[d]++
		return computed{code: jen.Id(v.name), form: v.form, level: unaryLevel}
	}
	l := f.boundLocal(d)
	if l == nil {
		panic(fmt.Sprintf("the variable %s reached the generator without a place", d.Name))
	}
	key, name := "local "+l.name, unexportedName(exportedName(d.Name, "Value"))+"Output"
	before := []jen.Code{jen.Lit(d.Name), jen.Id(l.name).Dot("Text"), jen.Id(l.name).Dot("OK")}
	switch l.form {
	case typedForm:
		return plainValue(l.value, jen.Id(l.name))
	case textForm:
		return plainValue(stringForm, jen.Id(l.name))
	case outputForm:
		return f.shareValue(key, name, func() *jen.Statement { return f.useEvaluator().Dot("Output").Call(jen.Lit(d.Name), jen.Id(l.name)) })
	case previousForm:
		return f.shareValue(key, name, func() *jen.Statement { return f.useEvaluator().Dot("Previous").Call(before...) })
	case textPreviousForm:
		return f.shareValue(key, name, func() *jen.Statement { return f.useEvaluator().Dot("PreviousText").Call(before...) })
	}
	return plainValue(anyForm, jen.Id(l.name))
}

// selectField returns how Go selects an attribute of a step's output, or nil if the code must
// look it up in the text: because the step may have been skipped, a level above the attribute
// may be missing, or Go cannot distinguish missing from null. The task becomes a parameter.
func (f valueWriter) selectField(e expr.Expr) *selection {
	var path []string
	for {
		a, ok := e.(*expr.Attr)
		if !ok {
			break
		}
		path, e = append(path, a.Name), a.X
	}
	root, at := f.typedRoot(e)
	if at == nil {
		return nil
	}
	var names []string
	for i := len(path) - 1; i >= 0; i-- {
		object, ok := at.typ.(*types.Struct)
		if !ok || at.opt || f.g.types.structs[object] == nil {
			return nil
		}
		field := f.g.types.structs[object].fieldNamed(path[i])
		if field == nil {
			return nil
		}
		names = append(names, field.name)
		at.path = append(at.path, field.json)
		at.name, at.typ, at.opt = field.json, field.field.Type, !field.field.Required
		if _, null := at.typ.(*types.Optional); null {
			return nil
		}
	}
	at.code = root()
	for _, name := range names {
		at.code.Dot(name)
	}
	return at
}

// typedRoot returns what a selection begins with: a step's output, or the item of a
// list of such. The code is made only when it is wanted, for it makes the task a
// parameter.
func (f valueWriter) typedRoot(e expr.Expr) (code func() *jen.Statement, at *selection) {
	switch e := e.(type) {
	case *expr.StepValue:
		if n := f.g.byID[e.Node]; n.typed && e.Presence.Always() {
			return func() *jen.Statement { return f.taskVariable(n).Dot("MustOutput").Call().Dot("Value") }, &selection{typ: n.Output, step: n}
		}
	case *expr.Local:
		if v := f.vars[e.Of]; v.item != nil {
			return func() *jen.Statement {
				f.varReads[e.Of]++
				return jen.Id(v.name)
			}, &selection{typ: v.item}
		}
		if l := f.g.locals[e.Of]; l != nil && l.item != nil {
			return func() *jen.Statement { return jen.Id(f.boundLocal(e.Of).name) }, &selection{typ: l.item}
		}
	}
	return nil, nil
}

// attrValue is an attribute, else the item of that key.
func (f valueWriter) attrValue(e *expr.Attr) computed {
	if s := f.scalarSelection(e); s != nil {
		if s.opt {
			return plainValue(anyForm, f.memberValue(s))
		}
		v, _ := goValue(s.typ, s.code)
		return v
	}
	method := "Attr"
	if e.Lenient {
		method = "LenientAttr"
	}
	return computed{code: f.useEvaluator().Dot(method).Call(f.computeValue(e.X).pyValue(), jen.Lit(e.Name)), fails: true, level: unaryLevel}
}

// memberValue is the value of a field that may be missing.
func (f valueWriter) memberValue(s *selection) *jen.Statement {
	return callFunc(pyPath, "Member", append([]jen.Code{s.code}, f.fieldName(s)...)...)
}

// fieldName returns the arguments that name a field in the message if it is missing.
func (f valueWriter) fieldName(s *selection) []jen.Code {
	if s.step == nil {
		return []jen.Code{jen.Lit(s.name)}
	}
	return []jen.Code{jen.Lit(strings.Join(s.path, ".")), f.taskVariable(s.step)}
}

// strictValue is computeValue where an undefined value is an error: then the value of a field
// that may not be there is one of its type.
func (f valueWriter) strictValue(e expr.Expr) computed {
	a, ok := e.(*expr.Attr)
	if !ok {
		return f.computeValue(e)
	}
	s := f.scalarSelection(a)
	if s == nil || !s.opt {
		return f.computeValue(e)
	}
	v, _ := goValue(s.typ, jen.Qual(pyPath, "Required").Call(append([]jen.Code{jen.Op("&").Add(f.useEvaluator()), s.code}, f.fieldName(s)...)...))
	v.fails, v.field = true, s
	return v
}

// scalarSelection is selectField for values whose Go form says all that there is to say of them: the
// text of a float may be that of a whole number, and objects may have more fields
// than the declared ones.
func (f valueWriter) scalarSelection(e expr.Expr) *selection {
	if !types.IsText(e.Type()) && e.Type() != types.Int && e.Type() != types.Bool {
		return nil
	}
	s := f.selectField(e)
	if s == nil || !types.IsText(s.typ) && s.typ != types.Int && s.typ != types.Bool {
		return nil
	}
	return s
}

// itemsCode is the code of the values that a step is repeated for, a []py.Value; see
// ir.LoopVar. The evaluator's error is to be checked.
func (f valueWriter) itemsCode(e expr.Expr) *jen.Statement {
	return f.useEvaluator().Dot("Items").Call(f.computeValue(e).pyValue(), jen.Lit(f.g.placeOfExpr(e)))
}
