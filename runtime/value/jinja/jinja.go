// Package jinja evaluates the Jinja2 templates of a flow. Package py knows Python's values and
// Jinja2's operators, filters and tests; this package adds what only a flow has: the outputs of
// its nodes, and the actions that get a template's values. Generated code uses it where types are
// not known at build time. The template
//
//	Hello {{ name | upper }}, {{ visits + 1 }}
//
// is, with name and visits of any type,
//
//	var e jinja.Eval
//	prompt := "Hello " + e.Text(e.Filter(py.Filters.Upper, name), "{{ name | upper }} (line 1)") +
//		", " + e.Text(e.Add(visits, py.Int(1)), "{{ visits + 1 }} (line 1)")
//	done, err := e.Perform(c, flow.Prompt{Agent: "claude", Text: prompt})
//
// Flows run one task at a time, so nothing here is safe for concurrent use.
package jinja

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/value/py"
)

// An Eval computes the values of one template of a flow. Do not copy it after its first use.
type Eval struct {
	py.Eval
	bound bindings
	// required are the files of ToPath; unplaced means that the last ones have no place yet.
	required []flow.RequiredFile
	unplaced bool
}

// Err returns the error, a *flow.Failure, or nil.
func (e *Eval) Err() error {
	if err := e.Eval.Err(); err != nil {
		return &flow.Failure{Reason: "template", Message: err.Error()}
	}
	return nil
}

// Result returns the template's text, or "" and the error of e, and clears the text: it
// is Take with the error.
func (e *Eval) Result() (string, error) {
	err := e.Err()
	return e.Take(), err
}

// Decide returns the result of Holds and the error of e. It is for the condition of a
// node.
func (e *Eval) Decide(holds bool, at string) (bool, error) { return e.Holds(holds, at), e.Err() }

// Perform is c.Do for an action that contains values of the template. If the template has an
// error, Perform returns it and performs nothing.
func (e *Eval) Perform(c *flow.Context, p flow.Payload) (flow.Result, error) {
	if err := e.Err(); err != nil {
		return flow.Result{}, err
	}
	return c.Do(p)
}

// Condition reports whether the text of a value means true by the rules of workflows,
// which are not Python's: the result of the function Condition for that text, or false
// after an error.
func (e *Eval) Condition(v py.Value) bool {
	text := e.Str(v)
	return !e.Failed() && Condition(text)
}

// Condition reports whether the rendered text of a workflow's condition means true, by
// the rules of workflows, which are not Python's. It returns false if the text, in any
// case and without surrounding spaces, is empty or one of false, none, 0, [] and {};
// otherwise true.
func Condition(rendered string) bool {
	switch strings.ToLower(strings.TrimFunc(rendered, scalar.IsSpace)) {
	case "", "false", "none", "0", "[]", "{}":
		return false
	}
	return true
}

// Step returns the output of a node whose text is JSON. The value is undefined if the
// node was skipped, failed or was cancelled. (Only a node with flow.Node.Finally can read
// one that failed or was cancelled.)
func (e *Eval) Step(t flow.AnyTask) py.Value { return e.stepValue(t, e.Output) }

// StepText is Step for a node whose output is a plain string.
func (e *Eval) StepText(t flow.AnyTask) py.Value {
	return e.stepValue(t, func(_, text string) py.Value { return py.Str(text) })
}

func (e *Eval) stepValue(t flow.AnyTask, read func(step, text string) py.Value) py.Value {
	if e.Failed() {
		return py.None{}
	}
	text, err := t.Text()
	switch status := t.Status(); {
	case status == flow.Failed:
		return e.SkippedStep(t.Key(), ": the step failed")
	case status == flow.Cancelled:
		return e.SkippedStep(t.Key(), ": the step was cancelled")
	case err != nil:
		e.Fail(err)
		return py.None{}
	case kernel.IsSymbol(text):
		return e.Symbol(text, symbolField)
	case status != flow.Completed && text == "":
		return e.SkippedStep(t.Key(), "")
	}
	return e.FromStep(t.Key(), text, read(t.Key(), text))
}

func symbolField(text, name string) string {
	field, _ := kernel.SymbolField(text, name)
	return field
}

// Output returns the value of the recorded output of a node, which is JSON.
func (e *Eval) Output(step, text string) py.Value {
	v, err := py.Loads(text)
	if err != nil {
		name, _ := py.Repr(py.Str(step))
		e.Fail(fmt.Errorf("the output of step %s cannot be read: %w", name, err))
		return py.None{}
	}
	return v
}

// Previous returns the output of a step in the previous iteration of a steps.Repeat; text
// and ok are the fields of the steps.Previous. In the first iteration the value is
// undefined.
func (e *Eval) Previous(step, text string, ok bool) py.Value {
	if !ok {
		return e.Undefined(step)
	}
	return e.FromStep(step, text, e.Output(step, text))
}

// PreviousText is Previous for a node whose output is a plain string.
func (e *Eval) PreviousText(step, text string, ok bool) py.Value {
	if !ok {
		return e.Undefined(step)
	}
	return py.Str(text)
}
