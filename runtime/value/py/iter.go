package py

// An Iter reads values one after the other, once: what Python calls an
// iterator or a generator. Values are computed when they are asked for.
type Iter struct {
	name string
	next func() (Value, bool, error)
}

func (i *Iter) typeName() string { return i.name }

// Next returns the next value; false when there is none.
func (i *Iter) Next() (Value, bool, error) { return i.next() }

func generator(next func() (Value, bool, error)) *Iter {
	return &Iter{name: "generator", next: next}
}

// Iterate returns an iterator over v. A list that grows meanwhile is read to
// its new end; a dict that does is an error.
func Iterate(v Value) (*Iter, error) {
	switch v := v.(type) {
	case *Iter:
		return v, nil
	case *List:
		return overList(v), nil
	case *Tuple:
		return overItems("tuple_iterator", v.items), nil
	case Str:
		return overStr(string(v)), nil
	case *Dict:
		return overView(&View{dict: v}), nil
	case *View:
		return overView(v), nil
	case *Range:
		return overRange(v), nil
	case *Loop:
		return v.iter(), nil
	case *Undefined:
		if v.lenient {
			return overItems("generator", nil), nil
		}
		return nil, v.fail()
	}
	return nil, typeError("'%s' object is not iterable", v.typeName())
}

func overList(l *List) *Iter {
	at, done := 0, false
	return &Iter{name: "list_iterator", next: func() (Value, bool, error) {
		if done = done || at >= len(l.items); done {
			return nil, false, nil
		}
		at++
		return l.items[at-1], true, nil
	}}
}

func overItems(name string, items []Value) *Iter {
	return &Iter{name: name, next: func() (Value, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		v := items[0]
		items = items[1:]
		return v, true, nil
	}}
}

func overStr(s string) *Iter {
	return &Iter{name: "str_iterator", next: func() (Value, bool, error) {
		for _, r := range s {
			one := Str(string(r))
			s = s[runeLen(s):]
			return one, true, nil
		}
		return nil, false, nil
	}}
}

func overRange(r *Range) *Iter {
	at, n := int64(0), r.length()
	return &Iter{name: "range_iterator", next: func() (Value, bool, error) {
		if at >= n {
			return nil, false, nil
		}
		at++
		return r.at(at - 1), true, nil
	}}
}

func overView(v *View) *Iter {
	at, size := 0, v.dict.Len()
	name := [...]string{"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"}[v.kind]
	return &Iter{name: name, next: func() (Value, bool, error) {
		if v.dict.Len() != size {
			return nil, false, raise("RuntimeError", "dictionary changed size during iteration")
		}
		e, place, ok := v.dict.next(at)
		if !ok {
			return nil, false, nil
		}
		at = place + 1
		return v.of(e), true, nil
	}}
}

// Collect returns the values of anything that can be iterated over, in a new
// slice.
func Collect(v Value) ([]Value, error) {
	switch v := v.(type) {
	case *List:
		return append([]Value(nil), v.items...), nil
	case *Tuple:
		return append([]Value(nil), v.items...), nil
	case *Range:
		if err := checkItems(v.length()); err != nil {
			return nil, err
		}
	}
	it, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	var items []Value
	for {
		item, ok, err := it.Next()
		if err != nil || !ok {
			return items, err
		}
		if err := checkItems(int64(len(items)) + 1); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

// Unpack returns the values of an assignment to n names.
func Unpack(v Value, n int) ([]Value, error) {
	if _, err := Iterate(v); err != nil {
		if isKind(err, "TypeError") {
			return nil, typeError("cannot unpack non-iterable %s object", v.typeName())
		}
		return nil, err
	}
	it, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	var items []Value
	for {
		item, ok, err := it.Next()
		if err != nil {
			return nil, err
		}
		if !ok && len(items) < n {
			return nil, valueError("not enough values to unpack (expected %d, got %d)", n, len(items))
		}
		if !ok {
			return items, nil
		}
		if len(items) == n {
			return nil, valueError("too many values to unpack (expected %d)", n)
		}
		items = append(items, item)
	}
}
