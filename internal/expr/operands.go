package expr

import "reflect"

// Rewrite replaces every operand of e, innermost first, by the result of f, and
// returns the result of f for e itself. It changes e in place, including the
// templates inside it.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	e.visitOperands(func(operand *Expr) { *operand = Rewrite(*operand, f) })
	if r, ok := e.(*Rendered); ok {
		r.Text.Rewrite(f)
	}
	return f(e)
}

func eachExpr(operands []Expr, do func(*Expr)) {
	for i := range operands {
		do(&operands[i])
	}
}

func eachArg(operands []Arg, do func(*Expr)) {
	for i := range operands {
		do(&operands[i].Value)
	}
}

// cloneExpr returns a copy of e that shares its operands but none of the slices that
// hold them; of an expression without operands it is e itself.
func cloneExpr(e Expr) Expr {
	leaf := true
	e.visitOperands(func(*Expr) { leaf = false })
	if leaf {
		return e
	}
	return copyNode(e)
}

func copyNode(e Expr) Expr {
	before := reflect.ValueOf(e).Elem()
	c := reflect.New(before.Type())
	c.Elem().Set(before)
	for i := range before.NumField() {
		if field := c.Elem().Field(i); field.Kind() == reflect.Slice {
			field.Set(reflect.AppendSlice(reflect.Zero(field.Type()), field))
		}
	}
	return c.Interface().(Expr)
}

// Copy returns a copy of e for another place that evaluates it: what analyses write into
// one is not in the other. Templates inside e stay the same.
func Copy(e Expr) Expr {
	if e == nil {
		return nil
	}
	c := copyNode(e)
	c.visitOperands(func(operand *Expr) { *operand = Copy(*operand) })
	return c
}
