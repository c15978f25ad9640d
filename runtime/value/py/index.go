package py

import (
	"math"
	"strings"
)

// Item is `v[key]` of a template: the item, else the attribute of that name, else an undefined value.
func Item(v, key Value) (Value, error) {
	got, err := subscript(v, key)
	if err == nil || !isKind(err, "TypeError", "IndexError", "KeyError") {
		return got, err
	}
	if name, ok := key.(Str); ok {
		if got, err := attribute(v, string(name)); got != nil || err != nil {
			return got, err
		}
	}
	return undefinedItem(v, key), nil
}

// subscript is Python's own v[key].
func subscript(v, key Value) (Value, error) {
	switch v := v.(type) {
	case *Dict:
		got, ok, err := v.Get(key)
		if err == nil && !ok {
			return nil, keyError(key)
		}
		return got, err
	case *List:
		i, err := position("list", "list indices", key, len(v.items))
		if err != nil {
			return nil, err
		}
		return v.items[i], nil
	case *Tuple:
		i, err := position("tuple", "tuple indices", key, len(v.items))
		if err != nil {
			return nil, err
		}
		return v.items[i], nil
	case Str:
		return strItem(string(v), key)
	case *Range:
		i, err := position("range object", "range indices", key, int(v.length()))
		if err != nil {
			return nil, err
		}
		return v.at(int64(i)), nil
	case *Undefined:
		if v.skipped == itsAttribute {
			return v, nil
		}
		return nil, v.fail()
	case *StandIn:
		if name, ok := key.(Str); ok {
			return v.attr(string(name)), nil
		}
		return v, nil
	}
	return nil, notSubscriptable(v)
}

func notSubscriptable(v Value) error {
	return typeError("'%s' object is not subscriptable", v.typeName())
}

func keyError(key Value) error {
	s, err := Repr(key)
	if err != nil {
		s = key.typeName()
	}
	return raise("KeyError", "%s", s)
}

func strItem(s string, key Value) (Value, error) {
	if isASCII(s) {
		i, err := position("string", "string indices", key, len(s))
		if err != nil {
			return nil, err
		}
		return Str(s[i : i+1]), nil
	}
	runes := []rune(s)
	i, err := position("string", "string indices", key, len(runes))
	if err != nil {
		return nil, err
	}
	return Str(string(runes[i])), nil
}

// position returns the place of an item among n, counted from the end when the
// key is negative.
func position(name, indices string, key Value, n int) (int, error) {
	i, ok := indexOf(key)
	if !ok {
		if name == "string" {
			return 0, typeError("string indices must be integers, not '%s'", key.typeName())
		}
		return 0, typeError("%s must be integers or slices, not %s", indices, key.typeName())
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, raise("IndexError", "%s index out of range", name)
	}
	return i, nil
}

// Slice is `v[start:stop:step]`; what is left out is None. Unlike Item it
// raises when v cannot be sliced.
func Slice(v, start, stop, step Value) (Value, error) {
	n := 0
	switch v := v.(type) {
	case Str:
		n = strLen(string(v))
	case *List:
		n = len(v.items)
	case *Tuple:
		n = len(v.items)
	case *Range:
		n = int(v.length())
	case *Dict:
		return nil, typeError("unhashable type: 'slice'")
	case *Undefined:
		return nil, v.fail()
	default:
		return nil, notSubscriptable(v)
	}
	first, last, by, err := sliceBounds(start, stop, step, n)
	if err != nil {
		return nil, err
	}
	count := sliceCount(first, last, by)
	switch v := v.(type) {
	case Str:
		return sliceStr(string(v), first, count, by), nil
	case *List:
		return NewList(pick(v.items, first, count, by)...), nil
	case *Tuple:
		return NewTuple(pick(v.items, first, count, by)...), nil
	}
	return sliceRange(v.(*Range), int64(first), int64(last), int64(by))
}

func sliceRange(r *Range, first, last, by int64) (Value, error) {
	step := by * r.step
	if step/r.step != by || step > 1<<61 || step < -1<<61 {
		return nil, raise("LimitError", "the step of a range goes up to 2^61")
	}
	return &Range{start: r.start + first*r.step, stop: r.start + last*r.step, step: step}, nil
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
func sliceBounds(start, stop, step Value, n int) (first, last, by int, err error) {
	by = 1
	if _, none := step.(None); !none {
		if by, err = sliceIndex(step); err != nil {
			return 0, 0, 0, err
		}
		if by == 0 {
			return 0, 0, 0, valueError("slice step cannot be zero")
		}
		by = max(by, -math.MaxInt)
	}
	low, high := 0, n
	if by < 0 {
		low, high = -1, n-1
	}
	bound := func(v Value, missing int) (int, error) {
		if _, none := v.(None); none {
			return missing, nil
		}
		i, err := sliceIndex(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high), err
	}
	from, to := low, high
	if by < 0 {
		from, to = high, low
	}
	if from, err = bound(start, from); err != nil {
		return 0, 0, 0, err
	}
	if to, err = bound(stop, to); err != nil {
		return 0, 0, 0, err
	}
	return from, to, by, nil
}

func sliceIndex(v Value) (int, error) {
	if i, ok := indexOf(v); ok {
		return i, nil
	}
	if u, ok := v.(*Undefined); ok {
		return 0, u.fail()
	}
	return 0, typeError("slice indices must be integers or None or have an __index__ method")
}

func pick(items []Value, first, count, by int) []Value {
	out := make([]Value, count)
	for i := range out {
		out[i] = items[first+i*by]
	}
	return out
}

func sliceStr(s string, first, count, by int) Value {
	if isASCII(s) {
		if by == 1 {
			return Str(s[first : first+count])
		}
		out := make([]byte, count)
		for i := range out {
			out[i] = s[first+i*by]
		}
		return Str(out)
	}
	runes := []rune(s)
	var b strings.Builder
	for i := range count {
		b.WriteRune(runes[first+i*by])
	}
	return Str(b.String())
}
