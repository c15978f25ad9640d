package py

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
	operations
	b     []byte
	depth int
	// origins are the outputs of steps among the values.
	origins []origin
}

// An origin is the output of a step, as a value and as it was recorded.
type origin struct {
	value      Value
	step, text string
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
