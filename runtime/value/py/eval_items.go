package py

import "iter"

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

// SetAttr is `{% set v.name = value %}`.
func (e *Eval) SetAttr(v Value, name string, value Value, at string) {
	evalGuarded(&e.guard, func() any {
		setAttr(v, name, value)
		return nil
	})
	e.addPlace(at)
}

// Unpack returns the n values of an assignment to n names. After an error it returns n
// values, too.
func (e *Eval) Unpack(v Value, n int, at string) []Value {
	items, ok := evalGuarded(&e.guard, func() []Value { return unpackValues(v, n) })
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
		items, ok := evalGuarded(&e.guard, func() *iterator { return newIterator(v) })
		for ok {
			var item Value
			var more bool
			if _, ok = evalGuarded(&e.guard, func() any { item, more = items.Next(); return nil }); ok && (!more || !yield(item)) {
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
		loop, ok := evalGuarded(&e.guard, func() *Loop { return newLoop(v, 0) })
		if !ok && e.symbol != nil && !e.Failed() {
			loop, ok = newLoop(NewList(e.symbol), 0), true
		}
		for ok {
			var more bool
			if _, ok = evalGuarded(&e.guard, func() any { _, more = loop.advance(); return nil }); ok && (!more || !yield(loop)) {
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
