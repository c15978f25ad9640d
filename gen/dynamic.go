package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
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
// is done with the value; returnChecked does so at the end of a function.

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
// that reads it: the variable of a ForEach, the previous output of an Again.
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
}

// locate says in which Go variable something declared is found from now on. A
// function that reads it gets the variable as a parameter of that name, unless it
// owns it.
func (g *generator) locate(d *expr.Declared, name string, form localForm) {
	g.place(&local{of: d, name: name, form: form})
}

// place is locate for a variable of any kind.
func (g *generator) place(l *local) {
	if g.locals == nil {
		g.locals = map[*expr.Declared]*local{}
	}
	if l.item != nil {
		l.typ = g.types.structs[l.item].name
	}
	g.locals[l.of] = l
}

// owns says that the function has the variable of something declared anyway: as a
// parameter that the kernel fills, or because it declares it.
func (f *function) owns(d *expr.Declared) {
	if f.owned == nil {
		f.owned = map[*expr.Declared]bool{}
	}
	f.owned[d] = true
	f.taken[f.g.locals[d].name] = true
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
	for _, known := range u.locals {
		if known == l {
			return
		}
	}
	u.locals = append(u.locals, l)
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
		f.evaluates = f.local(evaluatorName)
		f.root().add(jen.Var().Id(f.evaluates).Qual(pyPath, "Eval"))
	}
	f.unchecked = true
	return jen.Id(f.evaluates)
}

// root is the function's outermost block.
func (f *function) root() *block {
	b := f.block
	for b.outer != nil {
		b = b.outer
	}
	return b
}

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

// returnChecked emits the return of a value and of the evaluator's error.
func (f *function) returnChecked(at source.Span, value *jen.Statement) {
	failed := jen.Nil()
	if f.unchecked {
		f.unchecked = false
		failed = jen.Id(f.evaluates).Dot("Err").Call()
	}
	f.g.add(f.block, at, jen.Return(value, failed))
}
