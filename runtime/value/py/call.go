package py

import (
	"slices"
	"strconv"
	"strings"
)

// Args are the arguments of a call: positional ones in Pos, keyword arguments, each name
// once, in Kw.
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

// argsOf makes the arguments of a call without keywords.
func argsOf(pos ...Value) Args { return Args{Pos: pos} }

// A function is something that can be called: a method with its object, a global
// such as range, or a macro.
type function struct {
	name  string
	call  func(Args) Value
	macro bool
}

func (f *function) typeName() string {
	if f.macro {
		return "Macro"
	}
	return "builtin_function_or_method"
}

// newFunction makes a function of the given name.
func newFunction(name string, call func(Args) Value) *function {
	return &function{name: name, call: call}
}

// newMacro makes a macro: a function that can be printed as one.
func newMacro(name string, call func(Args) Value) *function {
	return &function{name: name, call: call, macro: true}
}

// callValue calls a function.
func callValue(f Value, pos []Value, kw []Kw) Value {
	checkNames(kw)
	a := Args{Pos: pos, Kw: kw}
	switch f := f.(type) {
	case *function:
		return f.call(a)
	case *undefined:
		panic(f.useError())
	case *Loop:
		panic(unsupportedError("recursive loops are not supported"))
	}
	panic(typeError("'%s' object is not callable", f.typeName()))
}

// callMethod calls a method.
func callMethod(v Value, name string, pos []Value, kw []Kw) Value {
	return callValue(getAttr(v, name), pos, kw)
}

// checkNames refuses a keyword that is given twice.
func checkNames(kw []Kw) {
	for i := range kw {
		for j := range i {
			if kw[i].Name == kw[j].Name {
				panic(typeError("got multiple values for keyword argument '%s'", kw[i].Name))
			}
		}
	}
}

// spreadValues returns the values of an argument that is written *v.
func spreadValues(v Value) []Value {
	var items []Value
	if tryCatch(func() { items = collectValues(v) }, "TypeError") != nil {
		panic(typeError("Value after * must be an iterable, not %s", v.typeName()))
	}
	return items
}

// spreadKw returns the values of an argument that is written **v.
func spreadKw(v Value) []Kw {
	d, ok := v.(*Dict)
	if !ok {
		panic(typeError("argument after ** must be a mapping, not %s", v.typeName()))
	}
	kw := make([]Kw, 0, d.Len())
	d.forEach(func(key, value Value) {
		name, ok := key.(Str)
		if !ok {
			panic(typeError("keywords must be strings"))
		}
		kw = append(kw, Kw{Name: string(name), Value: value})
	})
	return kw
}

// bind puts the arguments of a call in the order of the parameters, of which
// the first `required` must be given; the others are nil when they are not.
func (a Args) bind(fn string, required int, params ...string) []Value {
	if len(a.Pos) > len(params) {
		panic(typeError("%s() takes %s but %d were given", fn, argumentCount(required, len(params)), len(a.Pos)))
	}
	out := make([]Value, len(params))
	copy(out, a.Pos)
	for _, kw := range a.Kw {
		at := slices.Index(params, kw.Name)
		if at < 0 {
			panic(typeError("%s() got an unexpected keyword argument '%s'", fn, kw.Name))
		}
		if out[at] != nil {
			panic(typeError("%s() got multiple values for argument '%s'", fn, kw.Name))
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
		panic(typeError("%s() missing required arguments: %s", fn, strings.Join(missing, ", ")))
	}
	return out
}

// bindPositional is bind for functions without keywords, of at least least and at
// most len(out) arguments.
func (a Args) bindPositional(fn string, least, most int) []Value {
	if len(a.Kw) > 0 {
		panic(typeError("%s() takes no keyword arguments", fn))
	}
	if n := len(a.Pos); n < least || n > most {
		panic(typeError("%s() takes %s (%d given)", fn, argumentCount(least, most), n))
	}
	out := make([]Value, most)
	copy(out, a.Pos)
	return out
}

func argumentCount(least, most int) string {
	count := func(n int) string {
		if n == 1 {
			return "1 argument"
		}
		return strconv.Itoa(n) + " arguments"
	}
	switch {
	case most == 0:
		return "no arguments"
	case least == most:
		return "exactly " + count(most)
	}
	return "from " + strconv.Itoa(least) + " to " + count(most)
}

// A namespaceValue is what the global function namespace makes: a value whose
// attributes `{% set ns.x = … %}` changes.
type namespaceValue struct{ attrs *Dict }

func (*namespaceValue) typeName() string { return "Namespace" }

// setAttr is `{% set v.name = value %}`, which only a namespace takes.
func setAttr(v Value, name string, value Value) {
	ns, ok := v.(*namespaceValue)
	if !ok {
		panic(newException("TemplateRuntimeError", "cannot assign attribute on non-namespace object"))
	}
	ns.attrs.setStr(name, value)
}

// A cyclerValue gives its values in turn.
type cyclerValue struct {
	items []Value
	at    int
}

func (*cyclerValue) typeName() string { return "Cycler" }

// Range is the global function range.
func (globalSet) Range(a Args) Value {
	args := a.bindPositional("range", 1, 3)
	var n [3]int64
	for i, v := range args {
		if v == nil {
			continue
		}
		if _, isBig := v.(*bigInt); isBig {
			panic(newException("LimitError", "a range cannot contain integers of more than 64 bits"))
		}
		n[i] = int64(wantInt(v))
	}
	r := &rangeValue{start: n[0], stop: n[1], step: n[2]}
	if args[1] == nil {
		r.start, r.stop = 0, n[0]
	}
	if args[2] == nil {
		r.step = 1
	}
	if r.step == 0 {
		panic(valueError("range() arg 3 must not be zero"))
	}
	// Half of the numbers are enough to keep the arithmetic within 64 bits.
	for _, x := range []int64{r.start, r.stop, r.step} {
		if x > 1<<61 || x < -1<<61 {
			panic(newException("LimitError", "the limits of a range go up to 2^61"))
		}
	}
	return r
}

// Dict is the global function dict.
func (globalSet) Dict(a Args) Value {
	if len(a.Pos) > 1 {
		panic(typeError("dict expected at most 1 argument, got %d", len(a.Pos)))
	}
	d := NewDict()
	updateDict(d, a)
	return d
}

// Namespace is the global function namespace.
func (globalSet) Namespace(a Args) Value { return &namespaceValue{attrs: Globals.Dict(a).(*Dict)} }

// Cycler is the global function cycler.
func (globalSet) Cycler(a Args) Value {
	if len(a.Kw) > 0 {
		panic(typeError("Cycler.__init__() got an unexpected keyword argument '%s'", a.Kw[0].Name))
	}
	if len(a.Pos) == 0 {
		panic(newException("RuntimeError", "at least one item has to be provided"))
	}
	return &cyclerValue{items: a.Pos}
}

// Joiner is the global function joiner: the first call of its result returns "", the
// others the separator.
func (globalSet) Joiner(a Args) Value {
	args := a.bind("joiner", 0, "sep")
	sep, used := args[0], false
	if sep == nil {
		sep = Str(", ")
	}
	return newFunction("joiner", func(a Args) Value {
		a.bindPositional("joiner", 0, 0)
		if !used {
			used = true
			return Str("")
		}
		return sep
	})
}

func cyclerAttr(c *cyclerValue, name string) Value {
	switch name {
	case "current":
		return c.items[c.at]
	case "next":
		return newFunction(name, func(a Args) Value {
			a.bindPositional(name, 0, 0)
			v := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			return v
		})
	case "reset":
		return newFunction(name, func(a Args) Value {
			a.bindPositional(name, 0, 0)
			c.at = 0
			return None{}
		})
	case "items":
		return newTuple(c.items...)
	case "pos":
		return Int(c.at)
	}
	return nil
}

// Lipsum is refused: a run must say the same when it is repeated.
func (globalSet) Lipsum(Args) Value {
	panic(unsupportedError("`lipsum` is not supported: a resumed run would choose differently"))
}
