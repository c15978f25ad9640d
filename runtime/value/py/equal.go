package py

// Eq is `a == b`. Only an undefined value, too deep a value, and too long a
// comparison are errors.
func Eq(a, b Value) (bool, error) {
	c := comparer{}
	return c.equal(a, b, 0)
}

// Ne is `a != b`.
func Ne(a, b Value) (bool, error) {
	eq, err := Eq(a, b)
	return !eq, err
}

// A comparer counts the pairs that it compares: values that share parts could
// take forever.
type comparer struct{ steps int }

func (c *comparer) equal(a, b Value, depth int) (bool, error) {
	if c.steps++; c.steps > maxSteps {
		return false, raise("LimitError", "the comparison takes too long")
	}
	if depth > maxDepth {
		return false, raise("RecursionError", "maximum recursion depth exceeded in comparison")
	}
	if err, ok := undefinedEqual(a, b); ok {
		return err == nil && a.typeName() == b.typeName(), err
	}
	if _, ok := b.(*Undefined); ok {
		a, b = b, a
	}
	if x := number(a); x != nil {
		if y := number(b); y != nil {
			order, ok := compareNumbers(x, y)
			return ok && order == 0, nil
		}
		return false, nil
	}
	switch a := a.(type) {
	case *Undefined:
		return b == Bool(false), nil
	case None:
		_, ok := b.(None)
		return ok, nil
	case Str:
		b, ok := b.(Str)
		return ok && a == b, nil
	case *List:
		b, ok := b.(*List)
		if !ok {
			return false, nil
		}
		return c.equalItems(a.items, b.items, depth)
	case *Tuple:
		b, ok := b.(*Tuple)
		if !ok {
			return false, nil
		}
		return c.equalItems(a.items, b.items, depth)
	case *Dict:
		b, ok := b.(*Dict)
		if !ok {
			return false, nil
		}
		return c.equalDicts(a, b, depth)
	case *Range:
		b, ok := b.(*Range)
		return ok && hashRange(a) == hashRange(b), nil
	case *View:
		b, ok := b.(*View)
		return ok && c.sameView(a, b, depth), nil
	}
	return same(a, b), nil
}

// undefinedEqual decides comparisons with an undefined value: those with a
// strict one are errors, and lenient ones are equal to each other.
func undefinedEqual(a, b Value) (error, bool) {
	x, xok := a.(*Undefined)
	y, yok := b.(*Undefined)
	switch {
	case xok && !x.lenient:
		return x.fail(), true
	case yok && !y.lenient:
		return y.fail(), true
	case xok && x.skipped == itsAttribute && !yok:
		return nil, false
	case yok && y.skipped == itsAttribute && !xok:
		return nil, false
	}
	return nil, xok || yok
}

// equalItem is the comparison within containers, which takes a value for equal
// to itself without a look, as Python does.
func (c *comparer) equalItem(a, b Value, depth int) (bool, error) {
	if same(a, b) {
		return true, nil
	}
	return c.equal(a, b, depth+1)
}

func (c *comparer) equalItems(a, b []Value, depth int) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if eq, err := c.equalItem(a[i], b[i], depth); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func (c *comparer) equalDicts(a, b *Dict, depth int) (bool, error) {
	if a.Len() != b.Len() {
		return false, nil
	}
	for _, e := range a.entries {
		if e.key == nil {
			continue
		}
		at, ok := b.index[e.hash]
		if !ok {
			return false, nil
		}
		if eq, err := c.equalItem(e.value, b.entries[at].value, depth); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

// sameView tells whether two views of keys or items show the same set; views of
// values are equal only to themselves.
func (c *comparer) sameView(a, b *View, depth int) bool {
	if a.kind != b.kind || a.kind == valuesView {
		return a == b
	}
	if a.kind == itemsView {
		eq, err := c.equalDicts(a.dict, b.dict, depth)
		return err == nil && eq
	}
	if a.dict.Len() != b.dict.Len() {
		return false
	}
	for h := range a.dict.index {
		if _, ok := b.dict.index[h]; !ok {
			return false
		}
	}
	return true
}

// same is Python's `is`, as far as it can be known: small values are the same
// when they are equal and of one type.
func same(a, b Value) bool {
	switch a := a.(type) {
	case *Big:
		b, ok := b.(*Big)
		return ok && a.i.Cmp(b.i) == 0
	case Float:
		b, ok := b.(Float)
		return ok && (a == b || a != a && b != b)
	}
	return a == b
}
