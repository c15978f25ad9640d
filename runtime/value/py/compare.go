package py

import "strings"

// equals is `a == b`. Only an undefined value, too deep a value, and too long a
// comparison are errors.
func equals(a, b Value) bool {
	c := comparer{}
	return c.equalValues(a, b, 0)
}

// notEquals is `a != b`.
func notEquals(a, b Value) bool { return !equals(a, b) }

// A comparer counts the pairs that it compares: values that share parts could
// take forever.
type comparer struct{ steps int }

func (c *comparer) equalValues(a, b Value, depth int) bool {
	if c.steps++; c.steps > maxSteps {
		panic(newException("LimitError", "the comparison takes too long"))
	}
	if depth > maxDepth {
		panic(newException("RecursionError", "maximum recursion depth exceeded in comparison"))
	}
	if undefinedEqual(a, b) {
		return a.typeName() == b.typeName()
	}
	if isType[*undefined](b) {
		a, b = b, a
	}
	if x := toNumber(a); x != nil {
		if y := toNumber(b); y != nil {
			order, ok := compareNumbers(x, y)
			return ok && order == 0
		}
		return false
	}
	switch a := a.(type) {
	case *undefined:
		return b == Bool(false)
	case None:
		return isType[None](b)
	case Str:
		b, ok := b.(Str)
		return ok && a == b
	case *List:
		b, ok := b.(*List)
		return ok && c.equalItems(a.items, b.items, depth)
	case *tuple:
		b, ok := b.(*tuple)
		return ok && c.equalItems(a.items, b.items, depth)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && c.equalDicts(a, b, depth)
	case *rangeValue:
		b, ok := b.(*rangeValue)
		return ok && hashRange(a) == hashRange(b)
	case *dictView:
		b, ok := b.(*dictView)
		return ok && c.sameView(a, b, depth)
	}
	return isIdentical(a, b)
}

// undefinedEqual reports whether a comparison with an undefined value is decided by
// the types alone: lenient ones are equal to each other. One with a strict undefined
// value is an error.
func undefinedEqual(a, b Value) bool {
	x, xok := a.(*undefined)
	y, yok := b.(*undefined)
	switch {
	case xok && !x.lenient:
		panic(x.useError())
	case yok && !y.lenient:
		panic(y.useError())
	case xok && x.skipped == itsAttribute && !yok, yok && y.skipped == itsAttribute && !xok:
		return false
	}
	return xok || yok
}

// equalItem is the comparison within containers, which takes a value for equal
// to itself without a look, as Python does.
func (c *comparer) equalItem(a, b Value, depth int) bool {
	if isIdentical(a, b) {
		return true
	}
	return c.equalValues(a, b, depth+1)
}

func (c *comparer) equalItems(a, b []Value, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !c.equalItem(a[i], b[i], depth) {
			return false
		}
	}
	return true
}

func (c *comparer) equalDicts(a, b *Dict, depth int) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, e := range a.liveEntries() {
		at, ok := b.index[e.hash]
		if !ok || !c.equalItem(e.value, b.entries[at].value, depth) {
			return false
		}
	}
	return true
}

// sameView reports whether two views of keys or items show the same set; views of values
// are equal only to themselves.
func (c *comparer) sameView(a, b *dictView, depth int) bool {
	if a.kind != b.kind || a.kind == valuesView {
		return a == b
	}
	if a.kind == itemsView {
		eq := false
		tryCatch(func() { eq = c.equalDicts(a.dict, b.dict, depth) })
		return eq
	}
	if a.dict.Len() != b.dict.Len() {
		return false
	}
	//workflowcheck:ignore the order does not matter
	for h := range a.dict.index {
		if _, ok := b.dict.index[h]; !ok {
			return false
		}
	}
	return true
}

// isIdentical is Python's `is`, as far as it can be known: small values are the same
// when they are equal and of one type.
func isIdentical(a, b Value) bool {
	switch a := a.(type) {
	case *bigInt:
		b, ok := b.(*bigInt)
		return ok && a.i.Cmp(b.i) == 0
	case Float:
		b, ok := b.(Float)
		return ok && (a == b || a != a && b != b)
	}
	return a == b
}

// less is `a < b`.
func less(a, b Value) bool { return compareOrder("<", a, b) }

// atMost is `a <= b`.
func atMost(a, b Value) bool { return compareOrder("<=", a, b) }

// greater is `a > b`.
func greater(a, b Value) bool { return compareOrder(">", a, b) }

// atLeast is `a >= b`.
func atLeast(a, b Value) bool { return compareOrder(">=", a, b) }

// compareOrder orders two values: numbers by size, strings by code points, lists and tuples by
// their first different item.
func compareOrder(op string, a, b Value) bool {
	c := comparer{}
	return c.orderValues(op, a, b, 0)
}

func (c *comparer) orderValues(op string, a, b Value, depth int) bool {
	if depth > maxDepth {
		panic(newException("RecursionError", "maximum recursion depth exceeded in comparison"))
	}
	if x, y := toNumber(a), toNumber(b); x != nil && y != nil {
		n, ok := compareNumbers(x, y)
		return ok && orderHolds(op, n)
	}
	switch a := a.(type) {
	case Str:
		if b, ok := b.(Str); ok {
			return orderHolds(op, strings.Compare(string(a), string(b)))
		}
	case *List:
		if b, ok := b.(*List); ok {
			return c.orderItems(op, a.items, b.items, depth)
		}
	case *tuple:
		if b, ok := b.(*tuple); ok {
			return c.orderItems(op, a.items, b.items, depth)
		}
	}
	// A strict undefined value answers first, as the more special class.
	if u, ok := b.(*undefined); ok && !u.lenient && isType[*undefined](a) && a.(*undefined).lenient {
		a = b
	}
	undefinedOperand(a, b)
	panic(typeError("'%s' not supported between instances of '%s' and '%s'", op, a.typeName(), b.typeName()))
}

func (c *comparer) orderItems(op string, a, b []Value, depth int) bool {
	for i := range min(len(a), len(b)) {
		if !c.equalItem(a[i], b[i], depth) {
			return c.orderValues(op, a[i], b[i], depth+1)
		}
	}
	return orderHolds(op, len(a)-len(b))
}

func orderHolds(op string, n int) bool {
	switch op {
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

// contains is `v in container`.
func contains(v, container Value) bool {
	switch c := container.(type) {
	case Str:
		s, ok := v.(Str)
		if !ok {
			panic(typeError("'in <string>' requires string as left operand, not %s", v.typeName()))
		}
		return strings.Contains(string(c), string(s))
	case *Dict:
		_, ok := c.get(v)
		return ok
	case *rangeValue:
		return inRange(v, c)
	case *dictView:
		if c.kind == keysView {
			_, ok := c.dict.get(v)
			return ok
		}
	case *undefined:
		if !c.lenient {
			panic(c.useError())
		}
	}
	var it *iterator
	if tryCatch(func() { it = newIterator(container) }, "TypeError") != nil {
		panic(typeError("argument of type '%s' is not iterable", container.typeName()))
	}
	c := comparer{}
	for item := range it.all {
		if c.equalItem(item, v, 0) {
			return true
		}
	}
	return false
}

// notContains is `v not in container`.
func notContains(v, container Value) bool { return !contains(v, container) }

// inRange decides by arithmetic: a range may be long.
func inRange(v Value, r *rangeValue) bool {
	if r.itemCount() > 0 {
		undefinedOperand(v)
	}
	var h hashKey
	if tryCatch(func() { h = hashOf(v, 0) }) != nil || h.kind != 'i' {
		return false
	}
	n, last := h.n, r.itemCount()-1
	if last < 0 {
		return false
	}
	low, high := r.start, r.start+last*r.step
	if low > high {
		low, high = high, low
	}
	return low <= n && n <= high && (n-low)%max(r.step, -r.step) == 0
}
