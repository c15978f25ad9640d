package py

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Task is a settled node of a flow; it is a *flow.Task.
type Task interface {
	// Key returns the node's id.
	Key() string
	// State returns how it ended.
	State() flow.Status
	// Text returns its output.
	Text() (string, error)
	// StandIn returns what stands for its output in a plan.
	StandIn(path ...string) (text string, ok bool)
}

// Step returns the output of a step, which its text holds as JSON; it is undefined
// when the step was skipped.
func (e *Eval) Step(t Task) Value { return e.step(t, FromJSON) }

// StepText is Step for steps whose output is their text.
func (e *Eval) StepText(t Task) Value {
	return e.step(t, func(text string) (Value, error) { return Str(text), nil })
}

func (e *Eval) step(t Task, read func(string) (Value, error)) Value {
	if e.failed() {
		return None{}
	}
	text, err := t.Text()
	if err != nil {
		e.fail(err)
		return None{}
	}
	if _, unknown := t.StandIn(); unknown {
		e.stand = &StandIn{of: t}
		return e.stand
	}
	if t.State() != flow.Completed && text == "" {
		return &Undefined{message: quote(t.Key()) + " is undefined", skipped: itself}
	}
	return e.output(t.Key(), text, read)
}

// Output returns the value that a step's recorded output holds.
func (e *Eval) Output(step, text string) Value { return e.output(step, text, FromJSON) }

func (e *Eval) output(step, text string, read func(string) (Value, error)) Value {
	v, err := read(text)
	if err != nil {
		e.fail(valueError("the output of step %s cannot be read: %v", quote(step), err))
		return None{}
	}
	return v
}

// JSON returns the value that a text of JSON holds.
func (e *Eval) JSON(text string) Value {
	if e.failed() {
		return None{}
	}
	return e.value(FromJSON(text))
}

// Previous returns what a step made in the round before; it is undefined in the
// first one.
func (e *Eval) Previous(step, text string, ok bool) Value {
	if !ok {
		return UndefinedName(step)
	}
	return e.Output(step, text)
}

// PreviousText is Previous for steps whose output is their text.
func (e *Eval) PreviousText(step, text string, ok bool) Value {
	if !ok {
		return UndefinedName(step)
	}
	return Str(text)
}

// Field returns a field of a step's typed output, which fails when it is not there.
func Field[T any](e *Eval, field *T, name string) T {
	if field != nil {
		return *field
	}
	e.fail(undefinedAttr(NewDict(), name).fail())
	var zero T
	return zero
}

// Required is Field for a value that leaves the template at a place.
func Required[T any](e *Eval, field *T, name, at string) T {
	v := Field(e, field, name)
	e.place(at)
	return v
}

// Member is an attribute of a typed object: a field that is not there is undefined.
func Member[T any](field *T, name string, of func(T) Value) Value {
	if field == nil {
		return undefinedAttr(NewDict(), name)
	}
	return of(*field)
}

// A StandIn stands in plans for an output, or for what a path in it leads to, that
// nobody knows.
type StandIn struct {
	of   Task
	path []string
}

func (*StandIn) typeName() string { return "unknown" }

func (s *StandIn) text() string {
	text, _ := s.of.StandIn(s.path...)
	return text
}

func (s *StandIn) attr(name string) *StandIn {
	return &StandIn{of: s.of, path: append(s.path[:len(s.path):len(s.path)], strings.Clone(name))}
}
