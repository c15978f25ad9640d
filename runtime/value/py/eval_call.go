package py

// Func returns the value of a global function, such as Globals.Range, for templates that
// pass the function itself.
func (e *Eval) Func(name string, f func(Args) Value) Value { return newFunction(name, f) }

// Call calls a function with positional arguments.
func (e *Eval) Call(f Value, args ...Value) Value { return e.CallWith(f, Args{Pos: args}) }

// CallWith is Call for any arguments.
func (e *Eval) CallWith(f Value, a Args) Value {
	return e.evalValue(func() Value { return callValue(f, a.Pos, a.Kw) })
}

// Method calls a method with positional arguments.
func (e *Eval) Method(v Value, name string, args ...Value) Value {
	return e.MethodWith(v, name, Args{Pos: args})
}

// MethodWith is Method for any arguments.
func (e *Eval) MethodWith(v Value, name string, a Args) Value {
	return e.evalValue(func() Value {
		if s, ok := v.(*symbol); ok {
			return s
		}
		return callMethod(v, name, a.Pos, a.Kw)
	})
}

// Global calls a global function, such as Globals.Range, with positional arguments.
func (e *Eval) Global(f func(Args) Value, args ...Value) Value {
	return e.GlobalWith(f, Args{Pos: args})
}

// GlobalWith is Global for any arguments.
func (e *Eval) GlobalWith(f func(Args) Value, a Args) Value {
	return e.evalValue(func() Value {
		checkNames(a.Kw)
		return f(a)
	})
}

// Filter applies a filter with positional arguments.
func (e *Eval) Filter(f Filter, v Value, args ...Value) Value {
	return e.FilterWith(f, v, Args{Pos: args})
}

// FilterWith is Filter for any arguments.
func (e *Eval) FilterWith(f Filter, v Value, a Args) Value {
	return e.evalValue(func() Value {
		if s, ok := v.(*symbol); ok {
			return s
		}
		checkNames(a.Kw)
		return f(v, a)
	})
}

// Test applies a test with positional arguments.
func (e *Eval) Test(f Test, v Value, args ...Value) bool {
	return e.TestWith(f, v, Args{Pos: args})
}

// TestWith is Test for any arguments.
func (e *Eval) TestWith(f Test, v Value, a Args) bool {
	holds, _ := evalGuarded(&e.guard, func() bool {
		checkNames(a.Kw)
		return f(v, a)
	})
	return holds
}

// Spread returns the positional arguments of *v in a call.
func (e *Eval) Spread(v Value) []Value {
	items, _ := evalGuarded(&e.guard, func() []Value { return spreadValues(v) })
	return items
}

// SpreadKw returns the keyword arguments of **v in a call.
func (e *Eval) SpreadKw(v Value) []Kw {
	kw, _ := evalGuarded(&e.guard, func() []Kw { return spreadKw(v) })
	return kw
}

// maxMacros is how deep macros may call each other.
const maxMacros = 200

// A Macro describes a macro of a template.
type Macro struct {
	Name string
	// Params are the names of its parameters.
	Params []string
	// Varargs and Kwargs mean that the macro reads further positional and keyword
	// arguments; Caller means that it reads the body of a {% call %} block.
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

// Macro returns the function of a macro. body writes the text of a call.
func (e *Eval) Macro(m Macro, body func(c *MacroCall)) Value {
	return newMacro(m.Name, func(a Args) Value {
		if e.depth >= maxMacros {
			panic(newException("RecursionError", "maximum recursion depth exceeded"))
		}
		c := m.bindCall(a)
		e.depth++
		text := e.Capture(func() { body(c) })
		e.depth--
		// An error was noted already.
		return Str(text)
	})
}

// bindCall divides arguments among the parameters.
func (m *Macro) bindCall(a Args) *MacroCall {
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
			c.kw.setStr(kw.Name, kw.Value)
		case kw.Name == "caller":
			panic(typeError("macro %s was invoked with two values for the special caller argument. This is most likely a bug.", quoteRepr(m.Name)))
		default:
			panic(typeError("macro %s takes no keyword argument %s", quoteRepr(m.Name), quoteRepr(kw.Name)))
		}
	}
	if len(c.rest) > 0 && !m.Varargs {
		panic(typeError("macro %s takes not more than %d argument(s)", quoteRepr(m.Name), len(m.Params)))
	}
	return c
}

// Arg returns the argument for parameter i of Macro.Params, or an undefined value.
func (c *MacroCall) Arg(i int) Value {
	return orDefault(c.args[i], &undefined{message: "parameter " + quoteRepr(c.macro.Params[i]) + " was not provided"})
}

// ArgOr returns the argument for parameter i of Macro.Params, or the result of otherwise.
func (c *MacroCall) ArgOr(i int, otherwise func() Value) Value {
	if c.args[i] != nil {
		return c.args[i]
	}
	return otherwise()
}

// Varargs returns the further positional arguments, a tuple.
func (c *MacroCall) Varargs() Value { return newTuple(c.rest...) }

// Kwargs returns the further keyword arguments, a dict.
func (c *MacroCall) Kwargs() Value { return c.kw }

// Caller returns the function of the body of a {% call %} block, or an undefined value.
func (c *MacroCall) Caller() Value {
	return orDefault(c.caller, &undefined{message: "No caller defined"})
}

// Loads returns the value of a JSON text; see the function Loads.
func (e *Eval) Loads(text string) Value { return e.evalValue(func() Value { return parseJSON(text) }) }

// Pick returns yes if first is true, otherwise no.
func Pick[T any](first bool, yes, no T) T {
	if first {
		return yes
	}
	return no
}

// A Source is a step whose output has typed fields.
type Source interface {
	Key() string
	Text() (string, error)
}

// Required returns *field, the field of a step's typed output, within an expression. If
// field is nil, the error of e says that there is no such field, as Member does.
func Required[T any](e interface{ Fail(err error) }, field *T, name string, of ...Source) (v T) {
	if field != nil {
		v = *field
	} else {
		e.Fail(absentField(name, of).useError())
	}
	return v
}

// Member returns the value of *field, a field of a typed object, or an undefined value if
// field is nil. name is the name of the field; of is the step with the object in its
// output, and name then the path of the field in that output, for the message.
func Member[T ~string | int64 | float64 | bool](field *T, name string, of ...Source) Value {
	if field == nil {
		return absentField(name, of)
	}
	return valueOf(*field)
}

func absentField(name string, of []Source) *undefined {
	if len(of) > 0 {
		if text, err := of[0].Text(); err == nil {
			return missingField(of[0].Key(), text, name)
		}
	}
	return &undefined{message: "the object has no field `" + name + "`"}
}

// A symbol is an unknown value, in a symbolic execution. It has a text, and attributes of which
// name returns the text.
type symbol struct {
	text string
	name func(text, attr string) string
}

func (*symbol) typeName() string { return "unknown" }

func (s *symbol) attr(name string) *symbol { return &symbol{s.name(s.text, name), s.name} }

// Symbol returns an unknown value. name returns the text of an attribute from its name and the
// text of the value that has it. Whatever is computed from an unknown value is unknown.
func (e *Eval) Symbol(text string, name func(text, attr string) string) Value {
	e.symbol = &symbol{text, name}
	return e.symbol
}

// FromStep returns v, the output of a step: messages about its fields name the step and show
// the recorded text.
func (e *Eval) FromStep(step, text string, v Value) Value {
	switch v.(type) {
	case *Dict, *List: // only objects and lists can lack a field
		e.origins = append(e.origins, origin{v, step, text})
	}
	return v
}

// SkippedStep returns the output of a step that was skipped, failed or was cancelled: it is
// undefined, but an expression with it may be lenient; see LenientAttr. The message goes on
// with why.
func (e *Eval) SkippedStep(step, why string) Value {
	return &undefined{message: quoteRepr(step) + " is undefined" + why, skipped: itself}
}
