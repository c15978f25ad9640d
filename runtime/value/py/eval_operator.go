package py

// unary applies an operation unless there was an error.
func (e *Eval) unary(op func(Value) (Value, error), v Value) Value {
	if e.failed() {
		return None{}
	}
	return e.value(op(v))
}

// binary applies an operation unless there was an error.
func (e *Eval) binary(op func(a, b Value) (Value, error), a, b Value) Value {
	if e.failed() {
		return None{}
	}
	return e.value(op(a, b))
}

// relation compares unless there was an error.
func (e *Eval) relation(op func(a, b Value) (bool, error), a, b Value) bool {
	return !e.failed() && e.holds(op(a, b))
}

// Add is `a + b`.
func (e *Eval) Add(a, b Value) Value { return e.binary(Add, a, b) }

// Sub is `a - b`.
func (e *Eval) Sub(a, b Value) Value { return e.binary(Sub, a, b) }

// Mul is `a * b`.
func (e *Eval) Mul(a, b Value) Value { return e.binary(Mul, a, b) }

// Div is `a / b`.
func (e *Eval) Div(a, b Value) Value { return e.binary(Div, a, b) }

// FloorDiv is `a // b`.
func (e *Eval) FloorDiv(a, b Value) Value { return e.binary(FloorDiv, a, b) }

// Mod is `a % b`.
func (e *Eval) Mod(a, b Value) Value { return e.binary(Mod, a, b) }

// Pow is `a ** b`.
func (e *Eval) Pow(a, b Value) Value { return e.binary(Pow, a, b) }

// Neg is `-v`.
func (e *Eval) Neg(v Value) Value { return e.unary(Neg, v) }

// Pos is `+v`.
func (e *Eval) Pos(v Value) Value { return e.unary(Pos, v) }

// Concat is `a ~ b`.
func (e *Eval) Concat(values ...Value) Value {
	if e.failed() {
		return None{}
	}
	return e.value(Concat(values...))
}

// Eq is `a == b`.
func (e *Eval) Eq(a, b Value) bool { return e.relation(Eq, a, b) }

// Ne is `a != b`.
func (e *Eval) Ne(a, b Value) bool { return e.relation(Ne, a, b) }

// Lt is `a < b`.
func (e *Eval) Lt(a, b Value) bool { return e.relation(Lt, a, b) }

// Le is `a <= b`.
func (e *Eval) Le(a, b Value) bool { return e.relation(Le, a, b) }

// Gt is `a > b`.
func (e *Eval) Gt(a, b Value) bool { return e.relation(Gt, a, b) }

// Ge is `a >= b`.
func (e *Eval) Ge(a, b Value) bool { return e.relation(Ge, a, b) }

// In is `v in container`.
func (e *Eval) In(v, container Value) bool { return e.relation(In, v, container) }

// NotIn is `v not in container`.
func (e *Eval) NotIn(v, container Value) bool { return e.relation(NotIn, v, container) }

// Truth tells whether Python takes v for true.
func (e *Eval) Truth(v Value) bool { return !e.failed() && e.holds(Truth(v)) }

// And is `a and b`.
func (e *Eval) And(a Value, b func() Value) Value {
	if e.Truth(a) {
		return b()
	}
	return a
}

// Or is `a or b`.
func (e *Eval) Or(a Value, b func() Value) Value {
	if e.Truth(a) || e.failed() {
		return a
	}
	return b()
}

// Choose is `then if cond else otherwise`; otherwise is nil when there is none.
func (e *Eval) Choose(cond bool, then, otherwise func() Value) Value {
	switch {
	case e.failed():
		return None{}
	case cond:
		return then()
	case otherwise == nil:
		return NoElse()
	}
	return otherwise()
}

// Attr is `v.name`.
func (e *Eval) Attr(v Value, name string) Value {
	if e.failed() {
		return None{}
	}
	return e.value(Attr(v, name))
}

// LenientAttr is `v.name` in a condition: when v is the output of a step that was
// skipped it is a value that is false, equals only that, and has no text.
func (e *Eval) LenientAttr(v Value, name string) Value {
	if u, ok := v.(*Undefined); ok && u.skipped != notSkipped {
		return &Undefined{message: u.message, lenient: true, skipped: itsAttribute}
	}
	return e.Attr(v, name)
}

// Item is `v[key]`.
func (e *Eval) Item(v, key Value) Value { return e.binary(Item, v, key) }

// Slice is `v[low:high:step]`; what is left out is None.
func (e *Eval) Slice(v, low, high, step Value) Value {
	if e.failed() {
		return None{}
	}
	return e.value(Slice(v, low, high, step))
}

// Dict is an object of the keys and values, which alternate.
func (e *Eval) Dict(items ...Value) Value {
	if e.failed() {
		return None{}
	}
	d := NewDict()
	for i := 0; i+1 < len(items); i += 2 {
		if err := d.Set(items[i], items[i+1]); err != nil {
			return e.value(nil, err)
		}
	}
	return d
}

// SetAttr is `{% set v.name = value %}`.
func (e *Eval) SetAttr(v Value, name string, value Value, at string) {
	if !e.failed() {
		e.fail(SetAttr(v, name, value))
	}
	e.place(at)
}

// Unpack returns the values of an assignment to n names; they are n even after an
// error.
func (e *Eval) Unpack(v Value, n int, at string) []Value {
	if !e.failed() {
		items, err := Unpack(v, n)
		e.fail(err)
		if err == nil {
			return items
		}
	}
	e.place(at)
	items := make([]Value, n)
	for i := range items {
		items[i] = e.value(None{}, nil)
	}
	return items
}

// BoolText is the text of a truth value.
func BoolText(b bool) string { return boolText(Bool(b)) }
