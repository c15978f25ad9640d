package py

import (
	"math"
	"strings"
)

// getItem is `v[key]` of a template: the item, else the attribute of that name, else an undefined value.
func getItem(v, key Value) Value {
	if got := itemIfAny(v, key); got != nil {
		return got
	}
	if name, ok := key.(Str); ok {
		if got := findAttribute(v, string(name)); got != nil {
			return got
		}
	}
	return undefinedItem(v, key)
}

// itemIfAny is v[key], or nil if v has no such item.
func itemIfAny(v, key Value) (got Value) {
	if d, ok := v.(*Dict); ok { // the common case, without an exception
		if name, ok := key.(Str); ok {
			got, _ = d.GetStr(string(name))
			return got
		}
	}
	tryCatch(func() { got = getSubscript(v, key) }, "TypeError", "IndexError", "KeyError")
	return got
}

// getSubscript is Python's own v[key].
func getSubscript(v, key Value) Value {
	switch v := v.(type) {
	case *Dict:
		got, ok := v.get(key)
		if !ok {
			panic(keyError(key))
		}
		return got
	case *List:
		return v.items[itemPosition("list", "list indices", key, len(v.items))]
	case *tuple:
		return v.items[itemPosition("tuple", "tuple indices", key, len(v.items))]
	case Str:
		return strItem(string(v), key)
	case *rangeValue:
		return v.itemAt(int64(itemPosition("range object", "range indices", key, int(v.itemCount()))))
	case *undefined:
		if v.skipped == itsAttribute {
			return v
		}
		panic(v.useError())
	case *symbol:
		if name, ok := key.(Str); ok {
			return v.attr(string(name))
		}
		return v
	}
	panic(notSubscriptable(v))
}

func notSubscriptable(v Value) error {
	return typeError("'%s' object is not subscriptable", v.typeName())
}

func keyError(key Value) error {
	s := key.typeName()
	tryCatch(func() { s = reprOf(key) })
	return newException("KeyError", "%s", s)
}

func strItem(s string, key Value) Value {
	if isASCII(s) {
		i := itemPosition("string", "string indices", key, len(s))
		return Str(s[i : i+1])
	}
	runes := []rune(s)
	return Str(string(runes[itemPosition("string", "string indices", key, len(runes))]))
}

// itemPosition returns the place of an item among n, counted from the end when the
// key is negative.
func itemPosition(name, indices string, key Value, n int) int {
	i, ok := indexOf(key)
	if !ok {
		if name == "string" {
			panic(typeError("string indices must be integers, not '%s'", key.typeName()))
		}
		panic(typeError("%s must be integers or slices, not %s", indices, key.typeName()))
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		panic(newException("IndexError", "%s index out of range", name))
	}
	return i
}

// getSlice is `v[start:stop:step]`; missing parts are None. Unlike Item it raises when v
// cannot be sliced.
func getSlice(v, start, stop, step Value) Value {
	switch v := v.(type) {
	case Str, *List, *tuple, *rangeValue:
	case *Dict:
		panic(typeError("unhashable type: 'slice'"))
	case *undefined:
		panic(v.useError())
	default:
		panic(notSubscriptable(v))
	}
	first, last, by := sliceBounds(start, stop, step, lengthOf(v))
	count := sliceCount(first, last, by)
	switch v := v.(type) {
	case Str:
		return sliceStr(string(v), first, count, by)
	case *List:
		return NewList(pickItems(v.items, first, count, by)...)
	case *tuple:
		return newTuple(pickItems(v.items, first, count, by)...)
	}
	return sliceRange(v.(*rangeValue), int64(first), int64(last), int64(by))
}

func sliceRange(r *rangeValue, first, last, by int64) Value {
	step := by * r.step
	if step/r.step != by || step > 1<<61 || step < -1<<61 {
		panic(newException("LimitError", "the step of a range goes up to 2^61"))
	}
	return &rangeValue{start: r.start + first*r.step, stop: r.start + last*r.step, step: step}
}

// sliceCount returns how many items are between two places.
func sliceCount(first, last, by int) int {
	switch {
	case by > 0 && first < last:
		return (last-first-1)/by + 1
	case by < 0 && first > last:
		return (first-last-1)/-by + 1
	}
	return 0
}

// sliceBounds returns the first place, the one that ends the slice and the
// step.
func sliceBounds(start, stop, step Value, n int) (first, last, by int) {
	by = 1
	if !isType[None](step) {
		by = sliceIndex(step)
		if by == 0 {
			panic(valueError("slice step cannot be zero"))
		}
		by = max(by, -math.MaxInt)
	}
	low, high := 0, n
	if by < 0 {
		low, high = -1, n-1
	}
	bound := func(v Value, missing int) int {
		if isType[None](v) {
			return missing
		}
		i := sliceIndex(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	if by < 0 {
		return bound(start, high), bound(stop, low), by
	}
	return bound(start, low), bound(stop, high), by
}

func sliceIndex(v Value) int {
	if i, ok := indexOf(v); ok {
		return i
	}
	undefinedOperand(v)
	panic(typeError("slice indices must be integers or None or have an __index__ method"))
}

func pickItems[T any](items []T, first, count, by int) []T {
	out := make([]T, count)
	for i := range out {
		out[i] = items[first+i*by]
	}
	return out
}

func sliceStr(s string, first, count, by int) Value {
	if isASCII(s) && by == 1 {
		return Str(s[first : first+count])
	}
	return Str(string(pickItems([]rune(s), first, count, by)))
}

// getAttr is `v.name` of a template: the attribute, such as a method, else the
// item of that key, else an undefined value.
func getAttr(v Value, name string) Value {
	if got := findAttribute(v, name); got != nil {
		return got
	}
	if got := itemIfAny(v, Str(name)); got != nil {
		return got
	}
	return undefinedAttr(v, name)
}

// A method is the body of a method; v is the object.
type method func(v Value, a Args) Value

// findAttribute is Python's getattr; nil when there is none.
func findAttribute(v Value, name string) Value {
	switch v := v.(type) {
	case *undefined:
		if v.skipped == itsAttribute {
			return v
		}
		panic(v.useError())
	case *symbol:
		return v.attr(name)
	}
	if strings.HasPrefix(name, "__") {
		if d, ok := v.(*Dict); ok {
			if _, ok := d.GetStr(name); ok {
				return nil
			}
		}
		panic(unsupportedError("`%s` is not supported: names that begin with two underscores are Python's own", name))
	}
	switch v := v.(type) {
	case Str:
		return bindMethod(v, name, strMethod(name), strNames)
	case *List:
		return bindMethod(v, name, listMethods[name], "")
	case *Dict:
		return bindMethod(v, name, dictMethod(name), "")
	case *tuple:
		for i, field := range v.fields {
			if field == name {
				return v.items[i]
			}
		}
		return bindMethod(v, name, tupleMethods[name], "")
	case *rangeValue:
		return rangeAttr(v, name)
	case Bool, Int, *bigInt:
		return intAttr(v, name)
	case Float:
		return floatAttr(v, name)
	case *Loop:
		return v.findAttr(name)
	case *namespaceValue:
		got, _ := v.attrs.GetStr(name)
		return got
	case *cyclerValue:
		return cyclerAttr(v, name)
	case *function:
		if v.macro && name == "name" {
			return Str(v.name)
		}
	case *dictView:
		return bindMethod(v, name, nil, " isdisjoint mapping ")
	}
	return nil
}

func noAttribute(v Value, name string) error {
	return newException("AttributeError", "'%s' object has no attribute '%s'", v.typeName(), name)
}

// bindMethod binds a method to its object. Python has the methods in others too,
// but this package does not.
func bindMethod(v Value, name string, m method, others string) Value {
	if m != nil {
		return newFunction(name, func(a Args) Value { return m(v, a) })
	}
	if strings.Contains(others, " "+name+" ") {
		panic(unsupportedError("the method `%s` of %s is not supported", name, v.typeName()))
	}
	return nil
}

func rangeAttr(r *rangeValue, name string) Value {
	switch name {
	case "start":
		return Int(r.start)
	case "stop":
		return Int(r.stop)
	case "step":
		return Int(r.step)
	}
	return bindMethod(r, name, nil, " count index ")
}

func intAttr(v Value, name string) Value {
	switch name {
	case "real", "numerator":
		return toNumber(v)
	case "imag":
		return Int(0)
	case "denominator":
		return Int(1)
	case "bit_length":
		return bindMethod(v, name, intBitLength, "")
	case "conjugate":
		return bindMethod(v, name, func(v Value, a Args) Value {
			a.bindPositional(name, 0, 0)
			return toNumber(v)
		}, "")
	}
	return bindMethod(v, name, nil, " bit_count to_bytes from_bytes as_integer_ratio ")
}

func intBitLength(v Value, a Args) Value {
	a.bindPositional("bit_length", 0, 0)
	return Int(bigOf(v).BitLen())
}

func floatAttr(f Float, name string) Value {
	switch name {
	case "real":
		return f
	case "imag":
		return Float(0)
	case "is_integer":
		return bindMethod(f, name, func(v Value, a Args) Value {
			a.bindPositional(name, 0, 0)
			return Bool(hashFloat(float64(f)).kind != 'f')
		}, "")
	}
	return bindMethod(f, name, nil, " conjugate hex fromhex as_integer_ratio ")
}
