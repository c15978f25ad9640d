package py

import "errors"

// An Eval computes the values of one template and collects its text. After the first error
// its methods do nothing, so compiled templates need no checks between them; Err returns the
// error. The zero value is ready for use. Do not copy an Eval after its first use.
//
// A method whose last parameter is called `at` ends an expression: this parameter is the
// place of the expression in the template, such as "{{ a.b }} (line 12)", for the message
// of an error in it. A method that takes Values and has no `at` is for use inside an
// expression.
//
// These methods make or collect text:
//
//	e.Str(v)            returns the text of a value, inside an expression
//	e.Text(v, at)       the same, at the end of an expression
//	e.Write(s)          adds a string to the template's text
//	e.WriteValue(v, at) adds the text of a value to the template's text
//	e.Take()            returns the template's text, and clears it
//
// These methods decide a condition:
//
//	e.Truth(v)          whether a value is true in Python, inside an expression
//	e.If(v, at)         the same, at the end of an expression
//	e.Holds(b, at)      a bool that Go code computed, at the end of an expression
type Eval struct {
	b   []byte
	err error
	// cause is the error as Python would raise it, while no place is known.
	cause error
	// symbol is not nil once a symbol was read.
	symbol *symbol
	depth  int
	// origins are the outputs of steps among the values.
	origins []origin
	// atPlace gets the next place; it is nil in programs that need none, which do not link it.
	atPlace func(at string)
}

// An origin is the output of a step, as a value and as it was recorded.
type origin struct {
	value      Value
	step, text string
}

// Fail notes an error, unless there was one; nil is none.
func (e *Eval) Fail(err error) {
	if err != nil && !e.Failed() && e.symbol == nil {
		e.cause = err
	}
}

// Failed reports whether there was an error.
func (e *Eval) Failed() bool { return e.err != nil || e.cause != nil }

// AtPlace calls f with the place of the current expression when it ends.
func (e *Eval) AtPlace(f func(at string)) { e.atPlace = f }

// addPlace adds the place to the error that was noted since the last call.
func (e *Eval) addPlace(at string) {
	if f := e.atPlace; f != nil && at != "" {
		e.atPlace = nil
		f(at)
	}
	if e.cause == nil {
		return
	}
	message := e.cause.Error()
	if at != "" {
		message += " in " + at
	}
	if raised := (*exception)(nil); errors.As(e.cause, &raised) {
		message += raised.Detail
	}
	e.err, e.cause = errors.New(message), nil
}

// evalGuarded returns what f computes. After an error, and when f raises one, ok is
// false.
func evalGuarded[T any](e *Eval, f func() T) (v T, ok bool) {
	if e.Failed() {
		return v, false
	}
	if err := tryCatch(func() { v = f() }); err != nil {
		e.Fail(err)
		return v, false
	}
	return v, !e.Failed()
}

// evalValue is guarded for operations that give a value, which is None after an error.
func (e *Eval) evalValue(f func() Value) Value {
	v, ok := evalGuarded(e, f)
	switch {
	case ok:
		return v
	case e.symbol != nil:
		return e.symbol
	}
	return None{}
}

// evalText is guarded for operations that give a string.
func (e *Eval) evalText(f func() string) string {
	s, ok := evalGuarded(e, f)
	if !ok && e.symbol != nil {
		return e.symbol.text
	}
	return s
}

// Err returns the error, with its place, or nil.
func (e *Eval) Err() error {
	e.addPlace("")
	return e.err
}

// Write adds a literal string to the template's text.
func (e *Eval) Write(s string) {
	e.evalText(func() string {
		checkText(int64(len(e.b)) + int64(len(s)))
		e.b = append(e.b, s...)
		return ""
	})
}

// WriteValue adds the text of a value to the template's text. Text only returns it.
func (e *Eval) WriteValue(v Value, at string) {
	e.Write(e.Text(v, at))
	e.addPlace(at)
}

// Text returns the text of a value at the end of an expression, by the rules of the
// function Text, or "" after an error. It does not add it to the template's text;
// WriteValue does.
func (e *Eval) Text(v Value, at string) string {
	s := e.Str(v)
	e.addPlace(at)
	return s
}

// Str is Text inside an expression, whose end records the place.
func (e *Eval) Str(v Value) string { return e.evalText(func() string { return strOf(v) }) }

// Checked returns the text of a function that may fail, such as gotext.Slice.
func (e *Eval) Checked(s string, err error) string {
	e.Fail(err)
	if e.Failed() {
		return ""
	}
	return s
}

// Holds is If for a bool that Go code computed: it returns holds, or false after an
// error.
func (e *Eval) Holds(holds bool, at string) bool {
	e.addPlace(at)
	return holds && !e.Failed()
}

// If reports whether a value is true in Python, at the end of an expression. It is false
// after an error.
func (e *Eval) If(v Value, at string) bool {
	holds := e.Truth(v)
	e.addPlace(at)
	return holds
}

// Do discards a value whose evaluation matters only for its effects and its errors, like
// the tag {% do %}.
func (e *Eval) Do(_ Value, at string) { e.addPlace(at) }

// Value returns v, the value of an expression, and records its place for the messages of
// later errors.
func (e *Eval) Value(v Value, at string) Value {
	e.addPlace(at)
	return v
}

// Take returns the template's text so far, or "" after an error, and clears it.
func (e *Eval) Take() string {
	s := string(e.b)
	e.b = nil
	if e.Failed() {
		return ""
	}
	return s
}

// Capture calls f and returns the text that f writes, instead of adding it to the
// template's text.
func (e *Eval) Capture(f func()) string {
	outer := e.b
	e.b = nil
	f()
	s := e.Take()
	e.b = outer
	return s
}
