package py

// FilterSort is the filter sort. It does not mind the case of texts unless it
// is told to.
func FilterSort(v Value, a Args) (Value, error) {
	args, err := a.bind("sort", 0, "reverse", "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	fold, err := folds(args[1])
	if err != nil {
		return nil, err
	}
	get, err := getters(args[2], fold)
	if err != nil {
		return nil, err
	}
	items, err := Collect(v)
	if err != nil {
		return nil, err
	}
	reverse, err := reverseArg(args[0])
	if err != nil {
		return nil, err
	}
	sorted, err := sortItems(items, get, reverse)
	return NewList(sorted...), err
}

// folds tells from the argument case_sensitive whether case is not minded.
func folds(v Value) (bool, error) {
	sensitive, err := truthArg(v)
	return !sensitive, err
}

// reverseArg reads the argument reverse, which Python wants to be a number.
func reverseArg(v Value) (bool, error) {
	n, err := intArg(v, 0)
	return n != 0, err
}

// FilterDictsort is the filter dictsort.
func FilterDictsort(v Value, a Args) (Value, error) {
	args, err := a.bind("dictsort", 0, "case_sensitive", "by", "reverse")
	if err != nil {
		return nil, err
	}
	place := 0
	if args[1] != nil {
		switch by, _ := args[1].(Str); by {
		case "key":
		case "value":
			place = 1
		default:
			return nil, raise("FilterArgumentError", `You can only sort by either "key" or "value"`)
		}
	}
	d, err := mapping(v)
	if err != nil {
		return nil, err
	}
	fold, err := folds(args[0])
	if err != nil {
		return nil, err
	}
	reverse, err := reverseArg(args[2])
	if err != nil {
		return nil, err
	}
	items, err := Collect(&View{dict: d, kind: itemsView})
	if err != nil {
		return nil, err
	}
	sorted, err := sortItems(items, func(v Value) (Value, error) {
		key := v.(*Tuple).items[place]
		if fold {
			key = foldCase(key)
		}
		return key, nil
	}, reverse)
	return NewList(sorted...), err
}

// FilterMin is the filter min.
func FilterMin(v Value, a Args) (Value, error) { return extreme("min", Lt, v, a) }

// FilterMax is the filter max.
func FilterMax(v Value, a Args) (Value, error) { return extreme("max", Gt, v, a) }

func extreme(name string, better func(a, b Value) (bool, error), v Value, a Args) (Value, error) {
	args, err := a.bind(name, 0, "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	fold, err := folds(args[0])
	if err != nil {
		return nil, err
	}
	it, err := Iterate(v)
	if err != nil {
		return nil, err
	}
	get, err := getter(args[1], nil, fold)
	if err != nil {
		return nil, err
	}
	var best, bestKey Value
	for {
		item, ok, err := it.Next()
		if err != nil {
			return nil, err
		}
		if !ok && best == nil {
			return &Undefined{message: "No aggregated item, sequence was empty."}, nil
		}
		if !ok {
			return best, nil
		}
		key, err := get(item)
		if err != nil {
			return nil, err
		}
		take := best == nil
		if !take {
			if take, err = better(key, bestKey); err != nil {
				return nil, err
			}
		}
		if take {
			best, bestKey = item, key
		}
	}
}

// FilterUnique is the filter unique.
func FilterUnique(v Value, a Args) (Value, error) {
	args, err := a.bind("unique", 0, "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	return lazy(func() (*Iter, error) {
		fold, err := folds(args[0])
		if err != nil {
			return nil, err
		}
		get, err := getter(args[1], nil, fold)
		if err != nil {
			return nil, err
		}
		it, err := Iterate(v)
		if err != nil {
			return nil, err
		}
		seen := map[hashKey]bool{}
		return generator(func() (Value, bool, error) {
			for {
				item, ok, err := it.Next()
				if err != nil || !ok {
					return nil, false, err
				}
				key, err := get(item)
				if err != nil {
					return nil, false, err
				}
				h, err := hashOf(key, 0)
				if err != nil {
					return nil, false, err
				}
				if !seen[h] {
					seen[h] = true
					return item, true, nil
				}
			}
		}), nil
	}), nil
}

// FilterGroupby is the filter groupby: groups in the order of their keys, each
// with the attributes grouper and list.
func FilterGroupby(v Value, a Args) (Value, error) {
	args, err := a.bind("groupby", 1, "attribute", "default", "case_sensitive")
	if err != nil {
		return nil, err
	}
	fold, err := folds(args[2])
	if err != nil {
		return nil, err
	}
	key, err := getter(args[0], args[1], fold)
	if err != nil {
		return nil, err
	}
	shown, err := getter(args[0], args[1], false)
	if err != nil {
		return nil, err
	}
	items, err := Collect(v)
	if err != nil {
		return nil, err
	}
	if items, err = sortItems(items, key, false); err != nil {
		return nil, err
	}
	out := NewList()
	var last Value
	for _, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		eq := false
		if last != nil {
			c := comparer{}
			if eq, err = c.equalItem(last, k, 0); err != nil {
				return nil, err
			}
		}
		if !eq {
			name, err := shown(item)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, &Tuple{items: []Value{name, NewList()}, fields: []string{"grouper", "list"}})
			last = k
		}
		group := out.items[len(out.items)-1].(*Tuple).items[1].(*List)
		group.items = append(group.items, item)
	}
	return out, nil
}
