package py

// A Namespace is what the global function namespace makes: a value whose
// attributes `{% set ns.x = … %}` changes.
type Namespace struct{ attrs *Dict }

func (*Namespace) typeName() string { return "Namespace" }

// SetAttr is `{% set v.name = value %}`, which only a namespace takes.
func SetAttr(v Value, name string, value Value) error {
	ns, ok := v.(*Namespace)
	if !ok {
		return raise("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
	}
	return ns.attrs.SetStr(name, value)
}

// A Cycler gives its values in turn.
type Cycler struct {
	items []Value
	at    int
}

func (*Cycler) typeName() string { return "Cycler" }

// GlobalRange is the global function range.
func GlobalRange(a Args) (Value, error) {
	args, err := a.positional("range", 1, 3)
	if err != nil {
		return nil, err
	}
	var n [3]int64
	for i, v := range args {
		if v == nil {
			continue
		}
		if _, isBig := v.(*Big); isBig {
			return nil, raise("LimitError", "a range cannot hold whole numbers of more than 64 bits")
		}
		x, err := wantInt(v)
		if err != nil {
			return nil, err
		}
		n[i] = int64(x)
	}
	r := &Range{start: n[0], stop: n[1], step: n[2]}
	if args[1] == nil {
		r.start, r.stop = 0, n[0]
	}
	if args[2] == nil {
		r.step = 1
	}
	if r.step == 0 {
		return nil, valueError("range() arg 3 must not be zero")
	}
	// Half of the numbers are enough to keep the arithmetic within 64 bits.
	for _, x := range []int64{r.start, r.stop, r.step} {
		if x > 1<<61 || x < -1<<61 {
			return nil, raise("LimitError", "the limits of a range go up to 2^61")
		}
	}
	return r, nil
}

// GlobalDict is the global function dict.
func GlobalDict(a Args) (Value, error) {
	if len(a.Pos) > 1 {
		return nil, typeError("dict expected at most 1 argument, got %d", len(a.Pos))
	}
	d := NewDict()
	return d, update(d, a)
}

// GlobalNamespace is the global function namespace.
func GlobalNamespace(a Args) (Value, error) {
	d, err := GlobalDict(a)
	if err != nil {
		return nil, err
	}
	return &Namespace{attrs: d.(*Dict)}, nil
}

// GlobalCycler is the global function cycler.
func GlobalCycler(a Args) (Value, error) {
	if len(a.Kw) > 0 {
		return nil, typeError("Cycler.__init__() got an unexpected keyword argument '%s'", a.Kw[0].Name)
	}
	if len(a.Pos) == 0 {
		return nil, raise("RuntimeError", "at least one item has to be provided")
	}
	return &Cycler{items: a.Pos}, nil
}

// GlobalJoiner is the global function joiner: the first call of what it
// returns gives empty text, the others the separator.
func GlobalJoiner(a Args) (Value, error) {
	args, err := a.bind("joiner", 0, "sep")
	if err != nil {
		return nil, err
	}
	sep, used := args[0], false
	if sep == nil {
		sep = Str(", ")
	}
	return NewFunc("joiner", func(a Args) (Value, error) {
		if _, err := a.positional("joiner", 0, 0); err != nil {
			return nil, err
		}
		if !used {
			used = true
			return Str(""), nil
		}
		return sep, nil
	}), nil
}

func cyclerAttr(c *Cycler, name string) Value {
	switch name {
	case "current":
		return c.items[c.at]
	case "next":
		return NewFunc(name, func(a Args) (Value, error) {
			_, err := a.positional(name, 0, 0)
			v := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			return v, err
		})
	case "reset":
		return NewFunc(name, func(a Args) (Value, error) {
			_, err := a.positional(name, 0, 0)
			c.at = 0
			return None{}, err
		})
	case "items":
		return NewTuple(c.items...)
	case "pos":
		return Int(c.at)
	}
	return nil
}

// GlobalLipsum is refused: a run must say the same when it is repeated.
func GlobalLipsum(Args) (Value, error) {
	return nil, unsupported("`lipsum` is not supported: a run that is resumed would choose differently")
}
