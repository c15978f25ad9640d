package py

import (
	"math"
	"sort"
)

// listMethod returns a method of lists; nil when there is none of the name.
func listMethod(name string) method {
	switch name {
	case "append":
		return listAppend
	case "extend":
		return listExtend
	case "insert":
		return listInsert
	case "pop":
		return listPop
	case "remove":
		return listRemove
	case "sort":
		return listSort
	case "index":
		return itemsIndex
	case "count":
		return itemsCount
	case "reverse", "copy", "clear":
		return listPlain(name)
	}
	return nil
}

// tupleMethod returns a method of tuples; nil when there is none of the name.
func tupleMethod(name string) method {
	switch name {
	case "index":
		return itemsIndex
	case "count":
		return itemsCount
	}
	return nil
}

func listPlain(name string) method {
	return func(v Value, a Args) (Value, error) {
		if _, err := a.positional("list."+name, 0, 0); err != nil {
			return nil, err
		}
		l := v.(*List)
		switch name {
		case "reverse":
			l.items = reversed(l.items)
		case "clear":
			l.items = nil
		case "copy":
			return NewList(append([]Value(nil), l.items...)...), nil
		}
		return None{}, nil
	}
}

func listAppend(v Value, a Args) (Value, error) {
	args, err := a.positional("list.append", 1, 1)
	if err != nil {
		return nil, err
	}
	l := v.(*List)
	if err := checkItems(int64(len(l.items)) + 1); err != nil {
		return nil, err
	}
	l.items = append(l.items, args[0])
	return None{}, nil
}

func listExtend(v Value, a Args) (Value, error) {
	args, err := a.positional("list.extend", 1, 1)
	if err != nil {
		return nil, err
	}
	more, err := Collect(args[0])
	if err != nil {
		return nil, err
	}
	l := v.(*List)
	l.items, err = joinItems(l.items, more)
	return None{}, err
}

func listInsert(v Value, a Args) (Value, error) {
	args, err := a.positional("insert", 2, 2)
	if err != nil {
		return nil, err
	}
	at, err := wantInt(args[0])
	if err != nil {
		return nil, err
	}
	l := v.(*List)
	if err := checkItems(int64(len(l.items)) + 1); err != nil {
		return nil, err
	}
	if at < 0 {
		at = max(at+len(l.items), 0)
	}
	at = min(at, len(l.items))
	items := make([]Value, 0, len(l.items)+1)
	items = append(append(items, l.items[:at]...), args[1])
	l.items = append(items, l.items[at:]...)
	return None{}, nil
}

func listPop(v Value, a Args) (Value, error) {
	args, err := a.positional("pop", 0, 1)
	if err != nil {
		return nil, err
	}
	at, err := intArg(args[0], -1)
	if err != nil {
		return nil, err
	}
	l := v.(*List)
	if len(l.items) == 0 {
		return nil, raise("IndexError", "pop from empty list")
	}
	if at < 0 {
		at += len(l.items)
	}
	if at < 0 || at >= len(l.items) {
		return nil, raise("IndexError", "pop index out of range")
	}
	item := l.items[at]
	l.items = without(l.items, at)
	return item, nil
}

func without(items []Value, at int) []Value {
	out := make([]Value, 0, len(items)-1)
	return append(append(out, items[:at]...), items[at+1:]...)
}

func listRemove(v Value, a Args) (Value, error) {
	args, err := a.positional("list.remove", 1, 1)
	if err != nil {
		return nil, err
	}
	l := v.(*List)
	at, err := placeOf(l.items, args[0], 0, len(l.items))
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return nil, valueError("list.remove(x): x not in list")
	}
	l.items = without(l.items, at)
	return None{}, nil
}

// placeOf returns where v first is among the items; -1 when it is not.
func placeOf(items []Value, v Value, from, to int) (int, error) {
	c := comparer{}
	for i := from; i < to && i < len(items); i++ {
		if eq, err := c.equalItem(items[i], v, 0); err != nil || eq {
			return i, err
		}
	}
	return -1, nil
}

func itemsOf(v Value) []Value {
	switch v := v.(type) {
	case *List:
		return v.items
	case *Tuple:
		return v.items
	}
	return nil
}

func itemsIndex(v Value, a Args) (Value, error) {
	args, err := a.positional("index", 1, 3)
	if err != nil {
		return nil, err
	}
	items := itemsOf(v)
	limits := [2]int{0, math.MaxInt}
	for i, arg := range args[1:] {
		if arg == nil {
			continue
		}
		if limits[i], err = sliceIndex(arg); err != nil {
			return nil, err
		}
		if limits[i] < 0 {
			limits[i] = max(limits[i]+len(items), 0)
		}
	}
	at, err := placeOf(items, args[0], limits[0], limits[1])
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		return Int(at), nil
	}
	if _, ok := v.(*Tuple); ok {
		return nil, valueError("tuple.index(x): x not in tuple")
	}
	name, err := Repr(args[0])
	if err != nil {
		return nil, err
	}
	return nil, valueError("%s is not in list", name)
}

func itemsCount(v Value, a Args) (Value, error) {
	args, err := a.positional("count", 1, 1)
	if err != nil {
		return nil, err
	}
	c, n := comparer{}, 0
	for _, item := range itemsOf(v) {
		eq, err := c.equalItem(item, args[0], 0)
		if err != nil {
			return nil, err
		}
		if eq {
			n++
		}
	}
	return Int(n), nil
}

func listSort(v Value, a Args) (Value, error) {
	if len(a.Pos) > 0 {
		return nil, typeError("sort() takes no positional arguments")
	}
	args, err := a.bind("sort", 0, "key", "reverse")
	if err != nil {
		return nil, err
	}
	reverse := false
	if args[1] != nil {
		n, err := wantInt(args[1])
		if err != nil {
			return nil, err
		}
		reverse = n != 0
	}
	key := func(v Value) (Value, error) { return v, nil }
	if _, none := args[0].(None); args[0] != nil && !none {
		key = func(v Value) (Value, error) { return Call(args[0], []Value{v}, nil) }
	}
	l := v.(*List)
	sorted, err := sortItems(l.items, key, reverse)
	if err == nil {
		l.items = sorted
	}
	return None{}, err
}

// sortItems returns the items in the order of their keys; those with equal keys
// keep their order, also in reverse.
func sortItems(items []Value, key func(Value) (Value, error), reverse bool) ([]Value, error) {
	type keyed struct{ key, item Value }
	list := make([]keyed, len(items))
	for i, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		list[i] = keyed{k, item}
	}
	var failure error
	sort.SliceStable(list, func(i, j int) bool {
		if failure != nil {
			return false
		}
		if reverse {
			i, j = j, i
		}
		less, err := Lt(list[i].key, list[j].key)
		if err != nil {
			failure = err
		}
		return less
	})
	if failure != nil {
		return nil, failure
	}
	out := make([]Value, len(items))
	for i, k := range list {
		out[i] = k.item
	}
	return out, nil
}
