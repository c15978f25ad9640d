package py

// FilterMap is the filter map: an attribute of each item, or a filter applied
// to it.
func FilterMap(v Value, a Args) (Value, error) {
	return overTruthy(v, func() (func(Value) (Value, error), error) { return mapper(a) },
		func(_, mapped Value) (Value, bool, error) { return mapped, true, nil }), nil
}

func mapper(a Args) (func(Value) (Value, error), error) {
	if len(a.Pos) == 0 && keyword(a.Kw, "attribute") != nil {
		for _, kw := range a.Kw {
			if kw.Name != "attribute" && kw.Name != "default" {
				return nil, raise("FilterArgumentError", "Unexpected keyword argument %s", quote(kw.Name))
			}
		}
		return getter(keyword(a.Kw, "attribute"), keyword(a.Kw, "default"), false)
	}
	if len(a.Pos) == 0 {
		return nil, raise("FilterArgumentError", "map requires a filter argument")
	}
	rest := Args{Pos: a.Pos[1:], Kw: a.Kw, Env: a.Env}
	return func(v Value) (Value, error) {
		f, err := a.Env.filter(a.Pos[0])
		if err != nil {
			return nil, err
		}
		return f(v, rest)
	}, nil
}

func keyword(kw []Kw, name string) Value {
	for _, k := range kw {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

// overTruthy is an iterator over what emit makes of each item and of f of it; of a
// value that is false it is empty.
func overTruthy(v Value, prepare func() (func(Value) (Value, error), error), emit func(item, result Value) (Value, bool, error)) *Iter {
	return lazy(func() (*Iter, error) {
		if ok, err := Truth(v); err != nil || !ok {
			return overItems("", nil), err
		}
		f, err := prepare()
		if err != nil {
			return nil, err
		}
		it, err := Iterate(v)
		if err != nil {
			return nil, err
		}
		return generator(func() (Value, bool, error) {
			for {
				item, ok, err := it.Next()
				if err != nil || !ok {
					return nil, false, err
				}
				result, err := f(item)
				if err != nil {
					return nil, false, err
				}
				if out, ok, err := emit(item, result); ok || err != nil {
					return out, ok, err
				}
			}
		}), nil
	})
}

// FilterSelect is the filter select: the items that pass a test.
func FilterSelect(v Value, a Args) (Value, error) { return selected(v, a, true, false), nil }

// FilterReject is the filter reject: the items that do not pass a test.
func FilterReject(v Value, a Args) (Value, error) { return selected(v, a, false, false), nil }

// FilterSelectattr is the filter selectattr: the items of which an attribute
// passes a test.
func FilterSelectattr(v Value, a Args) (Value, error) { return selected(v, a, true, true), nil }

// FilterRejectattr is the filter rejectattr: the items of which an attribute
// does not pass a test.
func FilterRejectattr(v Value, a Args) (Value, error) { return selected(v, a, false, true), nil }

func selected(v Value, a Args, want, byAttribute bool) *Iter {
	return overTruthy(v, func() (func(Value) (Value, error), error) { return chooser(a, byAttribute) },
		func(item, result Value) (Value, bool, error) {
			ok, err := Truth(result)
			return item, ok == want && err == nil, err
		})
}

// chooser makes the function whose truth decides about an item.
func chooser(a Args, byAttribute bool) (func(Value) (Value, error), error) {
	get := func(v Value) (Value, error) { return v, nil }
	rest := a.Pos
	if byAttribute {
		if len(rest) == 0 {
			return nil, raise("FilterArgumentError", "Missing parameter for attribute name")
		}
		var err error
		if get, err = getter(rest[0], nil, false); err != nil {
			return nil, err
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return get, nil
	}
	args := Args{Pos: rest[1:], Kw: a.Kw, Env: a.Env}
	return func(v Value) (Value, error) {
		v, err := get(v)
		if err != nil {
			return nil, err
		}
		test, err := a.Env.test(rest[0])
		if err != nil {
			return nil, err
		}
		ok, err := test(v, args)
		return Bool(ok), err
	}, nil
}
