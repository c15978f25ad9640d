package py

import "iter"

// Each iterates over the items of a value.
func (e *Eval) Each(v Value, at string) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if e.failed() {
			e.place(at)
			return
		}
		items, err := Iterate(v)
		for err == nil && !e.failed() {
			item, ok, failed := items.Next()
			if err = failed; failed == nil && (!ok || e.failed() || !yield(item)) {
				break
			}
		}
		e.endLoop(err, at, yield)
	}
}

// endLoop notes why a loop ended. In a plan a loop over what nobody knows is
// shown once.
func (e *Eval) endLoop(err error, at string, yield func(Value) bool) {
	if err != nil && e.stand != nil {
		yield(e.stand)
		return
	}
	e.fail(err)
	e.place(at)
}

// Loop is Each for statements that read the variable `loop`, which is the value
// that it gives; Item has the item.
func (e *Eval) Loop(v Value, at string) iter.Seq[*Loop] {
	return func(yield func(*Loop) bool) {
		if e.failed() {
			e.place(at)
			return
		}
		loop, err := NewLoop(v, 0)
		if err != nil && e.stand != nil {
			loop, err = NewLoop(NewList(e.stand), 0)
		}
		for err == nil && !e.failed() {
			_, ok, failed := loop.Next()
			if err = failed; failed == nil && (!ok || e.failed() || !yield(loop)) {
				break
			}
		}
		e.fail(err)
		e.place(at)
	}
}

// Item returns the item at which the loop is.
func (l *Loop) Item() Value { return l.item }

// Where returns the items of a value for which keep is true; they are looked at
// when they are asked for.
func (e *Eval) Where(v Value, keep func(Value) bool) Value {
	if e.failed() {
		return None{}
	}
	items, err := Iterate(v)
	if err != nil {
		return e.value(nil, err)
	}
	return generator(func() (Value, bool, error) {
		for {
			item, ok, err := items.Next()
			if err != nil || !ok || e.failed() {
				return nil, false, err
			}
			if keep(item) {
				return item, true, nil
			}
		}
	})
}

// Items returns the values that a step is repeated for: those of a list; of a text
// those of the JSON list that it is, else the text itself; of everything else the
// value itself.
func (e *Eval) Items(v Value, at string) []Value {
	defer e.place(at)
	if e.failed() {
		return nil
	}
	switch v := v.(type) {
	case *List:
		return v.items
	case *Undefined:
		e.fail(v.fail())
		return nil
	case Str:
		read, err := FromJSON(string(v))
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

// Map returns what of makes of the items of a list, each when it is asked for.
func Map[T any](items []T, of func(T) Value) Value {
	at := 0
	return generator(func() (Value, bool, error) {
		if at == len(items) {
			return nil, false, nil
		}
		at++
		return of(items[at-1]), true, nil
	})
}
