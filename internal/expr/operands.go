package expr

import "reflect"

// Rewrite replaces every operand of e, innermost first, by the result of f, and
// returns the result of f for e itself. It changes e in place, including the
// templates inside it.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	eachOperand(e, func(operand *Expr) { *operand = Rewrite(*operand, f) })
	if r, ok := e.(*Rendered); ok {
		r.Text.Rewrite(f)
	}
	return f(e)
}

// eachOperand calls do with a pointer to every operand of e, in the order in which they
// are evaluated; nil operands are left out.
func eachOperand(e Expr, do func(*Expr)) {
	list := func(operands []Expr) {
		for i := range operands {
			do(&operands[i])
		}
	}
	args := func(operands []Arg) {
		for i := range operands {
			do(&operands[i].Value)
		}
	}
	some := func(operand *Expr) {
		if *operand != nil {
			do(operand)
		}
	}
	switch e := e.(type) {
	case *Compare:
		do(&e.X)
		do(&e.Y)
	case *Logic:
		do(&e.X)
		do(&e.Y)
	case *Not:
		do(&e.X)
	case *Contains:
		do(&e.Item)
	case *Joined:
		list(e.Parts)
	case *Fallback:
		do(&e.X)
	case *Attr:
		do(&e.X)
	case *Item:
		do(&e.X)
		do(&e.Key)
	case *Slice:
		do(&e.X)
		some(&e.Low)
		some(&e.High)
		some(&e.Step)
	case *Call:
		do(&e.Fn)
		args(e.Args)
	case *Filter:
		do(&e.X)
		args(e.Args)
	case *Test:
		do(&e.X)
		args(e.Args)
	case *Arith:
		do(&e.X)
		do(&e.Y)
	case *Sign:
		do(&e.X)
	case *Concat:
		list(e.Parts)
	case *GoCall:
		list(e.Args)
	case *Relation:
		do(&e.X)
		for i := range e.Links {
			do(&e.Links[i].Y)
		}
	case *Either:
		do(&e.X)
		do(&e.Y)
	case *Negation:
		do(&e.X)
	case *Choose:
		do(&e.If)
		do(&e.Then)
		some(&e.Else)
	case *ListOf:
		list(e.Items)
	case *DictOf:
		for i := range e.Keys {
			do(&e.Keys[i])
			do(&e.Values[i])
		}
	case *Holds:
		do(&e.X)
	case *Str:
		do(&e.X)
	case *Convert:
		do(&e.X)
	}
}

// cloneExpr returns a copy of e that shares its operands but none of the slices that
// hold them; of an expression without operands it is e itself.
func cloneExpr(e Expr) Expr {
	leaf := true
	eachOperand(e, func(*Expr) { leaf = false })
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
	eachOperand(c, func(operand *Expr) { *operand = Copy(*operand) })
	return c
}
