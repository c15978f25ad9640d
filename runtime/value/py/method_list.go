package py

import (
	"math"
	"sort"
)

// listMethods are the methods of lists, and tupleMethods those of tuples.
var (
	listMethods = map[string]method{
		"append":  listAppend,
		"extend":  listExtend,
		"insert":  listInsert,
		"pop":     listPop,
		"remove":  listRemove,
		"sort":    listSort,
		"index":   itemsIndex,
		"count":   itemsCount,
		"reverse": listPlain("reverse"),
		"copy":    listPlain("copy"),
		"clear":   listPlain("clear"),
	}
	tupleMethods = map[string]method{"index": itemsIndex, "count": itemsCount}
)

func listPlain(name string) method {
	return func(v Value, a Args) Value {
		a.bindPositional("list."+name, 0, 0)
		l := v.(*List)
		switch name {
		case "reverse":
			l.items = reversedCopy(l.items)
		case "clear":
			l.items = nil
		case "copy":
			return NewList(append([]Value(nil), l.items...)...)
		}
		return None{}
	}
}

func listAppend(v Value, a Args) Value {
	args := a.bindPositional("list.append", 1, 1)
	l := v.(*List)
	checkItems(int64(len(l.items)) + 1)
	l.items = append(l.items, args[0])
	return None{}
}

func listExtend(v Value, a Args) Value {
	more := collectValues(a.bindPositional("list.extend", 1, 1)[0])
	l := v.(*List)
	l.items = joinItems(l.items, more)
	return None{}
}

func listInsert(v Value, a Args) Value {
	args := a.bindPositional("insert", 2, 2)
	at := wantInt(args[0])
	l := v.(*List)
	checkItems(int64(len(l.items)) + 1)
	if at < 0 {
		at = max(at+len(l.items), 0)
	}
	at = min(at, len(l.items))
	items := make([]Value, 0, len(l.items)+1)
	items = append(append(items, l.items[:at]...), args[1])
	l.items = append(items, l.items[at:]...)
	return None{}
}

func listPop(v Value, a Args) Value {
	at := intArg(a.bindPositional("pop", 0, 1)[0], -1)
	l := v.(*List)
	if len(l.items) == 0 {
		panic(newException("IndexError", "pop from empty list"))
	}
	if at < 0 {
		at += len(l.items)
	}
	if at < 0 || at >= len(l.items) {
		panic(newException("IndexError", "pop index out of range"))
	}
	item := l.items[at]
	l.items = removeAt(l.items, at)
	return item
}

func removeAt(items []Value, at int) []Value {
	return append(append(make([]Value, 0, len(items)-1), items[:at]...), items[at+1:]...)
}

func listRemove(v Value, a Args) Value {
	args := a.bindPositional("list.remove", 1, 1)
	l := v.(*List)
	at := placeOf(l.items, args[0], 0, len(l.items))
	if at < 0 {
		panic(valueError("list.remove(x): x not in list"))
	}
	l.items = removeAt(l.items, at)
	return None{}
}

// placeOf returns where v first is among the items; -1 when it is not.
func placeOf(items []Value, v Value, from, to int) int {
	c := comparer{}
	for i := from; i < to && i < len(items); i++ {
		if c.equalItem(items[i], v, 0) {
			return i
		}
	}
	return -1
}

func itemsOf(v Value) []Value {
	switch v := v.(type) {
	case *List:
		return v.items
	case *tuple:
		return v.items
	}
	return nil
}

func itemsIndex(v Value, a Args) Value {
	args := a.bindPositional("index", 1, 3)
	items := itemsOf(v)
	limits := [2]int{0, math.MaxInt}
	for i, arg := range args[1:] {
		if arg == nil {
			continue
		}
		limits[i] = sliceIndex(arg)
		if limits[i] < 0 {
			limits[i] = max(limits[i]+len(items), 0)
		}
	}
	at := placeOf(items, args[0], limits[0], limits[1])
	if at >= 0 {
		return Int(at)
	}
	if isType[*tuple](v) {
		panic(valueError("tuple.index(x): x not in tuple"))
	}
	panic(valueError("%s is not in list", reprOf(args[0])))
}

func itemsCount(v Value, a Args) Value {
	args := a.bindPositional("count", 1, 1)
	c, n := comparer{}, 0
	for _, item := range itemsOf(v) {
		if c.equalItem(item, args[0], 0) {
			n++
		}
	}
	return Int(n)
}

func listSort(v Value, a Args) Value {
	if len(a.Pos) > 0 {
		panic(typeError("sort() takes no positional arguments"))
	}
	args := a.bind("sort", 0, "key", "reverse")
	reverse := false
	if args[1] != nil {
		reverse = wantInt(args[1]) != 0
	}
	key := func(v Value) Value { return v }
	if isGiven(args[0]) {
		key = func(v Value) Value { return callValue(args[0], []Value{v}, nil) }
	}
	l := v.(*List)
	l.items = sortItems(l.items, key, reverse)
	return None{}
}

// sortItems returns the items in the order of their keys; those with equal keys
// keep their order, also in reverse.
func sortItems(items []Value, key func(Value) Value, reverse bool) []Value {
	type keyed struct{ key, item Value }
	list := make([]keyed, len(items))
	for i, item := range items {
		list[i] = keyed{key(item), item}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if reverse {
			i, j = j, i
		}
		return less(list[i].key, list[j].key)
	})
	out := make([]Value, len(items))
	for i, k := range list {
		out[i] = k.item
	}
	return out
}
