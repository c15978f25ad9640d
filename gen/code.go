package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/pynames"
	"github.com/wfc-lang/wfc/internal/types"
)

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

// asOperand is the code as the operand of any operator.
func (v computed) asOperand() *jen.Statement { return v.asOperandOf(unaryLevel) }

// asOperandOf returns the code as an operand of an operator of the given level, in a separate
// statement.
func (v computed) asOperandOf(level precedence) *jen.Statement {
	return jen.Add(boolean{code: v.code, level: v.level}.asOperandOf(level))
}

// pyValue is the code of the value as a py.Value.
func (v computed) pyValue() *jen.Statement {
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

// plainValue is code of the given form that needs no evaluator.
func plainValue(form form, code *jen.Statement) computed {
	return computed{code: code, form: form, level: unaryLevel}
}

func noneValue() computed { return plainValue(anyForm, jen.Qual(pyPath, "None").Values()) }

// goValue is the code of a Go value of a basic type.
func goValue(t types.Type, code *jen.Statement) (computed, bool) {
	switch {
	case types.IsText(t):
		if _, enum := t.(*types.Enum); enum {
			code = jen.String().Call(code)
		}
		return plainValue(stringForm, code), true
	case t == types.Int:
		return plainValue(intForm, code), true
	case t == types.Bool:
		return plainValue(boolForm, code), true
	case t == types.Float:
		return plainValue(anyForm, jen.Qual(pyPath, "Float").Call(code)), true
	}
	return computed{}, false
}

// precedence of an expression, to set parentheses.
type precedence int

const (
	orLevel precedence = iota
	andLevel
	compareLevel
	unaryLevel
)

// A boolean is the code of a condition.
type boolean struct {
	code  *jen.Statement
	level precedence
	// held is the variable that holds it, or "".
	held string
}

// asOperandOf returns the code as an operand of an operator of the given level.
func (b boolean) asOperandOf(level precedence) *jen.Statement {
	if b.level < level {
		return jen.Parens(b.code)
	}
	return b.code
}

// An operand is the code of a value together with what its Go type is.
type operand struct {
	code *jen.Statement
	// typ is the type the code has; opt says that it is a pointer to it.
	typ types.Type
	opt bool
	// lit is set when the value is a constant.
	lit *expr.Literal
	// ref is the value as the workflow names it.
	ref string
	// name is what a variable for it is called.
	name string
	// chain is set for an optional field of an output that can be read anywhere: it says
	// which, and at where the workflow reads it.
	chain string
	at    source.Span
	// plain says that its text is not its own form but a list's items in a row;
	// label that it is a label, and absent that it may be the empty one.
	plain, label, absent bool
	// consts are the constants of a label's type, by the labels.
	consts map[string]string
}

// textOf is the code of a value's text.
func textOf(o operand) *jen.Statement {
	switch {
	case o.lit != nil:
		return jen.Lit(o.lit.Text)
	case o.plain, o.opt && (types.IsText(o.typ) || types.IsNumber(o.typ) || o.typ == types.Bool), types.IsNumber(o.typ):
		return jen.Qual(valuePath, "Plain").Call(o.code)
	case types.IsText(o.typ):
		if _, enum := o.typ.(*types.Enum); enum {
			return jen.String().Call(o.code)
		}
		return o.code
	case o.typ == types.Bool:
		return jen.Qual(strconvPath, "FormatBool").Call(o.code)
	}
	return jen.Qual(valuePath, "Encode").Call(o.code)
}

// thunkFor is a function that computes a value when it is asked for.
func thunkFor(v computed) *jen.Statement {
	if v.literal {
		return callFunc(pyPath, "Const", v.pyValue())
	}
	return jen.Func().Params().Add(anyForm.goType()).Add(oneLine(jen.Return(v.pyValue())))
}

// lengthOf is the length of a string or a list.
func lengthOf(code jen.Code) computed {
	return plainValue(intForm, jen.Int64().Call(jen.Len(code)))
}

// pyMethod is the method of py.Filters, py.Tests or py.Globals for an entry of their
// table.
func pyMethod(of string, sig pynames.Signature) *jen.Statement {
	return jen.Qual(pyPath, of).Dot(sig.Method())
}

// goConnective is Go's operator for a connective, and how tightly it binds.
func goConnective(op expr.LogicOp) (string, precedence) {
	if op == expr.Or {
		return "||", orLevel
	}
	return "&&", andLevel
}
