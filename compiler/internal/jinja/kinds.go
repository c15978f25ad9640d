package jinja

import (
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/types"
)

// kind is the kind of a type for Python's operators.
type kind int

const (
	// anyKind is for unknown types.
	anyKind kind = iota
	numberKind
	textKind
	listKind
	objectKind
	nullKind
)

func kindOf(t types.Type) kind {
	switch t := t.(type) {
	case types.Basic:
		switch {
		case isNumeric(t):
			return numberKind
		case types.IsText(t):
			return textKind
		case t == types.Null:
			return nullKind
		}
	case *types.Enum:
		return textKind
	case *types.List:
		return listKind
	case *types.Struct:
		return objectKind
	}
	return anyKind
}

// isNumeric reports whether values of the type count as numbers, as booleans do.
func isNumeric(t types.Type) bool { return types.IsNumber(t) || t == types.Bool }

// isOpen reports whether a type is unknown, so that no operator can refuse its values.
func isOpen(t types.Type) bool { return kindOf(t) == anyKind }

// structOf returns an object's type.
func structOf(t types.Type) (*types.Struct, bool) {
	s, ok := t.(*types.Struct)
	return s, ok
}

// describeType is a type in words.
func describeType(t types.Type) string {
	switch kindOf(t) {
	case numberKind:
		return map[types.Type]string{types.Int: "an integer", types.Float: "a number", types.Bool: "a boolean"}[t]
	case textKind:
		return "a string"
	case listKind:
		return "a list"
	case objectKind:
		return "an object"
	case nullKind:
		return "none"
	}
	return "a value"
}

// joinTypes is the type of a value that has one type or the other.
func joinTypes(a, b types.Type) types.Type {
	switch {
	case types.Identical(a, b):
		return a
	case a == types.Invalid || b == types.Invalid:
		return types.Invalid
	case types.IsText(a) && types.IsText(b):
		return types.Text
	}
	if o, ok := a.(*types.Optional); ok && types.Identical(o.Elem, b) {
		return a
	}
	if o, ok := b.(*types.Optional); ok && types.Identical(o.Elem, a) {
		return b
	}
	return types.Any
}

// itemType is the type of the items of a value.
func (l *lowerer) itemType(x expr.Expr) types.Type {
	if call, ok := x.(*expr.Call); ok {
		if g, ok := call.Fn.(*expr.Global); ok && g.Name == "range" {
			return types.Int
		}
	}
	if list, ok := x.(*expr.ListOf); ok && list.Tuple && len(list.Items) > 0 {
		t := list.Items[0].Type()
		for _, item := range list.Items[1:] {
			t = joinTypes(t, item.Type())
		}
		return t
	}
	return unpackedType(x.Type())
}

// unpackedType is the type of an item of a value that is divided among variables.
func unpackedType(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.List:
		return t.Elem
	case *types.Struct:
		return types.Text
	}
	if types.IsText(t) {
		return types.Text
	}
	if t == types.Invalid {
		return t
	}
	return types.Any
}

// reportNotIterable reports a value without items. what describes the operation.
func (f *faults) reportNotIterable(x expr.Expr, what string) {
	if t := x.Type(); isNumeric(t) || t == types.Null {
		d := codes.TemplateType.New(x.Span(), "cannot "+what+" "+describeType(t))
		if t == types.Int {
			d.WithHelp("use `range(n)` to count from 0 to n - 1")
		}
		f.add(d)
	}
}

// reportNotUnpackable reports a value that cannot be divided among n variables.
func (f *faults) reportNotUnpackable(at source.Span, t types.Type, n int) {
	if isNumeric(t) || t == types.Null {
		f.add(codes.TemplateType.New(at, describeType(t)+" cannot be unpacked into "+finding.Count(n, "variable")))
	}
}

// isHashable reports whether a value can be the key of a dict.
func isHashable(e expr.Expr) bool {
	if _, ok := e.(*expr.DictOf); ok {
		return false
	}
	if l, ok := e.(*expr.ListOf); ok && !l.Tuple {
		return false
	}
	k := kindOf(e.Type())
	return k != listKind && k != objectKind
}

// arithType returns the type of x op y, or why it must fail.
func arithType(op expr.ArithOp, x, y expr.Expr) (types.Type, string) {
	a, b := x.Type(), y.Type()
	if a == types.Invalid || b == types.Invalid {
		return types.Invalid, ""
	}
	if _, ok := x.(*expr.DictOf); ok {
		return types.Any, operandProblem(op, "an object", describeType(b), isOpen(b))
	}
	ka, kb := kindOf(a), kindOf(b)
	if (op == expr.Div || op == expr.FloorDiv || op == expr.Mod) && (ka == numberKind || ka == anyKind && op != expr.Mod) && isZero(y) {
		return types.Any, "this divides by zero"
	}
	if op == expr.Mod && ka == textKind {
		return types.Text, "" // it formats
	}
	if ka == anyKind || kb == anyKind {
		return types.Any, ""
	}
	switch {
	case ka == numberKind && kb == numberKind:
		return numericType(op, a, b), ""
	case op == expr.Add && ka == textKind && kb == textKind:
		return types.Text, ""
	case op == expr.Add && ka == listKind && kb == listKind:
		return joinTypes(a, b), ""
	case op == expr.Mul && (ka == textKind || ka == listKind) && kb == numberKind && b != types.Float:
		return repeatedType(a), ""
	case op == expr.Mul && (kb == textKind || kb == listKind) && ka == numberKind && a != types.Float:
		return repeatedType(b), ""
	}
	return types.Any, operandProblem(op, describeType(a), describeType(b), false)
}

// repeatedType is the type of a text or list times a number.
func repeatedType(t types.Type) types.Type {
	if types.IsText(t) {
		return types.Text
	}
	return t
}

func operandProblem(op expr.ArithOp, a, b string, open bool) string {
	if open {
		return ""
	}
	switch op {
	case expr.Add:
		return a + " and " + b + " cannot be added"
	case expr.Mul:
		return a + " and " + b + " cannot be multiplied"
	}
	return "`" + op.String() + "` needs two numbers, got " + a + " and " + b
}

func numericType(op expr.ArithOp, a, b types.Type) types.Type {
	switch {
	case op == expr.Div:
		return types.Float
	case op == expr.Pow:
		return types.Any // it may be whole, or not, or larger than 64 bits
	case a == types.Float || b == types.Float:
		return types.Float
	}
	return types.Int
}
