package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// stepValue is a step's output.
func (f *function) stepValue(e *expr.StepValue) computed {
	n := f.g.byID[e.Node]
	text := types.IsText(n.Output)
	if text && e.Presence.Always() {
		return plainly(stringForm, f.task(n).Dot("Out").Call().Dot("Text"))
	}
	read := "Step"
	if text {
		read = "StepText"
	}
	return f.once("step "+n.ID, n.task+"Output", func() *jen.Statement { return f.evaluator().Dot(read).Add(args(f.task(n))) })
}

// once is a value that the whole function shares, so that all parts of a template
// see one object.
func (f *function) once(key, name string, code func() *jen.Statement) computed {
	root := f.root()
	v, known := root.read[key]
	if !known {
		v = f.local(name)
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
func (f *function) localValue(d *expr.Declared) computed {
	if v, ok := f.vars[d]; ok {
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
		return f.once(key, name, func() *jen.Statement { return f.evaluator().Dot("Output").Add(args(jen.Lit(d.Name), jen.Id(l.name))) })
	case previousForm:
		return f.once(key, name, func() *jen.Statement { return f.evaluator().Dot("Previous").Add(args(before...)) })
	case textPreviousForm:
		return f.once(key, name, func() *jen.Statement { return f.evaluator().Dot("PreviousText").Add(args(before...)) })
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
}

// sel returns how Go selects an attribute of a step's output, or nil when its value
// must be looked up in the text: because the step may have been skipped, because a
// level above it may be missing, or because Go cannot tell what is not there from
// what is null. The task becomes a
// parameter.
func (f *function) sel(e expr.Expr) *selection {
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
func (f *function) typedRoot(e expr.Expr) (code func() *jen.Statement, at *selection) {
	switch e := e.(type) {
	case *expr.StepValue:
		if n := f.g.byID[e.Node]; n.typed && e.Presence.Always() {
			return func() *jen.Statement { return f.task(n).Dot("Out").Call().Dot("Value") }, &selection{typ: n.Output}
		}
	case *expr.Local:
		if v := f.vars[e.Of]; v.item != nil {
			return func() *jen.Statement { return jen.Id(v.name) }, &selection{typ: v.item}
		}
		if l := f.g.locals[e.Of]; l != nil && l.item != nil {
			return func() *jen.Statement { return jen.Id(f.bound(e.Of).name) }, &selection{typ: l.item}
		}
	}
	return nil, nil
}

// attr is an attribute, else the item of that key.
func (f *function) attr(e *expr.Attr) computed {
	if s := f.scalar(e); s != nil {
		if s.opt {
			return plainly(anyForm, call(pyPath, "Member", s.code, jen.Lit(s.name), jen.Qual(pyPath, ofBasic(s.typ))))
		}
		v, _ := goValue(s.typ, s.code)
		return v
	}
	method := "Attr"
	if e.Lenient {
		method = "LenientAttr"
	}
	return computed{code: f.evaluator().Dot(method).Add(args(f.compute(e.X).value(), jen.Lit(e.Name))), fails: true, level: unaryLevel}
}

// strict is compute where an undefined value is an error: then the value of a field
// that may not be there is one of its type.
func (f *function) strict(e expr.Expr) computed {
	a, ok := e.(*expr.Attr)
	if !ok {
		return f.compute(e)
	}
	s := f.scalar(a)
	if s == nil || !s.opt {
		return f.compute(e)
	}
	v, _ := goValue(s.typ, jen.Qual(pyPath, "Field").Call(jen.Op("&").Add(f.evaluator()), s.code, jen.Lit(s.name)))
	v.fails, v.field = true, s
	return v
}

// scalar is sel for values whose Go form says all that there is to say of them: the
// text of a float may be that of a whole number, and objects may have more fields
// than the declared ones.
func (f *function) scalar(e expr.Expr) *selection {
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
func (f *function) items(e expr.Expr) *jen.Statement {
	return f.evaluator().Dot("Items").Add(args(f.compute(e).value(), jen.Lit(f.g.where(e))))
}
