package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// Where types are known, the expressions of templates become plain Go. What is
// left is computed by an evaluator that keeps the first error, so that the code
// reads as an expression does:
//
//	var e py.Eval
//	orders := e.Step(fetchOrders)
//	prompt := "In all " + e.Text(e.Add(e.Attr(orders, "count"), py.Int(1)), "{{ orders.count + 1 }} (line 12)")
//	if err := e.Err(); err != nil {
//		return "", err
//	}
//
// The evaluator is declared when the function first needs it. Whoever emits code
// that uses it sees to it, by check, that its error is looked at before anything
// is done with the value; returnCondition does so at the end of a predicate.

const pyPath = modulePath + "/runtime/value/py"

// evaluatorName is the variable of the evaluator.
const evaluatorName = "e"

// A localForm says what the Go variable of something declared holds.
type localForm int

const (
	// valueForm: a py.Value.
	valueForm localForm = iota
	// textForm: a string that is the text itself.
	textForm
	// outputForm: a string that is a step's output as it is recorded, JSON.
	outputForm
	// previousForm: a steps.Previous, whose text is as in outputForm, or undefined.
	previousForm
	// textPreviousForm: a steps.Previous of a step whose output is text.
	textPreviousForm
	// typedForm: a value of a Go type that the compiler knows.
	typedForm
)

// A local is a Go variable that holds something declared outside of the function
// that reads it: the variable of a ForEach, the previous output of a Repeat.
type local struct {
	of   *expr.Declared
	name string
	form localForm
	// value is the form of a typed value, and item the type of one that is an
	// object, of which only fields are read.
	value form
	item  *types.Struct
	// typ is the Go type of an object.
	typ string
	// order is its place among the variables, as they are declared.
	order int
}

// locate says in which Go variable something declared is found from now on. A
// function that reads it gets the variable as a parameter of that name, unless it
// owns it.
func (g *goPackage) locate(d *expr.Declared, name string, form localForm) {
	g.place(&local{of: d, name: name, form: form})
}

// place is locate for a variable of any kind.
func (g *goPackage) place(l *local) {
	if g.locals == nil {
		g.locals = map[*expr.Declared]*local{}
	}
	if l.item != nil {
		l.typ = g.types.structs[l.item].name
	}
	l.order = len(g.locals)
	g.locals[l.of] = l
}

// owns says that the function has the variable of something declared anyway: as a
// parameter that the kernel fills, or because it declares it.
func (f *function) owns(d *expr.Declared) {
	if f.owned == nil {
		f.owned = map[*expr.Declared]bool{}
	}
	f.owned[d] = true
	f.root().take(f.g.locals[d].name)
}

// bound returns the variable of something declared outside of the function, which
// becomes a parameter unless the function owns it.
func (f *function) bound(d *expr.Declared) *local {
	l := f.g.locals[d]
	if l != nil && !f.owned[d] {
		f.uses.local(l)
	}
	return l
}

// local notes that a function reads a variable.
func (u *uses) local(l *local) {
	if !slices.Contains(u.locals, l) {
		u.locals = append(u.locals, l)
		slices.SortFunc(u.locals, func(a, b *local) int { return a.order - b.order })
	}
}

// code is the variable's Go type.
func (l *local) code() *jen.Statement {
	switch l.form {
	case textForm, outputForm:
		return jen.String()
	case typedForm:
		if l.item != nil {
			return jen.Id(l.typ)
		}
		return l.value.goType()
	case previousForm, textPreviousForm:
		return jen.Qual(stepsPath, "Previous")
	}
	return jen.Qual(pyPath, "Value")
}

// needs takes over what a function that this one calls needs of the flow.
func (f *function) needs(u *uses) {
	f.uses.inputs = f.uses.inputs || u.inputs
	for _, n := range u.nodes {
		f.task(n)
	}
	for _, n := range u.previous {
		f.lastTask(n)
	}
	f.uses.iteration = f.uses.iteration || u.iteration && f.home == nil
	for _, l := range u.locals {
		if !f.owned[l.of] {
			f.uses.local(l)
		}
	}
}

// evaluator is the function's evaluator, which it declares when it is new. Its
// error is to be looked at; see check.
func (f *function) evaluator() *jen.Statement {
	if f.evaluates == "" {
		f.evaluates = f.shared(evaluatorName)
		f.root().add(jen.Var().Id(f.evaluates).Qual(pyPath, "Eval"))
	}
	f.unchecked = true
	return jen.Id(f.evaluates)
}

// root is the function's outermost block.
func (f *function) root() *block { return f.block.root() }

// check emits the return of the evaluator's error if there can be one that was
// not looked at.
func (f *function) check() {
	if !f.unchecked {
		return
	}
	f.unchecked = false
	failed := jen.Err().Op(":=").Id(f.evaluates).Dot("Err").Call()
	f.block.add(jen.If(failed, jen.Err().Op("!=").Nil()).Block(jen.Return(f.zero, jen.Err())))
}

// stepValue is a step's output.
func (f valueWriter) stepValue(e *expr.StepValue) computed {
	n := f.g.byID[e.Node]
	text := types.IsText(n.Output)
	if text && e.Presence.Always() {
		return plainly(stringForm, f.task(n).Dot("Output").Call().Dot("Text"))
	}
	read := "Step"
	if text {
		read = "StepText"
	}
	code := func() *jen.Statement { return f.evaluator().Dot(read).Call(f.task(n)) }
	return f.share("step "+n.ID, n.task+"Output", code)
}

// share is a value that the whole function shares, so that all parts of a template
// see one object.
func (f *function) share(key, name string, code func() *jen.Statement) computed {
	root := f.root()
	v, known := root.read[key]
	if !known {
		v = f.shared(name)
		if root.read == nil {
			root.read = map[string]string{}
		}
		root.read[key] = v
		root.add(jen.Id(v).Op(":=").Add(code()))
	}
	return computed{code: jen.Id(v), fails: true, level: unaryLevel}
}

// localValue is the value of something declared: by the template, or around the
// function.
func (f valueWriter) localValue(d *expr.Declared) computed {
	if v, ok := f.vars[d]; ok {
		f.varReads[d]++
		return computed{code: jen.Id(v.name), form: v.form, level: unaryLevel}
	}
	l := f.bound(d)
	if l == nil {
		panic(fmt.Sprintf("the variable %s reached the generator without a place", d.Name))
	}
	key, name := "local "+l.name, unexported(exported(d.Name, "Value"))+"Output"
	before := []jen.Code{jen.Lit(d.Name), jen.Id(l.name).Dot("Text"), jen.Id(l.name).Dot("OK")}
	switch l.form {
	case typedForm:
		return plainly(l.value, jen.Id(l.name))
	case textForm:
		return plainly(stringForm, jen.Id(l.name))
	case outputForm:
		return f.share(key, name, func() *jen.Statement { return f.evaluator().Dot("Output").Call(jen.Lit(d.Name), jen.Id(l.name)) })
	case previousForm:
		return f.share(key, name, func() *jen.Statement { return f.evaluator().Dot("Previous").Call(before...) })
	case textPreviousForm:
		return f.share(key, name, func() *jen.Statement { return f.evaluator().Dot("PreviousText").Call(before...) })
	}
	return plainly(anyForm, jen.Id(l.name))
}

// A selection is a field of a step's typed output.
type selection struct {
	code *jen.Statement
	typ  types.Type
	// name is the field's own, and opt says that the code is a pointer, which is nil
	// when the field is not there.
	name string
	opt  bool
	// step is the step in whose output the field is, for messages, and path the names of
	// the fields that lead to it; nil for items of lists.
	step *node
	path []string
}

// sel returns how Go selects an attribute of a step's output, or nil when its value
// must be looked up in the text: because the step may have been skipped, because a
// level above it may be missing, or because Go cannot tell what is not there from
// what is null. The task becomes a
// parameter.
func (f valueWriter) sel(e expr.Expr) *selection {
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
		field := f.g.types.structs[object].lookup(path[i])
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
			return func() *jen.Statement { return f.task(n).Dot("Output").Call().Dot("Value") }, &selection{typ: n.Output, step: n}
		}
	case *expr.Local:
		if v := f.vars[e.Of]; v.item != nil {
			return func() *jen.Statement {
				f.varReads[e.Of]++
				return jen.Id(v.name)
			}, &selection{typ: v.item}
		}
		if l := f.g.locals[e.Of]; l != nil && l.item != nil {
			return func() *jen.Statement { return jen.Id(f.bound(e.Of).name) }, &selection{typ: l.item}
		}
	}
	return nil, nil
}

// attr is an attribute, else the item of that key.
func (f valueWriter) attr(e *expr.Attr) computed {
	if s := f.scalar(e); s != nil {
		if s.opt {
			return plainly(anyForm, f.member(s))
		}
		v, _ := goValue(s.typ, s.code)
		return v
	}
	method := "Attr"
	if e.Lenient {
		method = "LenientAttr"
	}
	return computed{code: f.evaluator().Dot(method).Call(f.compute(e.X).value(), jen.Lit(e.Name)), fails: true, level: unaryLevel}
}

// member is the value of a field that may be missing.
func (f valueWriter) member(s *selection) *jen.Statement {
	return call(pyPath, "Member", append([]jen.Code{s.code}, f.fieldName(s)...)...)
}

// fieldName returns the arguments that name a field in the message if it is missing.
func (f valueWriter) fieldName(s *selection) []jen.Code {
	if s.step == nil {
		return []jen.Code{jen.Lit(s.name)}
	}
	return []jen.Code{jen.Lit(strings.Join(s.path, ".")), f.task(s.step)}
}

// strict is compute where an undefined value is an error: then the value of a field
// that may not be there is one of its type.
func (f valueWriter) strict(e expr.Expr) computed {
	a, ok := e.(*expr.Attr)
	if !ok {
		return f.compute(e)
	}
	s := f.scalar(a)
	if s == nil || !s.opt {
		return f.compute(e)
	}
	v, _ := goValue(s.typ, jen.Qual(pyPath, "Required").Call(append([]jen.Code{jen.Op("&").Add(f.evaluator()), s.code}, f.fieldName(s)...)...))
	v.fails, v.field = true, s
	return v
}

// scalar is sel for values whose Go form says all that there is to say of them: the
// text of a float may be that of a whole number, and objects may have more fields
// than the declared ones.
func (f valueWriter) scalar(e expr.Expr) *selection {
	if !types.IsText(e.Type()) && e.Type() != types.Int && e.Type() != types.Bool {
		return nil
	}
	s := f.sel(e)
	if s == nil || !types.IsText(s.typ) && s.typ != types.Int && s.typ != types.Bool {
		return nil
	}
	return s
}

// surely reports whether an expression has a value that is known to be defined,
// and that computing it can be left out.
func surely(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Input, *expr.Literal:
		return true
	case *expr.StepValue:
		return e.Presence.Always()
	}
	return false
}

// items is the code of the values that a step is repeated for, a []py.Value; see
// ir.LoopVar. The evaluator's error is to be checked.
func (f valueWriter) items(e expr.Expr) *jen.Statement {
	return f.evaluator().Dot("Items").Call(f.compute(e).value(), jen.Lit(f.g.where(e)))
}
