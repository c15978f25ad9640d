package py

import (
	"github.com/wfc-lang/wfc/runtime/flow"
)

// An Eval computes the values of one template and collects its text. It keeps
// the first error and does nothing after it, so that compiled templates are
// expressions; Err, Result and Take tell what became of it. The zero value is
// ready for use. It must not be copied.
//
// Methods with a last parameter `at` are those with which a value leaves the
// template: `at` is what a message says of the place, such as
// "{{ a.b }} (line 12)".
type Eval struct {
	b   []byte
	err *flow.Failure
	// cause is the error as Python would raise it, while no place is known.
	cause error
	// stand is set in plans, once an output was read that nobody knows.
	stand *StandIn
	depth int
	bound bindings
}

// failure is the reason of the failures of templates.
const failure = "template"

// fail notes an error; the first one counts.
func (e *Eval) fail(err error) {
	if err != nil && !e.failed() && e.stand == nil {
		e.cause = err
	}
}

func (e *Eval) failed() bool { return e.err != nil || e.cause != nil }

// place tells where the error is that was noted since the last call.
func (e *Eval) place(at string) {
	if e.cause == nil {
		return
	}
	message := e.cause.Error()
	if at != "" {
		message += " in " + at
	}
	e.err, e.cause = &flow.Failure{Reason: failure, Message: message}, nil
}

// value returns the value of an operation, or None after an error.
func (e *Eval) value(v Value, err error) Value {
	if err != nil {
		e.fail(err)
		if e.stand != nil {
			return e.stand
		}
		return None{}
	}
	return v
}

// holds is value for operations that give a truth value.
func (e *Eval) holds(b bool, err error) bool {
	e.fail(err)
	return b && err == nil
}

// text is value for operations that give a text.
func (e *Eval) text(s string, err error) string {
	if err == nil {
		return s
	}
	e.fail(err)
	if e.stand != nil {
		return e.stand.text()
	}
	return ""
}

// Err returns the error, a *flow.Failure, or nil.
func (e *Eval) Err() error {
	e.place("")
	if e.err == nil {
		return nil
	}
	return e.err
}

// Write adds literal text.
func (e *Eval) Write(s string) {
	if e.failed() {
		return
	}
	if err := checkText(int64(len(e.b)) + int64(len(s))); err != nil {
		e.fail(err)
		return
	}
	e.b = append(e.b, s...)
}

// Put adds the text of a value.
func (e *Eval) Put(v Value, at string) {
	e.Write(e.Text(v, at))
	e.place(at)
}

// Text returns the text of a value.
func (e *Eval) Text(v Value, at string) string {
	s := e.Str(v)
	e.place(at)
	return s
}

// Str returns the text of a value within an expression.
func (e *Eval) Str(v Value) string {
	if e.failed() {
		return ""
	}
	return e.text(Text(v))
}

// Is returns a truth value that was computed.
func (e *Eval) Is(holds bool, at string) bool {
	e.place(at)
	return holds && !e.failed()
}

// If tells whether a value is true.
func (e *Eval) If(v Value, at string) bool {
	holds := e.Truth(v)
	e.place(at)
	return holds
}

// Condition decides a condition of a workflow by the text of a value; see the
// function Condition.
func (e *Eval) Condition(v Value) bool {
	text := e.Str(v)
	return !e.failed() && Condition(text)
}

// Do is for values that nobody reads: computing them may fail and change others.
func (e *Eval) Do(_ Value, at string) { e.place(at) }

// At tells where a value comes from that goes on to be used.
func (e *Eval) At(v Value, at string) Value {
	e.place(at)
	return v
}

// Take returns the text collected so far and begins a new one.
func (e *Eval) Take() string {
	s := string(e.b)
	e.b = nil
	if e.failed() {
		return ""
	}
	return s
}

// Result returns the text, or the error.
func (e *Eval) Result() (string, error) {
	err := e.Err()
	return e.Take(), err
}

// Capture returns the text that f adds, which the template does not get.
func (e *Eval) Capture(f func()) string {
	outer := e.b
	e.b = nil
	f()
	s := e.Take()
	e.b = outer
	return s
}
