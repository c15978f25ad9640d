package py

// FilterLength is the filter length, also called count.
func FilterLength(v Value, a Args) (Value, error) {
	if _, err := a.bind("length", 0); err != nil {
		return nil, err
	}
	n, err := Len(v)
	return Int(n), err
}

// FilterList is the filter list.
func FilterList(v Value, a Args) (Value, error) {
	if _, err := a.bind("list", 0); err != nil {
		return nil, err
	}
	items, err := Collect(v)
	return NewList(items...), err
}

// FilterFirst is the filter first.
func FilterFirst(v Value, a Args) (Value, error) {
	if _, err := a.bind("first", 0); err != nil {
		return nil, err
	}
	it, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	item, ok, err := it.Next()
	if err == nil && !ok {
		return &Undefined{message: "No first item, sequence was empty."}, nil
	}
	return item, err
}

// FilterLast is the filter last.
func FilterLast(v Value, a Args) (Value, error) {
	if _, err := a.bind("last", 0); err != nil {
		return nil, err
	}
	it, err := backwards(v)
	if err != nil {
		return nil, err
	}
	item, ok, err := it.Next()
	if err == nil && !ok {
		return &Undefined{message: "No last item, sequence was empty."}, nil
	}
	return item, err
}

// backwards is Python's reversed().
func backwards(v Value) (*Iter, error) {
	switch v := v.(type) {
	case *Range:
		n := v.length()
		if n == 0 {
			return overRange(v), nil
		}
		return overRange(&Range{start: v.start + (n-1)*v.step, stop: v.start - v.step, step: -v.step}), nil
	case *Undefined:
		return Iterate(v)
	case Str, *List, *Tuple, *Dict, *View:
		items, err := Collect(v)
		return overItems("list_reverseiterator", reversed(items)), err
	}
	return nil, typeError("'%s' object is not reversible", v.typeName())
}

// FilterReverse is the filter reverse. Of a list it makes an iterator.
func FilterReverse(v Value, a Args) (Value, error) {
	if _, err := a.bind("reverse", 0); err != nil {
		return nil, err
	}
	if s, ok := v.(Str); ok {
		return Str(string(reversed([]rune(string(s))))), nil
	}
	it, err := backwards(v)
	if !isKind(err, "TypeError") {
		return it, err
	}
	items, err := Collect(v)
	if isKind(err, "TypeError") {
		return nil, raise("FilterArgumentError", "argument must be iterable")
	}
	return NewList(reversed(items)...), err
}

// FilterItems is the filter items. An undefined value has none, as in Jinja2.
func FilterItems(v Value, a Args) (Value, error) {
	if _, err := a.bind("items", 0); err != nil {
		return nil, err
	}
	return lazy(func() (*Iter, error) {
		switch v := v.(type) {
		case *Dict:
			return overView(&View{dict: v, kind: itemsView}), nil
		case *Undefined:
			return overItems("", nil), nil
		}
		return nil, typeError("Can only get item pairs from a mapping.")
	}), nil
}

// lazy is an iterator that is made when its first value is asked for.
func lazy(start func() (*Iter, error)) *Iter {
	var it *Iter
	return generator(func() (Value, bool, error) {
		if it == nil {
			var err error
			if it, err = start(); err != nil {
				it = overItems("", nil)
				return nil, false, err
			}
		}
		return it.Next()
	})
}

// FilterJoin is the filter join.
func FilterJoin(v Value, a Args) (Value, error) {
	args, err := a.bind("join", 0, "d", "attribute")
	if err != nil {
		return nil, err
	}
	sep := ""
	if args[0] != nil {
		if sep, err = Text(args[0]); err != nil {
			return nil, err
		}
	}
	get, err := getter(args[1], nil, false)
	if err != nil {
		return nil, err
	}
	items, err := Collect(v)
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if item, err = get(item); err != nil {
			return nil, err
		}
		if parts[i], err = Text(item); err != nil {
			return nil, err
		}
	}
	return joinTexts(parts, sep)
}

// FilterBatch is the filter batch: lists of a number of items.
func FilterBatch(v Value, a Args) (Value, error) {
	args, err := a.bind("batch", 1, "linecount", "fill_with")
	if err != nil {
		return nil, err
	}
	return lazy(func() (*Iter, error) {
		items, err := Collect(v)
		if err != nil {
			return nil, err
		}
		var rows []Value
		none, err := Eq(args[0], Int(0))
		if err != nil {
			return nil, err
		}
		if none && len(items) > 0 { // Jinja2 takes the empty list before the first item for full
			rows = append(rows, NewList())
		}
		for len(items) > 0 {
			n, err := batchLength(args[0], items)
			if err != nil {
				return nil, err
			}
			rows = append(rows, NewList(append([]Value(nil), items[:n]...)...))
			items = items[n:]
		}
		if len(rows) == 0 {
			return overItems("", nil), nil
		}
		return overItems("", rows), fill(rows[len(rows)-1].(*List), args[0], args[1])
	}), nil
}

// batchLength returns how many of the items are before the list has the wanted
// length, which it never has when that is no number of items.
func batchLength(want Value, items []Value) (int, error) {
	for n := 1; n < len(items); n++ {
		if eq, err := Eq(Int(n), want); err != nil || eq {
			return n, err
		}
		if i, ok := indexOf(want); ok && i > n {
			n = min(i, len(items)) - 1
		}
	}
	return len(items), nil
}

// fill brings a batch to the wanted length.
func fill(l *List, want, with Value) error {
	if _, none := with.(None); none || with == nil {
		return nil
	}
	less, err := Lt(Int(len(l.items)), want)
	if err != nil || !less {
		return err
	}
	missing, err := Sub(want, Int(len(l.items)))
	if err != nil {
		return err
	}
	more, err := Mul(NewList(with), missing)
	if err == nil {
		l.items, err = joinItems(l.items, more.(*List).items)
	}
	return err
}

// FilterSlice is the filter slice: a number of lists of about the same length.
func FilterSlice(v Value, a Args) (Value, error) {
	args, err := a.bind("slice", 1, "slices", "fill_with")
	if err != nil {
		return nil, err
	}
	return lazy(func() (*Iter, error) {
		items, err := Collect(v)
		if err != nil {
			return nil, err
		}
		if _, err := FloorDiv(Int(len(items)), args[0]); err != nil {
			return nil, err
		}
		n, err := wantInt(args[0])
		if err != nil {
			return nil, err
		}
		if err := checkItems(int64(n)); err != nil {
			return nil, err
		}
		var columns []Value
		_, none := args[1].(None)
		for i := range max(n, 0) {
			size := len(items) / n
			if i < len(items)%n {
				size++
			}
			column := append([]Value(nil), items[columnStart(i, n, len(items)):][:size]...)
			if args[1] != nil && !none && i >= len(items)%n {
				column = append(column, args[1])
			}
			columns = append(columns, NewList(column...))
		}
		return overItems("", columns), nil
	}), nil
}

func columnStart(i, n, items int) int { return i*(items/n) + min(i, items%n) }

// FilterSum is the filter sum.
func FilterSum(v Value, a Args) (Value, error) {
	args, err := a.bind("sum", 0, "attribute", "start")
	if err != nil {
		return nil, err
	}
	get, err := getter(args[0], nil, false)
	if err != nil {
		return nil, err
	}
	it, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	total := args[1]
	if total == nil {
		total = Int(0)
	}
	if _, ok := total.(Str); ok {
		return nil, typeError("sum() can't sum strings [use ''.join(seq) instead]")
	}
	for {
		item, ok, err := it.Next()
		if err != nil || !ok {
			return total, err
		}
		if item, err = get(item); err != nil {
			return nil, err
		}
		if total, err = Add(total, item); err != nil {
			return nil, err
		}
	}
}

// FilterRandom is refused: a run must take the same way when it is repeated.
func FilterRandom(Value, Args) (Value, error) {
	return nil, unsupported("the filter `random` is not supported: a run that is resumed would choose differently")
}
