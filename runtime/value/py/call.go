package py

import "strings"

// Args are the arguments of a call. Values must be in Pos or Kw, a keyword
// once.
type Args struct {
	Pos []Value
	Kw  []Kw
	// Env has the filters and tests that filters such as `map` apply by name;
	// others leave it nil.
	Env *Env
}

// A Kw is a keyword argument.
type Kw struct {
	Name  string
	Value Value
}

// Of makes the arguments of a call without keywords.
func Of(pos ...Value) Args { return Args{Pos: pos} }

// A Func is something that can be called: a method with its object, a global
// such as range, or a macro.
type Func struct {
	name  string
	call  func(Args) (Value, error)
	macro bool
}

func (f *Func) typeName() string {
	if f.macro {
		return "Macro"
	}
	return "builtin_function_or_method"
}

// NewFunc makes a function of the given name.
func NewFunc(name string, call func(Args) (Value, error)) *Func { return &Func{name: name, call: call} }

// NewMacro makes a macro: a function that can be printed as one.
func NewMacro(name string, call func(Args) (Value, error)) *Func {
	return &Func{name: name, call: call, macro: true}
}

// Call calls a function.
func Call(f Value, pos []Value, kw []Kw) (Value, error) {
	if n := nameGivenTwice(kw); n != "" {
		return nil, typeError("got multiple values for keyword argument '%s'", n)
	}
	a := Args{Pos: pos, Kw: kw}
	switch f := f.(type) {
	case *Func:
		return f.call(a)
	case *Undefined:
		return nil, f.fail()
	case *Loop:
		return nil, unsupported("recursive loops are not supported")
	}
	return nil, typeError("'%s' object is not callable", f.typeName())
}

// CallAttr calls a method.
func CallAttr(v Value, name string, pos []Value, kw []Kw) (Value, error) {
	f, err := Attr(v, name)
	if err != nil {
		return nil, err
	}
	return Call(f, pos, kw)
}

func nameGivenTwice(kw []Kw) string {
	for i := range kw {
		for j := range i {
			if kw[i].Name == kw[j].Name {
				return kw[i].Name
			}
		}
	}
	return ""
}

// Spread returns the values of an argument that is written *v.
func Spread(v Value) ([]Value, error) {
	items, err := Collect(v)
	if isKind(err, "TypeError") {
		return nil, typeError("Value after * must be an iterable, not %s", v.typeName())
	}
	return items, err
}

// SpreadKw returns the values of an argument that is written **v.
func SpreadKw(v Value) ([]Kw, error) {
	d, ok := v.(*Dict)
	if !ok {
		return nil, typeError("argument after ** must be a mapping, not %s", v.typeName())
	}
	kw := make([]Kw, 0, d.Len())
	err := d.Each(func(key, value Value) error {
		name, ok := key.(Str)
		if !ok {
			return typeError("keywords must be strings")
		}
		kw = append(kw, Kw{Name: string(name), Value: value})
		return nil
	})
	return kw, err
}

// bind puts the arguments of a call in the order of the parameters, of which
// the first `required` must be given; the others are nil when they are not.
func (a Args) bind(fn string, required int, params ...string) ([]Value, error) {
	if len(a.Pos) > len(params) {
		return nil, typeError("%s() takes %s but %d were given", fn, argumentCount(required, len(params)), len(a.Pos))
	}
	out := make([]Value, len(params))
	copy(out, a.Pos)
	for _, kw := range a.Kw {
		at := -1
		for i, p := range params {
			if p == kw.Name {
				at = i
			}
		}
		if at < 0 {
			return nil, typeError("%s() got an unexpected keyword argument '%s'", fn, kw.Name)
		}
		if out[at] != nil {
			return nil, typeError("%s() got multiple values for argument '%s'", fn, kw.Name)
		}
		out[at] = kw.Value
	}
	var missing []string
	for i := range required {
		if out[i] == nil {
			missing = append(missing, "'"+params[i]+"'")
		}
	}
	if len(missing) > 0 {
		return nil, typeError("%s() missing required arguments: %s", fn, strings.Join(missing, ", "))
	}
	return out, nil
}

// positional is bind for functions without keywords, of at least least and at
// most len(out) arguments.
func (a Args) positional(fn string, least, most int) ([]Value, error) {
	if len(a.Kw) > 0 {
		return nil, typeError("%s() takes no keyword arguments", fn)
	}
	if n := len(a.Pos); n < least || n > most {
		return nil, typeError("%s() takes %s (%d given)", fn, argumentCount(least, most), n)
	}
	out := make([]Value, most)
	copy(out, a.Pos)
	return out, nil
}

func argumentCount(least, most int) string {
	count := func(n int) string {
		if n == 1 {
			return "1 argument"
		}
		return Int(n).text() + " arguments"
	}
	switch {
	case most == 0:
		return "no arguments"
	case least == most:
		return "exactly " + count(most)
	}
	return "from " + Int(least).text() + " to " + count(most)
}

func (n Int) text() string { s, _ := Repr(n); return s }
