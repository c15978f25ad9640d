package py

// Length is the filter length, also called count.
func (filterSet) Length(v Value, a Args) Value {
	a.bind("length", 0)
	return Int(lengthOf(v))
}

// List is the filter list.
func (filterSet) List(v Value, a Args) Value {
	a.bind("list", 0)
	return NewList(collectValues(v)...)
}

// First is the filter first.
func (filterSet) First(v Value, a Args) Value {
	a.bind("first", 0)
	item, _ := newIterator(v).Next()
	return orDefault(item, &undefined{message: "No first item, sequence was empty."})
}

// Last is the filter last.
func (filterSet) Last(v Value, a Args) Value {
	a.bind("last", 0)
	item, _ := reverseIterator(v).Next()
	return orDefault(item, &undefined{message: "No last item, sequence was empty."})
}

// reverseIterator is Python's reversed().
func reverseIterator(v Value) *iterator {
	switch v := v.(type) {
	case *rangeValue:
		n := v.itemCount()
		if n == 0 {
			return overRange(v)
		}
		return overRange(&rangeValue{start: v.start + (n-1)*v.step, stop: v.start - v.step, step: -v.step})
	case *undefined:
		return newIterator(v)
	case Str, *List, *tuple, *Dict, *dictView:
		return overItems("list_reverseiterator", reversedCopy(collectValues(v)))
	}
	panic(typeError("'%s' object is not reversible", v.typeName()))
}

// Reverse is the filter reverse. For a list it returns an iterator.
func (filterSet) Reverse(v Value, a Args) Value {
	a.bind("reverse", 0)
	if s, ok := v.(Str); ok {
		return Str(string(reversedCopy([]rune(string(s)))))
	}
	var it *iterator
	if tryCatch(func() { it = reverseIterator(v) }, "TypeError") == nil {
		return it
	}
	var items []Value
	if tryCatch(func() { items = collectValues(v) }, "TypeError") != nil {
		panic(newException("FilterArgumentError", "argument must be iterable"))
	}
	return NewList(reversedCopy(items)...)
}

// Items is the filter items. An undefined value has none, as in Jinja2.
func (filterSet) Items(v Value, a Args) Value {
	a.bind("items", 0)
	return lazyIterator(func() *iterator {
		switch v := v.(type) {
		case *Dict:
			return overView(&dictView{dict: v, kind: itemsView})
		case *undefined:
			return overItems("", nil)
		}
		panic(typeError("Can only get item pairs from a mapping."))
	})
}

// lazyIterator is an iterator that is made when its first value is asked for.
func lazyIterator(start func() *iterator) *iterator {
	var it *iterator
	return newGenerator(func() (Value, bool) {
		if it == nil {
			it = overItems("", nil) // if it cannot be made
			it = start()
		}
		return it.Next()
	})
}

// Join is the filter join.
func (filterSet) Join(v Value, a Args) Value {
	args := a.bind("join", 0, "d", "attribute")
	sep := ""
	if args[0] != nil {
		sep = strOf(args[0])
	}
	get := attributeGetter(args[1], nil, false)
	items := collectValues(v)
	parts := make([]string, len(items))
	for i, item := range items {
		item = get(item)
		parts[i] = strOf(item)
	}
	return joinTexts(parts, sep)
}

// Batch is the filter batch: lists of a number of items.
func (filterSet) Batch(v Value, a Args) Value {
	args := a.bind("batch", 1, "linecount", "fill_with")
	return lazyIterator(func() *iterator {
		items := collectValues(v)
		var rows []Value
		none := equals(args[0], Int(0))
		if none && len(items) > 0 { // Jinja2 takes the empty list before the first item for full
			rows = append(rows, NewList())
		}
		for len(items) > 0 {
			n := batchLength(args[0], items)
			rows = append(rows, NewList(append([]Value(nil), items[:n]...)...))
			items = items[n:]
		}
		if len(rows) == 0 {
			return overItems("", nil)
		}
		fillBatch(rows[len(rows)-1].(*List), args[0], args[1])
		return overItems("", rows)
	})
}

// batchLength returns how many of the items come before the list has the wanted length,
// which it never has if that is not a number of items.
func batchLength(want Value, items []Value) int {
	for n := 1; n < len(items); n++ {
		if equals(Int(n), want) {
			return n
		}
		if i, ok := indexOf(want); ok && i > n {
			n = min(i, len(items)) - 1
		}
	}
	return len(items)
}

// fillBatch brings a batch to the wanted length.
func fillBatch(l *List, want, with Value) {
	if !isGiven(with) {
		return
	}
	if !less(Int(len(l.items)), want) {
		return
	}
	missing := sub(want, Int(len(l.items)))
	l.items = joinItems(l.items, mul(NewList(with), missing).(*List).items)
}

// Slice is the filter slice: a number of lists of about the same length.
func (filterSet) Slice(v Value, a Args) Value {
	args := a.bind("slice", 1, "slices", "fill_with")
	return lazyIterator(func() *iterator {
		items := collectValues(v)
		floorDiv(Int(len(items)), args[0])
		n := wantInt(args[0])
		checkItems(int64(n))
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
		return overItems("", columns)
	})
}

func columnStart(i, n, items int) int { return i*(items/n) + min(i, items%n) }

// Sum is the filter sum.
func (filterSet) Sum(v Value, a Args) Value {
	args := a.bind("sum", 0, "attribute", "start")
	get := attributeGetter(args[0], nil, false)
	it := newIterator(v)
	total := orDefault(args[1], Int(0))
	if isType[Str](total) {
		panic(typeError("sum() can't sum strings [use ''.join(seq) instead]"))
	}
	for item := range it.all {
		total = add(total, get(item))
	}
	return total
}

// Random is refused: a run must take the same way when it is repeated.
func (filterSet) Random(Value, Args) Value {
	panic(unsupportedError("the filter `random` is not supported: a resumed run would choose differently"))
}
