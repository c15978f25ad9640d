package py

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// An Eval computes the values of one template and collects its text. After the first error
// its methods do nothing, so compiled templates need no checks between them; Err, Result,
// Decide and Perform return the error. The zero value is ready for use. Do not copy an Eval
// after its first use.
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
//	e.Result()          the same, with the error
//
// Five methods decide a condition:
//
//	e.Truth(v)          whether a value is true in Python, inside an expression
//	e.If(v, at)         the same, at the end of an expression
//	e.Holds(b, at)      a bool that Go code computed, at the end of an expression
//	e.Decide(b, at)     the same, with the error: the condition of a node
//	e.Condition(v)      whether the text of a value is true by the rules of workflows; see
//	                    the function Condition
type Eval struct {
	b   []byte
	err *flow.Failure
	// cause is the error as Python would raise it, while no place is known.
	cause error
	// symbol is not "" once a symbol was read.
	symbol symbol
	depth  int
	bound  bindings
	// origins are the outputs of steps among the values.
	origins []origin
	// required are the files of ToPath. placing adds the place to those without one;
	// it is nil in programs without paths, which do not link it.
	required []flow.RequiredFile
	placing  func(at string)
}

// An origin is the output of a step, as a value and as it was recorded.
type origin struct {
	value      Value
	step, text string
}

// failure is the reason of the failures of templates.
const failure = "template"

// noteError notes an error; the first one counts.
func (e *Eval) noteError(err error) {
	if err != nil && !e.hasFailed() && e.symbol == "" {
		e.cause = err
	}
}

func (e *Eval) hasFailed() bool { return e.err != nil || e.cause != nil }

// addPlace adds the place to the error and the required files that were noted since
// the last call.
func (e *Eval) addPlace(at string) {
	if e.placing != nil && at != "" {
		e.placing(at)
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
	e.err, e.cause = &flow.Failure{Reason: failure, Message: message}, nil
}

// evalGuarded returns what f computes. After an error, and when f raises one, ok is
// false.
func evalGuarded[T any](e *Eval, f func() T) (v T, ok bool) {
	if e.hasFailed() {
		return v, false
	}
	if err := tryCatch(func() { v = f() }); err != nil {
		e.noteError(err)
		return v, false
	}
	return v, !e.hasFailed()
}

// evalValue is guarded for operations that give a value, which is None after an error.
func (e *Eval) evalValue(f func() Value) Value {
	v, ok := evalGuarded(e, f)
	switch {
	case ok:
		return v
	case e.symbol != "":
		return e.symbol
	}
	return None{}
}

// evalText is guarded for operations that give a string.
func (e *Eval) evalText(f func() string) string {
	s, ok := evalGuarded(e, f)
	if !ok && e.symbol != "" {
		return string(e.symbol)
	}
	return s
}

// Err returns the error, a *flow.Failure, or nil.
func (e *Eval) Err() error {
	e.addPlace("")
	if e.err == nil {
		return nil
	}
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
	e.noteError(err)
	if e.hasFailed() {
		return ""
	}
	return s
}

// Holds is If for a bool that Go code computed: it returns holds, or false after an
// error.
func (e *Eval) Holds(holds bool, at string) bool {
	e.addPlace(at)
	return holds && !e.hasFailed()
}

// If reports whether a value is true in Python, at the end of an expression. It is false
// after an error.
func (e *Eval) If(v Value, at string) bool {
	holds := e.Truth(v)
	e.addPlace(at)
	return holds
}

// Decide returns the result of Holds and the error of e. It is for the condition of a
// node.
func (e *Eval) Decide(holds bool, at string) (bool, error) { return e.Holds(holds, at), e.Err() }

// Condition reports whether the text of a value means true by the rules of workflows,
// which are not Python's: the result of the function Condition for that text, or false
// after an error.
func (e *Eval) Condition(v Value) bool {
	text := e.Str(v)
	return !e.hasFailed() && Condition(text)
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
	if e.hasFailed() {
		return ""
	}
	return s
}

// Result returns the template's text, or "" and the error of e, and clears the text: it
// is Take with the error.
func (e *Eval) Result() (string, error) {
	err := e.Err()
	return e.Take(), err
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

// bindings are the values that programs made of templates get.
type bindings struct {
	list []flow.Binding
	used map[string]bool
	next map[string]int // the next number to try, by name
}

// Bind hands a value to the program whose source the template makes: it adds b to the
// Bindings, and writes code, which reads the variable b.Name, such as "${who}". If an earlier
// binding has that name, the variable is b.Name with _2, _3 and so on, also in code.
// (Generated code ends the names of bindings in a loop of the template with _i, so that such
// a number cannot make the name of another binding.)
func (e *Eval) Bind(code string, b flow.Binding) {
	if e.hasFailed() {
		return
	}
	before, after, _ := strings.Cut(code, b.Name)
	b.Name = e.bound.uniqueName(b.Name)
	e.bound.list = append(e.bound.list, b)
	e.Write(before + b.Name + after)
}

// uniqueName returns a name that is not used yet.
func (b *bindings) uniqueName(name string) string {
	if b.used == nil {
		b.used, b.next = map[string]bool{}, map[string]int{}
	}
	unique := name
	for b.used[unique] {
		n := max(b.next[name], 2)
		b.next[name] = n + 1
		unique = name + "_" + strconv.Itoa(n)
	}
	b.used[unique] = true
	return unique
}

// Bindings returns the bindings that Bind has added since the last call.
func (e *Eval) Bindings() []flow.Binding {
	list := e.bound.list
	e.bound = bindings{}
	return list
}

// The methods below convert strings to the scalar types of prompts' arguments.

// ToInt parses an int by the rules of package scalar. what names the argument for the
// message of an error, such as "the argument `n` of #greet".
func (e *Eval) ToInt(text, what string) int64 {
	n, _ := e.parseScalar("int", text, what).(int64)
	return n
}

// ToFloat parses a float, as ToInt does an int.
func (e *Eval) ToFloat(text, what string) float64 {
	f, _ := e.parseScalar("float", text, what).(float64)
	return f
}

// ToBool parses a bool, as ToInt does an int.
func (e *Eval) ToBool(text, what string) bool {
	b, _ := e.parseScalar("bool", text, what).(bool)
	return b
}

// ToWord returns text if it is one word; otherwise it sets the error, as ToInt does.
func (e *Eval) ToWord(text, what string) string {
	e.parseScalar("word", text, what)
	return text
}

// ToLine returns text if it is one line; otherwise it sets the error, as ToInt does.
func (e *Eval) ToLine(text, what string) string {
	e.parseScalar("line", text, what)
	return text
}

// ToChoice returns text if it is one of the choices; otherwise it sets the error, as ToInt
// does.
func (e *Eval) ToChoice(text, what string, choices ...string) string {
	if !slices.Contains(choices, text) && !e.hasFailed() {
		e.noteError(valueError("%s: %s is not one of %s", what, plain.Quoted(text), plain.NameList(choices)))
	}
	return text
}

// ToPath checks that a string can be a path. Flow code reads no files, so whether
// the file exists is checked where the prompt is performed: RequiredFiles lists it.
func (e *Eval) ToPath(text, what string) string {
	if e.parseScalar("path", text, what) == nil || e.symbol != "" {
		return text
	}
	first := len(e.required)
	e.required = append(e.required, flow.RequiredFile{Path: text, Missing: fmt.Sprintf("%s: the file %q does not exist", what, text)})
	if e.placing == nil {
		e.placing = func(at string) {
			for i := first; i < len(e.required); i++ {
				e.required[i].Missing += " in " + at
			}
			e.placing = nil
		}
	}
	return text
}

// RequiredFiles returns the files of ToPath, which must exist before the prompt is
// performed, and clears the list.
func (e *Eval) RequiredFiles() []flow.RequiredFile {
	list := e.required
	e.required, e.placing = nil, nil
	return list
}

// parseScalar reads a string as a value of a type, or returns nil after an error.
func (e *Eval) parseScalar(name, text, what string) any {
	if e.hasFailed() {
		return nil
	}
	v, err := scalar.Rules{}.Parse(name, text)
	if err != nil {
		e.noteError(valueError("%s: %v", what, err))
	}
	return v
}

// Perform is c.Do for an action that contains values of the template. If the template has an
// error, Perform returns it and performs nothing.
func (e *Eval) Perform(c *flow.Context, p flow.Payload) (flow.Result, error) {
	if err := e.Err(); err != nil {
		return flow.Result{}, err
	}
	return c.Do(p)
}
