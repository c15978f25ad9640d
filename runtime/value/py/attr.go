package py

import "strings"

// Attr is `v.name` of a template: the attribute, such as a method, else the
// item of that key, else an undefined value.
func Attr(v Value, name string) (Value, error) {
	if got, err := attribute(v, name); got != nil || err != nil {
		return got, err
	}
	got, err := subscript(v, Str(name))
	if err == nil || !isKind(err, "TypeError", "IndexError", "KeyError") {
		return got, err
	}
	return undefinedAttr(v, name), nil
}

// A method is the body of a method; v is the object.
type method func(v Value, a Args) (Value, error)

// attribute is Python's getattr; nil when there is none.
func attribute(v Value, name string) (Value, error) {
	switch v := v.(type) {
	case *Undefined:
		if v.skipped == itsAttribute {
			return v, nil
		}
		return nil, v.fail()
	case *StandIn:
		return v.attr(name), nil
	}
	if strings.HasPrefix(name, "__") {
		if d, ok := v.(*Dict); ok {
			if _, ok := d.GetStr(name); ok {
				return nil, nil
			}
		}
		return nil, unsupported("`%s` is not supported: names that begin with two underscores are Python's own", name)
	}
	switch v := v.(type) {
	case Str:
		return bound(v, name, strMethod(name), strNames)
	case *List:
		return bound(v, name, listMethod(name), "")
	case *Dict:
		return bound(v, name, dictMethod(name), "")
	case *Tuple:
		for i, field := range v.fields {
			if field == name {
				return v.items[i], nil
			}
		}
		return bound(v, name, tupleMethod(name), "")
	case *Range:
		return rangeAttr(v, name)
	case Bool, Int, *Big:
		return intAttr(v, name)
	case Float:
		return floatAttr(v, name)
	case *Loop:
		return v.attr(name)
	case *Namespace:
		got, _ := v.attrs.GetStr(name)
		return got, nil
	case *Cycler:
		return cyclerAttr(v, name), nil
	case *Func:
		if v.macro && name == "name" {
			return Str(v.name), nil
		}
	case *View:
		return bound(v, name, nil, " isdisjoint mapping ")
	}
	return nil, nil
}

func noAttribute(v Value, name string) error {
	return raise("AttributeError", "'%s' object has no attribute '%s'", v.typeName(), name)
}

// bound binds a method to its object. Python has the methods in others too,
// but this package does not.
func bound(v Value, name string, m method, others string) (Value, error) {
	if m != nil {
		return NewFunc(name, func(a Args) (Value, error) { return m(v, a) }), nil
	}
	if strings.Contains(others, " "+name+" ") {
		return nil, unsupported("the method `%s` of %s is not supported", name, v.typeName())
	}
	return nil, nil
}

func rangeAttr(r *Range, name string) (Value, error) {
	switch name {
	case "start":
		return Int(r.start), nil
	case "stop":
		return Int(r.stop), nil
	case "step":
		return Int(r.step), nil
	}
	return bound(r, name, nil, " count index ")
}

func intAttr(v Value, name string) (Value, error) {
	switch name {
	case "real", "numerator":
		return number(v), nil
	case "imag":
		return Int(0), nil
	case "denominator":
		return Int(1), nil
	case "bit_length":
		return bound(v, name, intBitLength, "")
	case "conjugate":
		return bound(v, name, func(v Value, a Args) (Value, error) {
			_, err := a.positional(name, 0, 0)
			return number(v), err
		}, "")
	}
	return bound(v, name, nil, " bit_count to_bytes from_bytes as_integer_ratio ")
}

func intBitLength(v Value, a Args) (Value, error) {
	_, err := a.positional("bit_length", 0, 0)
	return Int(bigOf(v).BitLen()), err
}

func floatAttr(f Float, name string) (Value, error) {
	switch name {
	case "real":
		return f, nil
	case "imag":
		return Float(0), nil
	case "is_integer":
		return bound(f, name, func(v Value, a Args) (Value, error) {
			_, err := a.positional(name, 0, 0)
			if err != nil {
				return nil, err
			}
			return Bool(hashFloat(float64(f)).kind != 'f'), nil
		}, "")
	}
	return bound(f, name, nil, " conjugate hex fromhex as_integer_ratio ")
}
