package py

import "strings"

// Lt is `a < b`.
func Lt(a, b Value) (bool, error) { return compare("<", a, b) }

// Le is `a <= b`.
func Le(a, b Value) (bool, error) { return compare("<=", a, b) }

// Gt is `a > b`.
func Gt(a, b Value) (bool, error) { return compare(">", a, b) }

// Ge is `a >= b`.
func Ge(a, b Value) (bool, error) { return compare(">=", a, b) }

// compare orders two values: numbers by size, texts by code points, lists and
// tuples by their first different item.
func compare(op string, a, b Value) (bool, error) {
	c := comparer{}
	return c.order(op, a, b, 0)
}

func (c *comparer) order(op string, a, b Value, depth int) (bool, error) {
	if depth > maxDepth {
		return false, raise("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if x, y := number(a), number(b); x != nil && y != nil {
		n, ok := compareNumbers(x, y)
		return ok && holds(op, n), nil
	}
	switch a := a.(type) {
	case Str:
		if b, ok := b.(Str); ok {
			return holds(op, strings.Compare(string(a), string(b))), nil
		}
	case *List:
		if b, ok := b.(*List); ok {
			return c.orderItems(op, a.items, b.items, depth)
		}
	case *Tuple:
		if b, ok := b.(*Tuple); ok {
			return c.orderItems(op, a.items, b.items, depth)
		}
	}
	// A strict undefined value answers first, as the more special class.
	if u, ok := b.(*Undefined); ok && !u.lenient {
		a = strictFirst(a, u)
	}
	if err := undefinedOperand(a, b); err != nil {
		return false, err
	}
	return false, typeError("'%s' not supported between instances of '%s' and '%s'", op, a.typeName(), b.typeName())
}

func strictFirst(a Value, b *Undefined) Value {
	if u, ok := a.(*Undefined); ok && u.lenient {
		return b
	}
	return a
}

func (c *comparer) orderItems(op string, a, b []Value, depth int) (bool, error) {
	for i := range min(len(a), len(b)) {
		eq, err := c.equalItem(a[i], b[i], depth)
		if err != nil {
			return false, err
		}
		if !eq {
			return c.order(op, a[i], b[i], depth+1)
		}
	}
	return holds(op, len(a)-len(b)), nil
}

func holds(op string, n int) bool {
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

// In is `v in container`.
func In(v, container Value) (bool, error) {
	switch c := container.(type) {
	case Str:
		s, ok := v.(Str)
		if !ok {
			return false, typeError("'in <string>' requires string as left operand, not %s", v.typeName())
		}
		return strings.Contains(string(c), string(s)), nil
	case *Dict:
		_, ok, err := c.Get(v)
		return ok, err
	case *Range:
		return inRange(v, c)
	case *View:
		if c.kind == keysView {
			_, ok, err := c.dict.Get(v)
			return ok, err
		}
	case *Undefined:
		if !c.lenient {
			return false, c.fail()
		}
	}
	it, err := Iterate(container)
	if isKind(err, "TypeError") {
		return false, typeError("argument of type '%s' is not iterable", container.typeName())
	}
	if err != nil {
		return false, err
	}
	return find(it, v)
}

// NotIn is `v not in container`.
func NotIn(v, container Value) (bool, error) {
	in, err := In(v, container)
	return !in, err
}

func find(it *Iter, v Value) (bool, error) {
	c := comparer{}
	for {
		item, ok, err := it.Next()
		if err != nil || !ok {
			return false, err
		}
		if eq, err := c.equalItem(item, v, 0); err != nil || eq {
			return eq, err
		}
	}
}

// inRange decides by arithmetic: a range may be long.
func inRange(v Value, r *Range) (bool, error) {
	if err := undefinedOperand(v); err != nil && r.length() > 0 {
		return false, err
	}
	h, err := hashOf(v, 0)
	if err != nil || h.kind != 'i' {
		return false, nil
	}
	n, last := h.n, r.length()-1
	if last < 0 {
		return false, nil
	}
	low, high := r.start, r.start+last*r.step
	if low > high {
		low, high = high, low
	}
	return low <= n && n <= high && (n-low)%max(r.step, -r.step) == 0, nil
}
