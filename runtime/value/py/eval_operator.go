package py

// Operations are the operators of expressions.
type operations struct{ guard }

// applyBinary applies an operation.
func (o *operations) applyBinary(op func(a, b Value) Value, a, b Value) Value {
	return o.evalValue(func() Value { return op(a, b) })
}

// applyRelation compares.
func (o *operations) applyRelation(op func(a, b Value) bool, a, b Value) bool {
	holds, _ := evalGuarded(&o.guard, func() bool { return op(a, b) })
	return holds
}

// Add is `a + b`.
func (o *operations) Add(a, b Value) Value { return o.applyBinary(add, a, b) }

// Sub is `a - b`.
func (o *operations) Sub(a, b Value) Value { return o.applyBinary(sub, a, b) }

// Mul is `a * b`.
func (o *operations) Mul(a, b Value) Value { return o.applyBinary(mul, a, b) }

// Div is `a / b`.
func (o *operations) Div(a, b Value) Value { return o.applyBinary(div, a, b) }

// FloorDiv is `a // b`.
func (o *operations) FloorDiv(a, b Value) Value { return o.applyBinary(floorDiv, a, b) }

// Mod is `a % b`.
func (o *operations) Mod(a, b Value) Value { return o.applyBinary(mod, a, b) }

// Pow is `a ** b`.
func (o *operations) Pow(a, b Value) Value { return o.applyBinary(pow, a, b) }

// Neg is `-v`.
func (o *operations) Neg(v Value) Value { return o.evalValue(func() Value { return negate(v) }) }

// Pos is `+v`.
func (o *operations) Pos(v Value) Value { return o.evalValue(func() Value { return unaryPlus(v) }) }

// Concat is `a ~ b`.
func (o *operations) Concat(values ...Value) Value {
	return o.evalValue(func() Value { return concatAll(values...) })
}

// Eq is `a == b`.
func (o *operations) Eq(a, b Value) bool { return o.applyRelation(equals, a, b) }

// Ne is `a != b`.
func (o *operations) Ne(a, b Value) bool { return o.applyRelation(notEquals, a, b) }

// Lt is `a < b`.
func (o *operations) Lt(a, b Value) bool { return o.applyRelation(less, a, b) }

// Le is `a <= b`.
func (o *operations) Le(a, b Value) bool { return o.applyRelation(atMost, a, b) }

// Gt is `a > b`.
func (o *operations) Gt(a, b Value) bool { return o.applyRelation(greater, a, b) }

// Ge is `a >= b`.
func (o *operations) Ge(a, b Value) bool { return o.applyRelation(atLeast, a, b) }

// In is `v in container`.
func (o *operations) In(v, container Value) bool { return o.applyRelation(contains, v, container) }

// NotIn is `v not in container`.
func (o *operations) NotIn(v, container Value) bool {
	return o.applyRelation(notContains, v, container)
}

// Truth reports whether v is true in Python.
func (o *operations) Truth(v Value) bool {
	holds, _ := evalGuarded(&o.guard, func() bool { return isTruthy(v) })
	return holds
}

// And is `a and b`.
func (o *operations) And(a Value, b func() Value) Value {
	if o.Truth(a) {
		return b()
	}
	return a
}

// Or is `a or b`.
func (o *operations) Or(a Value, b func() Value) Value {
	if o.Truth(a) || o.Failed() {
		return a
	}
	return b()
}

// Const returns a function that returns v: an operand that needs no evaluation.
func Const(v Value) func() Value { return func() Value { return v } }

// Choose is `then if cond else otherwise`. otherwise is nil if there is no else: if cond
// is false, the result then is an undefined value that is false, has the text "" and no
// items.
func (o *operations) Choose(cond bool, then, otherwise func() Value) Value {
	switch {
	case o.Failed():
		return None{}
	case cond:
		return then()
	case otherwise == nil:
		return noElse()
	}
	return otherwise()
}

// Item is `v[key]`.
func (o *operations) Item(v, key Value) Value { return o.applyBinary(getItem, v, key) }

// Slice is `v[low:high:step]`; an omitted part is None.
func (o *operations) Slice(v, low, high, step Value) Value {
	return o.evalValue(func() Value { return getSlice(v, low, high, step) })
}

// Tuple is a tuple of the values.
func (o *operations) Tuple(items ...Value) Value { return newTuple(items...) }

// Undefined is the value of a name that does not exist.
func (o *operations) Undefined(name string) Value { return undefinedName(name) }

// Dict returns a dict of the items: key, value, key, value and so on.
func (o *operations) Dict(items ...Value) Value {
	return o.evalValue(func() Value {
		d := NewDict()
		for i := 0; i+1 < len(items); i += 2 {
			d.set(items[i], items[i+1])
		}
		return d
	})
}
