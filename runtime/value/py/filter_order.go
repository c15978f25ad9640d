package py

import "strings"

// Sort is the filter sort. It ignores the case of strings unless case_sensitive is true.
func (filterSet) Sort(v Value, a Args) Value {
	args := a.bind("sort", 0, "reverse", "case_sensitive", "attribute")
	get := multiGetter(args[2], ignoresCase(args[1]))
	return NewList(sortItems(collectValues(v), get, reverseArg(args[0]))...)
}

// ignoresCase reports, from the argument case_sensitive, whether to ignore case.
func ignoresCase(v Value) bool { return !truthArg(v) }

// reverseArg reads the argument reverse, which Python wants to be a number.
func reverseArg(v Value) bool { return intArg(v, 0) != 0 }

// Dictsort is the filter dictsort.
func (filterSet) Dictsort(v Value, a Args) Value {
	args := a.bind("dictsort", 0, "case_sensitive", "by", "reverse")
	place := 0
	if args[1] != nil {
		switch by, _ := args[1].(Str); by {
		case "key":
		case "value":
			place = 1
		default:
			panic(newException("FilterArgumentError", `You can only sort by either "key" or "value"`))
		}
	}
	d := requireDict(v)
	fold := ignoresCase(args[0])
	reverse := reverseArg(args[2])
	sorted := sortItems(collectValues(&dictView{dict: d, kind: itemsView}), func(v Value) Value {
		key := v.(*tuple).items[place]
		if fold {
			key = foldCase(key)
		}
		return key
	}, reverse)
	return NewList(sorted...)
}

// Min is the filter min.
func (filterSet) Min(v Value, a Args) Value { return extremeItem("min", less, v, a) }

// Max is the filter max.
func (filterSet) Max(v Value, a Args) Value { return extremeItem("max", greater, v, a) }

func extremeItem(name string, better func(a, b Value) bool, v Value, a Args) Value {
	args := a.bind(name, 0, "case_sensitive", "attribute")
	fold := ignoresCase(args[0])
	it := newIterator(v)
	get := attributeGetter(args[1], nil, fold)
	var best, bestKey Value
	for item := range it.all {
		if key := get(item); best == nil || better(key, bestKey) {
			best, bestKey = item, key
		}
	}
	return orDefault(best, &undefined{message: "No aggregated item, sequence was empty."})
}

// Unique is the filter unique.
func (filterSet) Unique(v Value, a Args) Value {
	args := a.bind("unique", 0, "case_sensitive", "attribute")
	return lazyIterator(func() *iterator {
		get := attributeGetter(args[1], nil, ignoresCase(args[0]))
		it := newIterator(v)
		seen := map[hashKey]bool{}
		return it.filterMap(func(item Value) (Value, bool) {
			h := hashOf(get(item), 0)
			again := seen[h]
			seen[h] = true
			return item, !again
		})

	})
}

// Groupby is the filter groupby: groups in the order of their keys, each
// with the attributes grouper and list.
func (filterSet) Groupby(v Value, a Args) Value {
	args := a.bind("groupby", 1, "attribute", "default", "case_sensitive")
	key := attributeGetter(args[0], args[1], ignoresCase(args[2]))
	shown := attributeGetter(args[0], args[1], false)
	items := collectValues(v)
	items = sortItems(items, key, false)
	out := NewList()
	var last Value
	for _, item := range items {
		k := key(item)
		eq := false
		if last != nil {
			c := comparer{}
			eq = c.equalItem(last, k, 0)
		}
		if !eq {
			name := shown(item)
			out.items = append(out.items, &tuple{items: []Value{name, NewList()}, fields: []string{"grouper", "list"}})
			last = k
		}
		group := out.items[len(out.items)-1].(*tuple).items[1].(*List)
		group.items = append(group.items, item)
	}
	return out
}

// Map is the filter map: an attribute of each item, or a filter applied
// to it.
func (filterSet) Map(v Value, a Args) Value {
	return overTruthy(v, func() func(Value) Value { return mapFunction(a) },
		func(_, mapped Value) (Value, bool) { return mapped, true })
}

func mapFunction(a Args) func(Value) Value {
	if len(a.Pos) == 0 && keywordValue(a.Kw, "attribute") != nil {
		for _, kw := range a.Kw {
			if kw.Name != "attribute" && kw.Name != "default" {
				panic(newException("FilterArgumentError", "Unexpected keyword argument %s", quoteRepr(kw.Name)))
			}
		}
		return attributeGetter(keywordValue(a.Kw, "attribute"), keywordValue(a.Kw, "default"), false)
	}
	if len(a.Pos) == 0 {
		panic(newException("FilterArgumentError", "map requires a filter argument"))
	}
	rest := Args{Pos: a.Pos[1:], Kw: a.Kw, Env: a.Env}
	return func(v Value) Value {
		return a.Env.findFilter(a.Pos[0])(v, rest)
	}
}

func keywordValue(kw []Kw, name string) Value {
	for _, k := range kw {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

// overTruthy is an iterator over what emit makes of each item and of f of it; of a
// value that is false it is empty.
func overTruthy(v Value, prepare func() func(Value) Value, emit func(item, result Value) (Value, bool)) *iterator {
	return lazyIterator(func() *iterator {
		if !isTruthy(v) {
			return overItems("", nil)
		}
		f := prepare()
		it := newIterator(v)
		return it.filterMap(func(item Value) (Value, bool) { return emit(item, f(item)) })

	})
}

// Select is the filter select: the items that pass a test.
func (filterSet) Select(v Value, a Args) Value { return selectItems(v, a, true, false) }

// Reject is the filter reject: the items that do not pass a test.
func (filterSet) Reject(v Value, a Args) Value { return selectItems(v, a, false, false) }

// Selectattr is the filter selectattr: the items with an attribute that passes a test.
func (filterSet) Selectattr(v Value, a Args) Value { return selectItems(v, a, true, true) }

// Rejectattr is the filter rejectattr: the items with an attribute that does not pass a
// test.
func (filterSet) Rejectattr(v Value, a Args) Value { return selectItems(v, a, false, true) }

func selectItems(v Value, a Args, want, byAttribute bool) *iterator {
	return overTruthy(v, func() func(Value) Value { return newPredicate(a, byAttribute) },
		func(item, result Value) (Value, bool) {
			return item, isTruthy(result) == want
		})
}

// newPredicate makes the function whose truth decides about an item.
func newPredicate(a Args, byAttribute bool) func(Value) Value {
	get := func(v Value) Value { return v }
	rest := a.Pos
	if byAttribute {
		if len(rest) == 0 {
			panic(newException("FilterArgumentError", "Missing parameter for attribute name"))
		}
		get = attributeGetter(rest[0], nil, false)
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return get
	}
	args := Args{Pos: rest[1:], Kw: a.Kw, Env: a.Env}
	return func(v Value) Value {
		v = get(v)
		return Bool(a.Env.findTest(rest[0])(v, args))
	}
}

// attributeGetter makes the function that filters apply to items by their argument attribute: a
// name, a number, or several of them with points between. fallback replaces undefined
// values. fold makes strings lower case.
func attributeGetter(attribute, fallback Value, fold bool) func(Value) Value {
	parts := attributeParts(attribute)
	if isType[None](fallback) {
		fallback = nil
	}
	return func(v Value) Value {
		for _, part := range parts {
			v = getItem(v, part)
			if isType[*undefined](v) && fallback != nil {
				v = fallback
			}
		}
		if fold {
			return foldCase(v)
		}
		return v
	}
}

// multiGetter is getter for several attributes, with commas between; the function
// returns a list.
func multiGetter(attribute Value, fold bool) func(Value) Value {
	names := []Value{attribute}
	if s, ok := attribute.(Str); ok {
		names = nil
		for _, name := range strings.Split(string(s), ",") {
			names = append(names, Str(name))
		}
	}
	gets := make([]func(Value) Value, len(names))
	for i, name := range names {
		gets[i] = attributeGetter(name, nil, fold)
	}
	return func(v Value) Value {
		keys := make([]Value, len(gets))
		for i, get := range gets {
			keys[i] = get(v)
		}
		return NewList(keys...)
	}
}

func attributeParts(attribute Value) []Value {
	switch attribute := attribute.(type) {
	case nil, None:
		return nil
	case Str:
		var parts []Value
		for _, name := range strings.Split(string(attribute), ".") {
			if !everyRune(isDigit)(name) {
				parts = append(parts, Str(name))
				continue
			}
			parts = append(parts, parseInt(name, 10))
		}
		return parts
	}
	return []Value{attribute}
}

func foldCase(v Value) Value {
	if s, ok := v.(Str); ok {
		return Str(toLower(string(s)))
	}
	return v
}
