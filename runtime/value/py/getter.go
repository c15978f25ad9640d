package py

import "strings"

// getter makes the function that filters apply to items by their argument
// attribute: a name, a number, or several of them with points between. Fallback
// takes the place of what is undefined. Fold makes texts lower case.
func getter(attribute, fallback Value, fold bool) (func(Value) (Value, error), error) {
	parts, err := attributeParts(attribute)
	if err != nil {
		return nil, err
	}
	if _, none := fallback.(None); none {
		fallback = nil
	}
	return func(v Value) (Value, error) {
		for _, part := range parts {
			var err error
			if v, err = Item(v, part); err != nil {
				return nil, err
			}
			if _, missing := v.(*Undefined); missing && fallback != nil {
				v = fallback
			}
		}
		if fold {
			return foldCase(v), nil
		}
		return v, nil
	}, nil
}

// getters is getter for several attributes, with commas between; the function
// returns a list.
func getters(attribute Value, fold bool) (func(Value) (Value, error), error) {
	names := []Value{attribute}
	if s, ok := attribute.(Str); ok {
		names = nil
		for _, name := range strings.Split(string(s), ",") {
			names = append(names, Str(name))
		}
	}
	gets := make([]func(Value) (Value, error), len(names))
	for i, name := range names {
		var err error
		if gets[i], err = getter(name, nil, fold); err != nil {
			return nil, err
		}
	}
	return func(v Value) (Value, error) {
		keys := make([]Value, len(gets))
		for i, get := range gets {
			var err error
			if keys[i], err = get(v); err != nil {
				return nil, err
			}
		}
		return NewList(keys...), nil
	}, nil
}

func attributeParts(attribute Value) ([]Value, error) {
	switch attribute := attribute.(type) {
	case nil, None:
		return nil, nil
	case Str:
		var parts []Value
		for _, name := range strings.Split(string(attribute), ".") {
			if !every(isDigit)(name) {
				parts = append(parts, Str(name))
				continue
			}
			n, err := ParseInt(name, 10)
			if err != nil {
				return nil, err
			}
			parts = append(parts, n)
		}
		return parts, nil
	}
	return []Value{attribute}, nil
}

func foldCase(v Value) Value {
	if s, ok := v.(Str); ok {
		return Str(toLower(string(s)))
	}
	return v
}
