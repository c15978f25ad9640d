package py

// An iterator reads values one after the other, once: what Python calls an
// iterator or a generator. Values are computed when they are asked for.
type iterator struct {
	name string
	next func() (Value, bool)
}

func (i *iterator) typeName() string { return i.name }

// Next returns the next value; false when there is none.
func (i *iterator) Next() (Value, bool) { return i.next() }

// all yields the values that are left.
func (i *iterator) all(yield func(Value) bool) {
	for {
		if v, ok := i.next(); !ok || !yield(v) {
			return
		}
	}
}

// filterMap is an iterator over what pick returns for the items that it takes.
func (i *iterator) filterMap(pick func(Value) (Value, bool)) *iterator {
	return newGenerator(func() (Value, bool) {
		for item := range i.all {
			if v, ok := pick(item); ok {
				return v, true
			}
		}
		return nil, false
	})
}

func newGenerator(next func() (Value, bool)) *iterator {
	return &iterator{name: "generator", next: next}
}

// newIterator returns an iterator over v. A list that grows meanwhile is read to
// its new end; a dict that does is an error.
func newIterator(v Value) *iterator {
	switch v := v.(type) {
	case *iterator:
		return v
	case *List:
		return overList(v)
	case *tuple:
		return overItems("tuple_iterator", v.items)
	case Str:
		return overStr(string(v))
	case *Dict:
		return overView(&dictView{dict: v})
	case *dictView:
		return overView(v)
	case *rangeValue:
		return overRange(v)
	case *Loop:
		return v.restIterator()
	case *undefined:
		if v.lenient {
			return overItems("generator", nil)
		}
		panic(v.useError())
	}
	panic(typeError("'%s' object is not iterable", v.typeName()))
}

func overList(l *List) *iterator {
	at, done := 0, false
	return &iterator{name: "list_iterator", next: func() (Value, bool) {
		if done = done || at >= len(l.items); done {
			return nil, false
		}
		at++
		return l.items[at-1], true
	}}
}

func overItems(name string, items []Value) *iterator {
	return &iterator{name: name, next: func() (Value, bool) {
		if len(items) == 0 {
			return nil, false
		}
		v := items[0]
		items = items[1:]
		return v, true
	}}
}

func overStr(s string) *iterator {
	return &iterator{name: "str_iterator", next: func() (Value, bool) {
		for _, r := range s {
			one := Str(string(r))
			s = s[runeLen(s):]
			return one, true
		}
		return nil, false
	}}
}

func overRange(r *rangeValue) *iterator {
	at, n := int64(0), r.itemCount()
	return &iterator{name: "range_iterator", next: func() (Value, bool) {
		if at >= n {
			return nil, false
		}
		at++
		return r.itemAt(at - 1), true
	}}
}

func overView(v *dictView) *iterator {
	at, size := 0, v.dict.Len()
	name := [...]string{"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"}[v.kind]
	return &iterator{name: name, next: func() (Value, bool) {
		if v.dict.Len() != size {
			panic(newException("RuntimeError", "dictionary changed size during iteration"))
		}
		e, place, ok := v.dict.nextEntry(at)
		if !ok {
			return nil, false
		}
		at = place + 1
		return v.entryValue(e), true
	}}
}

// collectValues returns the values of anything that can be iterated over, in a new
// slice.
func collectValues(v Value) []Value {
	switch v := v.(type) {
	case *List:
		return append([]Value(nil), v.items...)
	case *tuple:
		return append([]Value(nil), v.items...)
	case *rangeValue:
		checkItems(v.itemCount())
	}
	var items []Value
	it := newIterator(v)
	for item, ok := it.Next(); ok; item, ok = it.Next() {
		checkItems(int64(len(items)) + 1)
		items = append(items, item)
	}
	return items
}

// unpackValues returns the values of an assignment to n names.
func unpackValues(v Value, n int) []Value {
	var it *iterator
	if tryCatch(func() { it = newIterator(v) }, "TypeError") != nil {
		panic(typeError("cannot unpack non-iterable %s object", v.typeName()))
	}
	var items []Value
	for item := range it.all {
		if len(items) == n {
			panic(valueError("too many values to unpack (expected %d)", n))
		}
		items = append(items, item)
	}
	if len(items) < n {
		panic(valueError("not enough values to unpack (expected %d, got %d)", n, len(items)))
	}
	return items
}

// A Loop is the value of the variable `loop` in a {% for %} statement; see Eval.Loop.
type Loop struct {
	source Value
	items  *iterator
	at     int // of the item, from 0; -1 before the first
	depth  int

	previous, item, ahead Value // nil when there is none
	total                 int   // -1 until it is known
	seen                  []Value
	changed               bool
}

func (*Loop) typeName() string { return "LoopContext" }

// newLoop starts a loop over v. Depth is 0 unless the loop is in a recursive one.
func newLoop(v Value, depth int) *Loop {
	return &Loop{source: v, items: newIterator(v), at: -1, depth: depth, total: -1}
}

// advance moves to the next item; false when there is none.
func (l *Loop) advance() (Value, bool) {
	next := l.peek()
	if next == nil {
		return nil, false
	}
	l.previous, l.item, l.ahead = l.item, next, nil
	l.at++
	return next, true
}

// restIterator lets a template iterate over `loop` itself, as Jinja2 does: it takes the
// items that are left.
func (l *Loop) restIterator() *iterator {
	return newGenerator(func() (Value, bool) {
		v, ok := l.advance()
		if !ok {
			return nil, false
		}
		return newTuple(v, l), true
	})
}

// peek returns the next item without moving; nil when there is none.
func (l *Loop) peek() Value {
	if l.ahead == nil {
		l.ahead, _ = l.items.Next()
	}
	return l.ahead
}

// itemCount returns how many items there are, for which it reads those of an
// iterator that are left.
func (l *Loop) itemCount() int {
	if l.total >= 0 {
		return l.total
	}
	if _, once := l.source.(*iterator); !once {
		l.total = lengthOf(l.source)
		return l.total
	}
	rest := collectValues(l.items)
	l.items = overItems("list_iterator", rest)
	l.total = len(rest) + l.at + 1
	if l.ahead != nil {
		l.total++
	}
	return l.total
}

// findAttr returns an attribute of loop; nil when it has none of the name.
func (l *Loop) findAttr(name string) Value {
	switch name {
	case "index":
		return Int(l.at + 1)
	case "index0":
		return Int(l.at)
	case "first":
		return Bool(l.at == 0)
	case "depth":
		return Int(l.depth + 1)
	case "depth0":
		return Int(l.depth)
	case "previtem":
		return orDefault(l.previous, &undefined{message: "there is no previous item"})
	case "cycle":
		return newFunction(name, l.cycleValue)
	case "changed":
		return newFunction(name, l.hasChanged)
	case "last", "nextitem":
		return l.aheadAttr(name)
	case "length", "revindex", "revindex0":
		return l.lengthAttr(name)
	}
	return nil
}

func (l *Loop) aheadAttr(name string) Value {
	next := l.peek()
	if name == "last" {
		return Bool(next == nil)
	}
	return orDefault(next, &undefined{message: "there is no next item"})
}

func (l *Loop) lengthAttr(name string) Value {
	n := l.itemCount()
	switch name {
	case "revindex":
		n -= l.at
	case "revindex0":
		n -= l.at + 1
	}
	return Int(n)
}

func (l *Loop) cycleValue(a Args) Value {
	if len(a.Kw) > 0 {
		panic(typeError("cycle() got an unexpected keyword argument '%s'", a.Kw[0].Name))
	}
	if len(a.Pos) == 0 {
		panic(typeError("no items for cycling given"))
	}
	return a.Pos[max(l.at, 0)%len(a.Pos)]
}

// hasChanged is loop.changed(…): whether the values differ from those of its call
// before.
func (l *Loop) hasChanged(a Args) Value {
	if len(a.Kw) > 0 {
		panic(typeError("changed() got an unexpected keyword argument '%s'", a.Kw[0].Name))
	}
	c := comparer{}
	eq := c.equalItems(l.seen, a.Pos, 0)
	if l.changed && eq {
		return Bool(false)
	}
	l.seen, l.changed = a.Pos, true
	return Bool(true)
}
