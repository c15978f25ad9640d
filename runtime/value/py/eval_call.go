package py

// Call calls a function with arguments that have no names.
func (e *Eval) Call(f Value, args ...Value) Value { return e.CallWith(f, Args{Pos: args}) }

// CallWith calls a function.
func (e *Eval) CallWith(f Value, a Args) Value {
	if e.failed() {
		return None{}
	}
	return e.value(Call(f, a.Pos, a.Kw))
}

// Method calls a method with arguments that have no names.
func (e *Eval) Method(v Value, name string, args ...Value) Value {
	return e.MethodWith(v, name, Args{Pos: args})
}

// MethodWith calls a method.
func (e *Eval) MethodWith(v Value, name string, a Args) Value {
	if e.failed() {
		return None{}
	}
	if s, ok := v.(*StandIn); ok {
		return s
	}
	return e.value(CallAttr(v, name, a.Pos, a.Kw))
}

// Global calls one of the functions that templates find, such as GlobalRange.
func (e *Eval) Global(f func(Args) (Value, error), args ...Value) Value {
	return e.GlobalWith(f, Args{Pos: args})
}

// GlobalWith is Global for any arguments.
func (e *Eval) GlobalWith(f func(Args) (Value, error), a Args) Value {
	if e.failed() {
		return None{}
	}
	if name := nameGivenTwice(a.Kw); name != "" {
		return e.value(nil, typeError("got multiple values for keyword argument '%s'", name))
	}
	return e.value(f(a))
}

// Filter applies a filter with arguments that have no names.
func (e *Eval) Filter(f Filter, v Value, args ...Value) Value {
	return e.FilterWith(f, v, Args{Pos: args})
}

// FilterWith applies a filter.
func (e *Eval) FilterWith(f Filter, v Value, a Args) Value {
	if e.failed() {
		return None{}
	}
	if s, ok := v.(*StandIn); ok {
		return s
	}
	if name := nameGivenTwice(a.Kw); name != "" {
		return e.value(nil, typeError("got multiple values for keyword argument '%s'", name))
	}
	return e.value(f(v, a))
}

// Test applies a test with arguments that have no names.
func (e *Eval) Test(f Test, v Value, args ...Value) bool {
	return e.TestWith(f, v, Args{Pos: args})
}

// TestWith applies a test.
func (e *Eval) TestWith(f Test, v Value, a Args) bool {
	if e.failed() {
		return false
	}
	if name := nameGivenTwice(a.Kw); name != "" {
		return e.holds(false, typeError("got multiple values for keyword argument '%s'", name))
	}
	return e.holds(f(v, a))
}

// Spread returns the values of an argument that is written *v.
func (e *Eval) Spread(v Value) []Value {
	if e.failed() {
		return nil
	}
	items, err := Spread(v)
	e.fail(err)
	return items
}

// SpreadKw returns the values of an argument that is written **v.
func (e *Eval) SpreadKw(v Value) []Kw {
	if e.failed() {
		return nil
	}
	kw, err := SpreadKw(v)
	e.fail(err)
	return kw
}

// maxMacros is how deep macros may call each other.
const maxMacros = 200

// A Macro describes a macro of a template.
type Macro struct {
	Name string
	// Params are the names of its parameters.
	Params []string
	// Varargs and Kwargs tell that it takes any number of further arguments;
	// Caller that a call may bring a body.
	Varargs, Kwargs, Caller bool
}

// A MacroCall is one call of a macro.
type MacroCall struct {
	macro  *Macro
	args   []Value // by parameter; nil where none was given
	rest   []Value
	kw     *Dict
	caller Value
}

// Macro makes the function of a macro; body adds its text.
func (e *Eval) Macro(m Macro, body func(c *MacroCall)) Value {
	return NewMacro(m.Name, func(a Args) (Value, error) {
		if e.depth >= maxMacros {
			return nil, raise("RecursionError", "maximum recursion depth exceeded")
		}
		c, err := m.bind(a)
		if err != nil {
			return nil, err
		}
		e.depth++
		text := e.Capture(func() { body(c) })
		e.depth--
		// An error was noted already.
		return Str(text), nil
	})
}

// bind divides arguments among the parameters.
func (m *Macro) bind(a Args) (*MacroCall, error) {
	c := &MacroCall{macro: m, args: make([]Value, len(m.Params)), kw: NewDict()}
	given := copy(c.args, a.Pos)
	c.rest = a.Pos[given:]
	for _, kw := range a.Kw {
		at := -1
		for i, p := range m.Params {
			if p == kw.Name && i >= given {
				at = i
			}
		}
		switch {
		case at >= 0:
			c.args[at] = kw.Value
		case m.Caller && kw.Name == "caller":
			c.caller = kw.Value
		case m.Kwargs:
			if err := c.kw.SetStr(kw.Name, kw.Value); err != nil {
				return nil, err
			}
		case kw.Name == "caller":
			return nil, typeError("macro %s was invoked with two values for the special caller argument. This is most likely a bug.", quote(m.Name))
		default:
			return nil, typeError("macro %s takes no keyword argument %s", quote(m.Name), quote(kw.Name))
		}
	}
	if len(c.rest) > 0 && !m.Varargs {
		return nil, typeError("macro %s takes not more than %d argument(s)", quote(m.Name), len(m.Params))
	}
	return c, nil
}

// Arg returns the argument of a parameter; undefined when there is none.
func (c *MacroCall) Arg(i int) Value {
	if c.args[i] != nil {
		return c.args[i]
	}
	return &Undefined{message: "parameter " + quote(c.macro.Params[i]) + " was not provided"}
}

// ArgOr returns the argument of a parameter, or its default.
func (c *MacroCall) ArgOr(i int, otherwise func() Value) Value {
	if c.args[i] != nil {
		return c.args[i]
	}
	return otherwise()
}

// Varargs returns the further arguments.
func (c *MacroCall) Varargs() Value { return NewTuple(c.rest...) }

// Kwargs returns the further arguments that have names.
func (c *MacroCall) Kwargs() Value { return c.kw }

// Caller returns the body that the call brought; undefined when there is none.
func (c *MacroCall) Caller() Value {
	if c.caller != nil {
		return c.caller
	}
	return &Undefined{message: "No caller defined"}
}
