package gen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
	pynames "github.com/wfc-lang/wfc/runtime/value/py/names"
)

// arguments are the arguments of a call.
type arguments struct {
	pos []jen.Code
	kw  []jen.Code
	// spread and spreadKw are the values of arguments with stars, or nil.
	spread, spreadKw *jen.Statement
	// env is the filters and tests that are applied by name, or nil.
	env *jen.Statement
}

func (f *function) arguments(list []expr.Arg) arguments {
	var a arguments
	for _, arg := range list {
		value := f.compute(arg.Value).value()
		switch {
		case arg.Stars == 1:
			a.spread = spreading(a.spread, f.evaluator().Dot("Spread").Add(args(value)))
		case arg.Stars == 2:
			a.spreadKw = spreading(a.spreadKw, f.evaluator().Dot("SpreadKw").Add(args(value)))
		case arg.Name != "":
			a.kw = append(a.kw, jen.Values(jen.Id("Name").Op(":").Lit(arg.Name), jen.Id("Value").Op(":").Add(value)))
		default:
			a.pos = append(a.pos, value)
		}
	}
	return a
}

func spreading(before, more *jen.Statement) *jen.Statement {
	if before == nil {
		return more
	}
	return jen.Append(before, more.Op("..."))
}

// plain reports whether there are only arguments without names.
func (a *arguments) plain() bool {
	return len(a.kw) == 0 && a.spread == nil && a.spreadKw == nil && a.env == nil
}

// code is the arguments as a py.Args.
func (a *arguments) code() *jen.Statement {
	d := fields{}
	pos := jen.Index().Qual(pyPath, "Value").Values(a.pos...)
	switch {
	case a.spread != nil && len(a.pos) == 0:
		d.set("Pos", a.spread)
	case a.spread != nil:
		d.set("Pos", jen.Append(pos, jen.Add(a.spread).Op("...")))
	case len(a.pos) > 0:
		d.set("Pos", pos)
	}
	kw := jen.Index().Qual(pyPath, "Kw").Values(a.kw...)
	switch {
	case a.spreadKw != nil && len(a.kw) == 0:
		d.set("Kw", a.spreadKw)
	case a.spreadKw != nil:
		d.set("Kw", jen.Append(kw, jen.Add(a.spreadKw).Op("...")))
	case len(a.kw) > 0:
		d.set("Kw", kw)
	}
	if a.env != nil {
		d.set("Env", a.env)
	}
	return jen.Qual(pyPath, "Args").Add(d.line())
}

// apply calls a method of the evaluator with what comes first and the arguments.
func (f *function) apply(method string, first []jen.Code, a arguments) computed {
	if a.plain() {
		first = append(first, a.pos...)
	} else {
		method, first = method+"With", append(first, a.code())
	}
	return computed{code: f.evaluator().Dot(method).Add(args(first...)), fails: true, level: unaryLevel}
}

// call calls a function or a method.
func (f *function) call(e *expr.Call) computed {
	switch fn := e.Fn.(type) {
	case *expr.Global:
		return f.apply("Global", []jen.Code{f.global(fn.Name)}, f.arguments(e.Args))
	case *expr.Attr:
		if !fn.Lenient {
			x := f.compute(fn.X).value()
			return f.apply("Method", []jen.Code{x, jen.Lit(fn.Name)}, f.arguments(e.Args))
		}
	}
	fn := f.compute(e.Fn).value()
	return f.apply("Call", []jen.Code{fn}, f.arguments(e.Args))
}

// filter applies a filter.
func (f *function) filter(e *expr.Filter) computed {
	if v, ok := f.count(e); ok {
		return v
	}
	x := f.compute(e.X)
	if e.Name == "default" || e.Name == "d" {
		if surely(e.X) && x.form != anyForm && len(e.Args) < 2 {
			return x
		}
	}
	if e.Name == "string" && x.form == stringForm && len(e.Args) == 0 {
		return x
	}
	a := f.arguments(e.Args)
	sig, _ := pynames.Filter(e.Name)
	a.env = f.environment(sig, e.Args)
	return f.apply("Filter", []jen.Code{jen.Qual(pyPath, sig.Func), x.value()}, a)
}

// count is the number of items of a list of a step's typed output.
func (f *function) count(e *expr.Filter) (computed, bool) {
	if e.Name != "length" && e.Name != "count" || len(e.Args) > 0 {
		return computed{}, false
	}
	if _, list := e.X.Type().(*types.List); !list {
		return computed{}, false
	}
	s := f.sel(e.X)
	if s == nil || s.opt {
		return computed{}, false
	}
	return plainly(intForm, jen.Int64().Call(jen.Len(s.code))), true
}

// test applies a test.
func (f *function) test(e *expr.Test) computed {
	v := f.positive(e)
	if !e.Not {
		return v
	}
	return f.not(v)
}

func (f *function) positive(e *expr.Test) computed {
	if len(e.Args) == 0 {
		switch e.Name {
		case "defined", "undefined":
			if v, ok := f.defined(e.X, e.Name == "defined"); ok {
				return v
			}
		case "none":
			if in, ok := e.X.(*expr.Input); ok {
				if o, ok := in.Typ.(*types.Optional); ok && !nilable(o.Elem) {
					f.uses.inputs = true
					return computed{code: f.g.inputs[in.Name].read().Op("==").Nil(), form: boolForm, level: compareLevel}
				}
			}
		}
	}
	x := f.compute(e.X)
	a := f.arguments(e.Args)
	sig, _ := pynames.Test(e.Name)
	a.env = f.environment(sig, e.Args)
	out := f.apply("Test", []jen.Code{jen.Qual(pyPath, sig.Func), x.value()}, a)
	out.form = boolForm
	return out
}

// defined decides at once, or by a field's pointer, whether a value is defined.
func (f *function) defined(x expr.Expr, want bool) (computed, bool) {
	if surely(x) {
		return plainly(boolForm, jen.Lit(want)), true
	}
	if _, attr := x.(*expr.Attr); !attr {
		return computed{}, false
	}
	s := f.scalar(x)
	switch {
	case s == nil:
		return computed{}, false
	case !s.opt:
		return plainly(boolForm, jen.Lit(want)), true
	}
	op := "!="
	if !want {
		op = "=="
	}
	return computed{code: s.code.Op(op).Nil(), form: boolForm, level: compareLevel}, true
}

// environment is the filters and tests that a filter applies by name: those that
// are named, or all of them when a name is only known at run time. It is nil when
// there are none.
func (f *function) environment(sig pynames.Signature, args []expr.Arg) *jen.Statement {
	var filters, tests []string
	everything := ""
	for sig.ByName != "" {
		kind := sig.ByName
		name, at, known := named(args, sig.At)
		if at < 0 {
			break
		}
		if !known {
			everything = kind
			break
		}
		if kind == "test" {
			tests = append(tests, name)
			break
		}
		filters = append(filters, name)
		sig, _ = pynames.Filter(name)
		// What follows the name are the arguments of what it names.
		args = slices.Delete(slices.Clone(args), at, at+1)
	}
	d := fields{}
	switch {
	case everything == "filter":
		d.set("Filters", jen.Qual(pyPath, "AllFilters").Call())
		d.set("Tests", jen.Qual(pyPath, "AllTests").Call())
	case len(filters) > 0:
		d.set("Filters", functions("Filter", filters, pynames.Filter))
	}
	switch {
	case everything == "test":
		d.set("Tests", jen.Qual(pyPath, "AllTests").Call())
	case len(tests) > 0:
		d.set("Tests", functions("Test", tests, pynames.Test))
	}
	if len(d.code) == 0 {
		return nil
	}
	return jen.Op("&").Qual(pyPath, "Env").Add(d.line())
}

// named returns the name that a positional argument gives, and which of the
// arguments it is: -1 when there is none. known is false when it is computed.
func named(args []expr.Arg, position int) (name string, at int, known bool) {
	for i, a := range args {
		switch {
		case a.Stars == 1:
			return "", i, false
		case a.Name != "" || a.Stars != 0:
		case position > 0:
			position--
		default:
			lit, ok := a.Value.(*expr.Literal)
			if !ok || !types.IsText(literalType(lit)) {
				return "", i, false
			}
			return lit.Text, i, true
		}
	}
	return "", -1, false
}

// functions is a table of filters or tests by their names.
func functions(kind string, list []string, find func(string) (pynames.Signature, bool)) *jen.Statement {
	var rows []jen.Code
	for _, name := range list {
		if sig, ok := find(name); ok {
			rows = append(rows, jen.Lit(name).Op(":").Qual(pyPath, sig.Func))
		}
	}
	return jen.Map(jen.String()).Qual(pyPath, kind).Values(rows...)
}
