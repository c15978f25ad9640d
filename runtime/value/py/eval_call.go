package py

import (
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

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
		if s, ok := v.(symbol); ok {
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
		if s, ok := v.(symbol); ok {
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
	holds, _ := evalGuarded(e, func() bool {
		checkNames(a.Kw)
		return f(v, a)
	})
	return holds
}

// Spread returns the positional arguments of *v in a call.
func (e *Eval) Spread(v Value) []Value {
	items, _ := evalGuarded(e, func() []Value { return spreadValues(v) })
	return items
}

// SpreadKw returns the keyword arguments of **v in a call.
func (e *Eval) SpreadKw(v Value) []Kw {
	kw, _ := evalGuarded(e, func() []Kw { return spreadKw(v) })
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

// Step returns the output of a node whose text is JSON. The value is undefined if the
// node was skipped, failed or was cancelled. (Only a node with flow.Node.Finally can read
// one that failed or was cancelled.)
func (e *Eval) Step(t flow.AnyTask) Value { return e.stepValue(t, e.Output) }

// StepText is Step for a node whose output is a plain string.
func (e *Eval) StepText(t flow.AnyTask) Value {
	return e.stepValue(t, func(_, text string) Value { return Str(text) })
}

func (e *Eval) stepValue(t flow.AnyTask, read func(step, text string) Value) Value {
	if e.hasFailed() {
		return None{}
	}
	text, err := t.Text()
	switch t.Status() {
	case flow.Failed:
		return &undefined{message: quoteRepr(t.Key()) + " is undefined: the step failed", skipped: itself}
	case flow.Cancelled:
		return &undefined{message: quoteRepr(t.Key()) + " is undefined: the step was cancelled", skipped: itself}
	}
	if err != nil {
		e.noteError(err)
		return None{}
	}
	if kernel.IsSymbol(text) {
		e.symbol = symbol(text)
		return e.symbol
	}
	if t.Status() != flow.Completed && text == "" {
		return &undefined{message: quoteRepr(t.Key()) + " is undefined", skipped: itself}
	}
	v := read(t.Key(), text)
	e.noteOrigin(t.Key(), text, v)
	return v
}

// noteOrigin notes that v is the output of a step, for messages about its fields. Only objects
// and lists can lack one.
func (e *Eval) noteOrigin(step, text string, v Value) {
	switch v.(type) {
	case *Dict, *List:
		e.origins = append(e.origins, origin{v, step, text})
	}
}

// Output returns the value of the recorded output of a node, which is JSON.
func (e *Eval) Output(step, text string) Value {
	v, err := Loads(text)
	if err != nil {
		e.noteError(valueError("the output of step %s cannot be read: %v", quoteRepr(step), err))
		return None{}
	}
	return v
}

// Loads returns the value of a JSON text; see the function Loads.
func (e *Eval) Loads(text string) Value { return e.evalValue(func() Value { return parseJSON(text) }) }

// Previous returns the output of a step in the previous iteration of a steps.Repeat; text
// and ok are the fields of the steps.Previous. In the first iteration the value is
// undefined.
func (e *Eval) Previous(step, text string, ok bool) Value {
	if !ok {
		return undefinedName(step)
	}
	v := e.Output(step, text)
	e.noteOrigin(step, text, v)
	return v
}

// PreviousText is Previous for a node whose output is a plain string.
func (e *Eval) PreviousText(step, text string, ok bool) Value {
	if !ok {
		return undefinedName(step)
	}
	return Str(text)
}

// Pick returns yes if first is true, otherwise no.
func Pick[T any](first bool, yes, no T) T {
	if first {
		return yes
	}
	return no
}

// Required returns *field, the field of a node's typed output, within an expression. If
// field is nil, the error of e says that there is no such field, as Member does.
func Required[T any](e *Eval, field *T, name string, of ...flow.AnyTask) (v T) {
	if field != nil {
		v = *field
	} else {
		e.noteError(absentField(name, of).useError())
	}
	return v
}

// Member returns the value of *field, a field of a typed object, or an undefined value if
// field is nil. name is the name of the field; of is the node with the object in its
// output, and name then the path of the field in that output, for the message.
func Member[T ~string | int64 | float64 | bool](field *T, name string, of ...flow.AnyTask) Value {
	if field == nil {
		return absentField(name, of)
	}
	return valueOf(*field)
}

func absentField(name string, of []flow.AnyTask) *undefined {
	if len(of) > 0 {
		if text, err := of[0].Text(); err == nil {
			return missingField(of[0].Key(), text, name)
		}
	}
	return &undefined{message: "the object has no field `" + name + "`"}
}

// A symbol stands for an output, or a value in one, in a symbolic execution; see kernel.Symbolic.
type symbol string

func (symbol) typeName() string { return "unknown" }

func (s symbol) attr(name string) symbol {
	field, _ := kernel.SymbolField(string(s), name)
	return symbol(field)
}
