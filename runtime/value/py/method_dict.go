package py

// dictMethod returns a method of dicts; nil when there is none of the name.
func dictMethod(name string) method {
	switch name {
	case "get":
		return dictGet
	case "setdefault":
		return dictSetDefault
	case "pop":
		return dictPop
	case "popitem":
		return dictPopItem
	case "update":
		return func(v Value, a Args) (Value, error) {
			if len(a.Pos) > 1 {
				return nil, typeError("update expected at most 1 argument, got %d", len(a.Pos))
			}
			return None{}, update(v.(*Dict), a)
		}
	case "fromkeys":
		return dictFromKeys
	case "keys", "values", "items", "copy", "clear":
		return dictPlain(name)
	}
	return nil
}

func dictPlain(name string) method {
	return func(v Value, a Args) (Value, error) {
		if _, err := a.positional("dict."+name, 0, 0); err != nil {
			return nil, err
		}
		d := v.(*Dict)
		switch name {
		case "keys":
			return &View{dict: d, kind: keysView}, nil
		case "values":
			return &View{dict: d, kind: valuesView}, nil
		case "items":
			return &View{dict: d, kind: itemsView}, nil
		case "copy":
			return d.copy(), nil
		}
		d.clear()
		return None{}, nil
	}
}

func dictGet(v Value, a Args) (Value, error) {
	args, err := a.positional("get", 1, 2)
	if err != nil {
		return nil, err
	}
	got, ok, err := v.(*Dict).Get(args[0])
	if err != nil || ok {
		return got, err
	}
	return orNone(args[1]), nil
}

func orNone(v Value) Value {
	if v == nil {
		return None{}
	}
	return v
}

func dictSetDefault(v Value, a Args) (Value, error) {
	args, err := a.positional("setdefault", 1, 2)
	if err != nil {
		return nil, err
	}
	d := v.(*Dict)
	got, ok, err := d.Get(args[0])
	if err != nil || ok {
		return got, err
	}
	return orNone(args[1]), d.Set(args[0], orNone(args[1]))
}

func dictPop(v Value, a Args) (Value, error) {
	args, err := a.positional("pop", 1, 2)
	if err != nil {
		return nil, err
	}
	got, ok, err := v.(*Dict).remove(args[0])
	switch {
	case err != nil || ok:
		return got, err
	case args[1] != nil:
		return args[1], nil
	}
	return nil, keyError(args[0])
}

func dictPopItem(v Value, a Args) (Value, error) {
	if _, err := a.positional("dict.popitem", 0, 0); err != nil {
		return nil, err
	}
	d := v.(*Dict)
	for i := len(d.entries) - 1; i >= 0; i-- {
		if e := d.entries[i]; e.key != nil {
			_, _, err := d.remove(e.key)
			return NewTuple(e.key, e.value), err
		}
	}
	return nil, raise("KeyError", "'popitem(): dictionary is empty'")
}

func dictFromKeys(_ Value, a Args) (Value, error) {
	args, err := a.positional("fromkeys", 1, 2)
	if err != nil {
		return nil, err
	}
	keys, err := Collect(args[0])
	if err != nil {
		return nil, err
	}
	d := NewDict()
	for _, key := range keys {
		if err := d.Set(key, orNone(args[1])); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// update adds the items of a dict or of pairs, and then those of keywords.
func update(d *Dict, a Args) error {
	if len(a.Pos) > 0 {
		if err := updateFrom(d, a.Pos[0]); err != nil {
			return err
		}
	}
	for _, kw := range a.Kw {
		if err := d.SetStr(kw.Name, kw.Value); err != nil {
			return err
		}
	}
	return nil
}

func updateFrom(d *Dict, v Value) error {
	if from, ok := v.(*Dict); ok {
		return from.copy().Each(d.Set)
	}
	pairs, err := Collect(v)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		pair, err := Collect(p)
		if isKind(err, "TypeError") {
			return typeError("cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		if err != nil {
			return err
		}
		if len(pair) != 2 {
			return valueError("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		if err := d.Set(pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}
