package expr

// Rewrite replaces every operand of e, innermost first, by the result of f, and
// returns the result of f for e itself. It changes e in place, including the
// templates inside it.
func Rewrite(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	each(e, func(operand *Expr) { *operand = Rewrite(*operand, f) })
	if r, ok := e.(*Rendered); ok {
		r.Text.Rewrite(f)
	}
	return f(e)
}

// each calls do with a pointer to every operand of e, in the order in which they
// are evaluated; nil operands are left out.
func each(e Expr, do func(*Expr)) {
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

// clone returns a copy of e that shares its operands but none of the slices that
// hold them; of an expression without operands it is e itself.
func clone(e Expr) Expr {
	switch e := e.(type) {
	case *Compare:
		c := *e
		return &c
	case *Logic:
		c := *e
		return &c
	case *Not:
		c := *e
		return &c
	case *Attr:
		c := *e
		return &c
	case *Item:
		c := *e
		return &c
	case *Slice:
		c := *e
		return &c
	case *Call:
		c := *e
		c.Args = append([]Arg(nil), e.Args...)
		return &c
	case *Filter:
		c := *e
		c.Args = append([]Arg(nil), e.Args...)
		return &c
	case *Test:
		c := *e
		c.Args = append([]Arg(nil), e.Args...)
		return &c
	case *Arith:
		c := *e
		return &c
	case *Sign:
		c := *e
		return &c
	case *Concat:
		c := *e
		c.Parts = append([]Expr(nil), e.Parts...)
		return &c
	case *GoCall:
		c := *e
		c.Args = append([]Expr(nil), e.Args...)
		return &c
	case *Relation:
		c := *e
		c.Links = append([]Link(nil), e.Links...)
		return &c
	case *Either:
		c := *e
		return &c
	case *Negation:
		c := *e
		return &c
	case *Choose:
		c := *e
		return &c
	case *ListOf:
		c := *e
		c.Items = append([]Expr(nil), e.Items...)
		return &c
	case *DictOf:
		c := *e
		c.Keys, c.Values = append([]Expr(nil), e.Keys...), append([]Expr(nil), e.Values...)
		return &c
	case *Holds:
		c := *e
		return &c
	case *Str:
		c := *e
		return &c
	case *Convert:
		c := *e
		return &c
	}
	return e
}
