package value

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Equal reports whether two Go values are the same as JSON: of one type and of
// one value, numbers by size and objects whatever the order of their keys. A nil
// pointer is null.
func Equal(a, b any) bool { return same(of(a), of(b)) }

// Less reports whether the first of two numbers is less than the second, or the
// first of two texts before it, byte by byte. It is false for everything else.
func Less(a, b any) bool {
	order, ok := compare(of(a), of(b))
	return ok && order < 0
}

// AtMost is Less, or equal.
func AtMost(a, b any) bool {
	order, ok := compare(of(a), of(b))
	return ok && order <= 0
}

// OrNull returns a text, or nil for an empty one.
func OrNull[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// Plain renders a Go value for people: a text as it is, nothing for null, a list of
// such values as these, joined by ", ", and everything else as compact JSON.
func Plain(v any) string {
	switch v := of(v).(type) {
	case Null:
		return ""
	case Array:
		items := make([]string, len(v))
		for i, e := range v {
			switch e.(type) {
			case Array, *Object:
				return JSON(v)
			}
			items[i] = e.Text()
		}
		return strings.Join(items, ", ")
	default:
		return v.Text()
	}
}

// Recast makes a value of another Go type by way of its JSON. It is for types of
// which the compiler knows that the one has the JSON of the other.
func Recast[T any](v any) T {
	var out T
	if err := json.Unmarshal([]byte(Encode(v)), &out); err != nil {
		panic(fmt.Sprintf("a %T of a %T: %v", out, v, err))
	}
	return out
}

// of is a Go value as a JSON value.
func of(v any) Value {
	if raw, ok := v.(json.RawMessage); ok && len(raw) == 0 {
		return Null{}
	}
	parsed, err := Parse(Encode(v))
	if err != nil {
		panic(fmt.Sprintf("the JSON of a %T: %v", v, err))
	}
	return parsed
}

func same(a, b Value) bool {
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		return ok && slices.EqualFunc(a, b, same)
	case *Object:
		b, ok := b.(*Object)
		if !ok || len(a.keys) != len(b.keys) {
			return false
		}
		for _, key := range a.keys {
			v, ok := b.Get(key)
			if !ok || !same(a.values[key], v) {
				return false
			}
		}
		return true
	case Number:
		order, ok := compare(a, b)
		return ok && order == 0
	}
	return a == b
}

func compare(a, b Value) (order int, ok bool) {
	switch a := a.(type) {
	case Number:
		if b, ok := b.(Number); ok {
			x, errX := strconv.ParseFloat(string(a), 64)
			y, errY := strconv.ParseFloat(string(b), 64)
			switch {
			case errX != nil || errY != nil:
				return 0, a == b
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	case String:
		if b, ok := b.(String); ok {
			return strings.Compare(string(a), string(b)), true
		}
	}
	return 0, false
}
