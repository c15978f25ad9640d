package py

import "iter"

// applyBinary applies an operation.
func (e *Eval) applyBinary(op func(a, b Value) Value, a, b Value) Value {
	return e.evalValue(func() Value { return op(a, b) })
}

// applyRelation compares.
func (e *Eval) applyRelation(op func(a, b Value) bool, a, b Value) bool {
	holds, _ := evalGuarded(e, func() bool { return op(a, b) })
	return holds
}

// Add is `a + b`.
func (e *Eval) Add(a, b Value) Value { return e.applyBinary(add, a, b) }

// Sub is `a - b`.
func (e *Eval) Sub(a, b Value) Value { return e.applyBinary(sub, a, b) }

// Mul is `a * b`.
func (e *Eval) Mul(a, b Value) Value { return e.applyBinary(mul, a, b) }

// Div is `a / b`.
func (e *Eval) Div(a, b Value) Value { return e.applyBinary(div, a, b) }

// FloorDiv is `a // b`.
func (e *Eval) FloorDiv(a, b Value) Value { return e.applyBinary(floorDiv, a, b) }

// Mod is `a % b`.
func (e *Eval) Mod(a, b Value) Value { return e.applyBinary(mod, a, b) }

// Pow is `a ** b`.
func (e *Eval) Pow(a, b Value) Value { return e.applyBinary(pow, a, b) }

// Neg is `-v`.
func (e *Eval) Neg(v Value) Value { return e.evalValue(func() Value { return negate(v) }) }

// Pos is `+v`.
func (e *Eval) Pos(v Value) Value { return e.evalValue(func() Value { return unaryPlus(v) }) }

// Concat is `a ~ b`.
func (e *Eval) Concat(values ...Value) Value {
	return e.evalValue(func() Value { return concatAll(values...) })
}

// Eq is `a == b`.
func (e *Eval) Eq(a, b Value) bool { return e.applyRelation(equals, a, b) }

// Ne is `a != b`.
func (e *Eval) Ne(a, b Value) bool { return e.applyRelation(notEquals, a, b) }

// Lt is `a < b`.
func (e *Eval) Lt(a, b Value) bool { return e.applyRelation(less, a, b) }

// Le is `a <= b`.
func (e *Eval) Le(a, b Value) bool { return e.applyRelation(atMost, a, b) }

// Gt is `a > b`.
func (e *Eval) Gt(a, b Value) bool { return e.applyRelation(greater, a, b) }

// Ge is `a >= b`.
func (e *Eval) Ge(a, b Value) bool { return e.applyRelation(atLeast, a, b) }

// In is `v in container`.
func (e *Eval) In(v, container Value) bool { return e.applyRelation(contains, v, container) }

// NotIn is `v not in container`.
func (e *Eval) NotIn(v, container Value) bool { return e.applyRelation(notContains, v, container) }

// Truth reports whether v is true in Python.
func (e *Eval) Truth(v Value) bool {
	holds, _ := evalGuarded(e, func() bool { return isTruthy(v) })
	return holds
}

// And is `a and b`.
func (e *Eval) And(a Value, b func() Value) Value {
	if e.Truth(a) {
		return b()
	}
	return a
}

// Or is `a or b`.
func (e *Eval) Or(a Value, b func() Value) Value {
	if e.Truth(a) || e.Failed() {
		return a
	}
	return b()
}

// Const returns a function that returns v: an operand that needs no evaluation.
func Const(v Value) func() Value { return func() Value { return v } }

// Choose is `then if cond else otherwise`. otherwise is nil if there is no else: if cond
// is false, the result then is an undefined value that is false, has the text "" and no
// items.
func (e *Eval) Choose(cond bool, then, otherwise func() Value) Value {
	switch {
	case e.Failed():
		return None{}
	case cond:
		return then()
	case otherwise == nil:
		return noElse()
	}
	return otherwise()
}

// Attr is `v.name`.
func (e *Eval) Attr(v Value, name string) Value {
	return e.evalValue(func() Value {
		attr := getAttr(v, name)
		if _, missing := attr.(*undefined); missing {
			for _, o := range e.origins {
				if o.value == v {
					return missingField(o.step, o.text, name)
				}
			}
		}
		return attr
	})
}

// LenientAttr is Attr in a condition. If v is the output of a skipped node, the attribute
// is a value that is false, has an empty text and equals only such values.
func (e *Eval) LenientAttr(v Value, name string) Value {
	if u, ok := v.(*undefined); ok && u.skipped != notSkipped {
		return &undefined{message: u.message, lenient: true, skipped: itsAttribute}
	}
	return e.Attr(v, name)
}

// Item is `v[key]`.
func (e *Eval) Item(v, key Value) Value { return e.applyBinary(getItem, v, key) }

// Slice is `v[low:high:step]`; an omitted part is None.
func (e *Eval) Slice(v, low, high, step Value) Value {
	return e.evalValue(func() Value { return getSlice(v, low, high, step) })
}

// Tuple is a tuple of the values.
func (e *Eval) Tuple(items ...Value) Value { return newTuple(items...) }

// Undefined is the value of a name that does not exist.
func (e *Eval) Undefined(name string) Value { return undefinedName(name) }

// Dict returns a dict of the items: key, value, key, value and so on.
func (e *Eval) Dict(items ...Value) Value {
	return e.evalValue(func() Value {
		d := NewDict()
		for i := 0; i+1 < len(items); i += 2 {
			d.set(items[i], items[i+1])
		}
		return d
	})
}

// SetAttr is `{% set v.name = value %}`.
func (e *Eval) SetAttr(v Value, name string, value Value, at string) {
	evalGuarded(e, func() any {
		setAttr(v, name, value)
		return nil
	})
	e.addPlace(at)
}

// Unpack returns the n values of an assignment to n names. After an error it returns n
// values, too.
func (e *Eval) Unpack(v Value, n int, at string) []Value {
	items, ok := evalGuarded(e, func() []Value { return unpackValues(v, n) })
	if ok {
		return items
	}
	e.addPlace(at)
	items = make([]Value, n)
	for i := range items {
		items[i] = None{}
		if e.symbol != nil {
			items[i] = e.symbol
		}
	}
	return items
}

// Each iterates over the items of a value.
func (e *Eval) Each(v Value, at string) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		defer e.addPlace(at)
		items, ok := evalGuarded(e, func() *iterator { return newIterator(v) })
		for ok {
			var item Value
			var more bool
			if _, ok = evalGuarded(e, func() any { item, more = items.Next(); return nil }); ok && (!more || !yield(item)) {
				return
			}
		}
		// A loop over a symbol has one iteration.
		if e.symbol != nil && !e.Failed() {
			yield(e.symbol)
		}
	}
}

// Loop is Each for a {% for %} statement that reads the variable `loop`: it iterates over
// the values of that variable; Loop.Item returns the item.
func (e *Eval) Loop(v Value, at string) iter.Seq[*Loop] {
	return func(yield func(*Loop) bool) {
		defer e.addPlace(at)
		loop, ok := evalGuarded(e, func() *Loop { return newLoop(v, 0) })
		if !ok && e.symbol != nil && !e.Failed() {
			loop, ok = newLoop(NewList(e.symbol), 0), true
		}
		for ok {
			var more bool
			if _, ok = evalGuarded(e, func() any { _, more = loop.advance(); return nil }); ok && (!more || !yield(loop)) {
				return
			}
		}
	}
}

// Item returns the current item of the loop.
func (l *Loop) Item() Value { return l.item }

// Where returns the items of a value for which keep returns true. It calls keep when an item
// is read.
func (e *Eval) Where(v Value, keep func(Value) bool) Value {
	return e.evalValue(func() Value {
		return newIterator(v).filterMap(func(item Value) (Value, bool) { return item, e.Failed() || keep(item) })
	})
}

// Items returns the values over which a node iterates: the items of a list, the items of a
// string that is a JSON array, or the value itself.
func (e *Eval) Items(v Value, at string) []Value {
	defer e.addPlace(at)
	if e.Failed() {
		return nil
	}
	switch v := v.(type) {
	case *List:
		return v.items
	case *undefined:
		e.Fail(v.useError())
		return nil
	case Str:
		read, err := Loads(string(v))
		if err != nil {
			return []Value{v}
		}
		if list, ok := read.(*List); ok {
			return list.items
		}
		return []Value{read}
	}
	return []Value{v}
}

// Map returns an iterator over the results of of for the items of a list. It calls of when an
// item is read.
func Map[T any](items []T, of func(T) Value) Value {
	at := 0
	return newGenerator(func() (Value, bool) {
		if at == len(items) {
			return nil, false
		}
		at++
		return of(items[at-1]), true
	})
}
