package py

// A Loop is the value `loop` of a for statement and runs the statement: Next
// moves to each item in turn. It reads one item ahead.
type Loop struct {
	source Value
	items  *Iter
	at     int // of the item, from 0; -1 before the first
	depth  int

	previous, item, ahead Value // nil when there is none
	total                 int   // -1 until it is known
	seen                  []Value
	changed               bool
}

func (*Loop) typeName() string { return "LoopContext" }

// NewLoop starts a loop over v. Depth is 0 unless the loop is in a recursive one.
func NewLoop(v Value, depth int) (*Loop, error) {
	items, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	return &Loop{source: v, items: items, at: -1, depth: depth, total: -1}, nil
}

// Next moves to the next item; false when there is none.
func (l *Loop) Next() (Value, bool, error) {
	next := l.ahead
	l.ahead = nil
	if next == nil {
		v, ok, err := l.items.Next()
		if err != nil || !ok {
			return nil, false, err
		}
		next = v
	}
	l.previous, l.item = l.item, next
	l.at++
	return next, true, nil
}

// iter lets a template iterate over `loop` itself, as Jinja2 does: it takes the
// items that are left.
func (l *Loop) iter() *Iter {
	return generator(func() (Value, bool, error) {
		v, ok, err := l.Next()
		if !ok || err != nil {
			return nil, false, err
		}
		return NewTuple(v, l), true, nil
	})
}

// peek returns the next item without moving; nil when there is none.
func (l *Loop) peek() (Value, error) {
	if l.ahead != nil {
		return l.ahead, nil
	}
	v, ok, err := l.items.Next()
	if err != nil || !ok {
		return nil, err
	}
	l.ahead = v
	return v, nil
}

// length returns how many items there are, for which it reads those of an
// iterator that are left.
func (l *Loop) length() (int, error) {
	if l.total >= 0 {
		return l.total, nil
	}
	if _, once := l.source.(*Iter); !once {
		n, err := Len(l.source)
		l.total = n
		return n, err
	}
	rest, err := Collect(l.items)
	if err != nil {
		return 0, err
	}
	l.items = overItems("list_iterator", rest)
	l.total = len(rest) + l.at + 1
	if l.ahead != nil {
		l.total++
	}
	return l.total, nil
}

// attr returns an attribute of loop; nil when it has none of the name.
func (l *Loop) attr(name string) (Value, error) {
	switch name {
	case "index":
		return Int(l.at + 1), nil
	case "index0":
		return Int(l.at), nil
	case "first":
		return Bool(l.at == 0), nil
	case "depth":
		return Int(l.depth + 1), nil
	case "depth0":
		return Int(l.depth), nil
	case "previtem":
		if l.at <= 0 {
			return &Undefined{message: "there is no previous item"}, nil
		}
		return l.previous, nil
	case "cycle":
		return NewFunc(name, l.cycle), nil
	case "changed":
		return NewFunc(name, l.change), nil
	case "last", "nextitem":
		return l.aheadAttr(name)
	case "length", "revindex", "revindex0":
		return l.lengthAttr(name)
	}
	return nil, nil
}

func (l *Loop) aheadAttr(name string) (Value, error) {
	next, err := l.peek()
	if err != nil {
		return nil, err
	}
	if name == "last" {
		return Bool(next == nil), nil
	}
	if next == nil {
		return &Undefined{message: "there is no next item"}, nil
	}
	return next, nil
}

func (l *Loop) lengthAttr(name string) (Value, error) {
	n, err := l.length()
	switch name {
	case "revindex":
		n -= l.at
	case "revindex0":
		n -= l.at + 1
	}
	return Int(n), err
}

func (l *Loop) cycle(a Args) (Value, error) {
	if len(a.Kw) > 0 {
		return nil, typeError("cycle() got an unexpected keyword argument '%s'", a.Kw[0].Name)
	}
	if len(a.Pos) == 0 {
		return nil, typeError("no items for cycling given")
	}
	return a.Pos[max(l.at, 0)%len(a.Pos)], nil
}

// change is loop.changed(…): whether the values differ from those of its call
// before.
func (l *Loop) change(a Args) (Value, error) {
	if len(a.Kw) > 0 {
		return nil, typeError("changed() got an unexpected keyword argument '%s'", a.Kw[0].Name)
	}
	c := comparer{}
	eq, err := c.equalItems(l.seen, a.Pos, 0)
	if err != nil {
		return nil, err
	}
	if l.changed && eq {
		return Bool(false), nil
	}
	l.seen, l.changed = a.Pos, true
	return Bool(true), nil
}
