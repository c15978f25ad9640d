package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

const gotextPath = modulePath + "/runtime/value/gotext"

// goFunctions are the functions of package gotext by the names that templates call
// them by.
var goFunctions = map[string]string{
	"print": "Print", "println": "Println", "printf": "Printf", "html": "HTML", "js": "JS", "urlquery": "URLQuery", "slice": "Slice",
}

// goCall is the call of a function of Go's templates.
func (f *function) goCall(e *expr.GoCall) computed {
	list := make([]jen.Code, len(e.Args))
	for i, a := range e.Args {
		list[i] = f.goArgument(a)
	}
	switch e.Func {
	case "len":
		return plainly(intForm, jen.Int64().Call(jen.Len(list[0])))
	case "slice":
		return computed{code: f.evaluator().Dot("Checked").Add(args(jen.Qual(gotextPath, "Slice").Call(list...))), form: stringForm, fails: true, level: unaryLevel}
	}
	return plainly(stringForm, jen.Qual(gotextPath, goFunctions[e.Func]).Call(list...))
}

// goArgument is an argument as a value of Go's own: a text is a string wherever
// one is asked for.
func (f *function) goArgument(e expr.Expr) *jen.Statement {
	if lit, ok := e.(*expr.Literal); ok {
		if lit.Typ == types.Int {
			return jen.Int64().Call(jen.Op(lit.Text))
		}
		return literal(lit)
	}
	v := f.compute(e)
	if v.form == anyForm && types.IsText(e.Type()) {
		return f.textAt(v, f.g.where(e))
	}
	return v.code
}
