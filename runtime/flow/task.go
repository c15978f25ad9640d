package flow

import (
	"encoding/json"
	"fmt"
	"time"
)

// An Output is what a node yields. Text is the recorded original; Value is its
// typed form.
type Output[T any] struct {
	Text  string
	Value T
}

// A Node says how one node of a DAG runs.
type Node[T any] struct {
	// Key is the node's id: its step's key.
	Key string
	// After are the dependencies, in order.
	After []Dependency
	// Order are nodes that must be settled first but do not count for Rule.
	Order []Dependency
	// Rule is the trigger rule; nil is AllSuccess.
	Rule Rule
	// When is the condition, decided once after Rule; nil is none. An error
	// fails the node.
	When func() (bool, error)
	// Kind is the node's kind for people: "bash", "prompt", ….
	Kind string
	// Timeout and Retry are taken over by the node's actions.
	Timeout time.Duration
	Retry   Retry
	// AlwaysRun performs the node again when the run is resumed.
	AlwaysRun bool
	// Given gives the output that replaces the node when ok: then the node is
	// skipped and is read as if it had completed. An error fails the node. Only
	// Perform looks at it; nil is none.
	Given func() (text string, ok bool, err error)
	// Decode makes the typed value of a recorded text; nil means that T is
	// string and the text is the value.
	Decode func(text string) (T, error)
	// Run performs the node and returns its output's text.
	Run func(c *Context) (string, error)
}

// A Task is a node that was spawned: a typed future with a state.
type Task[T any] struct {
	key    string
	done   *Future
	status Status
	reason string
	out    Output[T]
	err    error
	// said is the session of the node's agent, or "".
	said string
	// doubt is nil but in plans; see Unknown.
	doubt *doubt
	// step says that the node is one of a sequence.
	step bool
}

// A Dependency is a task of any type.
type Dependency interface {
	// Key is the node's id.
	Key() string
	// State is the task's state: Pending until it is settled.
	State() Status
	// FinalText is the output of a settled task; see Task.FinalText.
	FinalText() string

	failure() error
	future() *Future
	session() string
	doubts() *doubt
}

// After lists dependencies; it makes generated code readable.
func After(tasks ...Dependency) []Dependency { return tasks }

func (t *Task[T]) failure() error { return t.err }

func (t *Task[T]) future() *Future { return t.done }

func (t *Task[T]) session() string { return t.said }

func (t *Task[T]) doubts() *doubt { return t.doubt }

// Key returns the node's id.
func (t *Task[T]) Key() string { return t.key }

// State returns the node's state: Pending until it is settled.
func (t *Task[T]) State() Status { return t.status }

// Text returns the whole output as a reference reads it: empty when the node
// was skipped. When it failed or was cancelled, reading fails.
func (t *Task[T]) Text() (string, error) {
	if t.doubt != nil {
		t.doubt.read("$"+t.key+".output", true)
	}
	switch t.status {
	case Failed, Cancelled:
		return "", t.refFailure("$" + t.key + ".output")
	}
	return t.out.Text, nil
}

// Value returns the typed output. When the node was skipped, failed or was
// cancelled, reading fails; ref is how the workflow wrote the reference.
func (t *Task[T]) Value(ref string) (T, error) {
	if t.doubt != nil {
		t.doubt.read(ref, t.status != Completed)
	}
	if t.status != Completed {
		var zero T
		return zero, t.refFailure(ref)
	}
	return t.out.Value, nil
}

// Out returns the output of a node that is known to have completed: the
// compiler uses it only where the trigger rule guarantees that.
func (t *Task[T]) Out() Output[T] {
	if t.doubt != nil {
		t.doubt.read("$"+t.key+".output", t.status != Completed)
	}
	if t.status != Completed {
		panic(fmt.Sprintf("node %s is read although it is %s", t.key, t.status))
	}
	return t.out
}

func (t *Task[T]) refFailure(ref string) error {
	why := "was skipped"
	switch t.status {
	case Failed:
		why = "failed"
	case Cancelled:
		why = "was cancelled"
	case Pending:
		why = "has not run"
	}
	return &Failure{Reason: "reference", Message: fmt.Sprintf("'%s' cannot be read: node '%s' %s, so it has no output", ref, t.key, why)}
}

// Approved reports whether what a reviewed step made was accepted: by the person
// who was asked, or by the one who gave it as an input. It is false when the step
// was skipped.
func Approved[T any](t *Task[T]) bool {
	if t.doubt != nil && t.doubt.maybe {
		t.doubt.read(t.key+".approved", true)
	}
	return t.status == Completed
}

// StandIn returns what stands for the output, or for the part of it that a path
// leads to, when nobody knows it; see Unknown.
func (t *Task[T]) StandIn(path ...string) (text string, ok bool) {
	if t.doubt == nil || t.doubt.unknown == nil {
		return "", false
	}
	return t.doubt.unknown.Text(t.key, path...), true
}

// FinalText returns the whole output of a settled node, or "" when it did not
// complete. Unlike Text it never fails: it is for a workflow's outputs, which
// are collected however the nodes ended.
func (t *Task[T]) FinalText() string {
	if t.status != Completed {
		return ""
	}
	return t.out.Text
}

// Final returns the typed output of a settled node, or its type's zero value
// when it did not complete: nil for the pointers to structs that generated code
// uses.
func (t *Task[T]) Final() T {
	if t.status != Completed {
		var zero T
		return zero
	}
	return t.out.Value
}

// FinalValue returns a pointer to the typed output of a settled node, or nil when it did
// not complete.
func (t *Task[T]) FinalValue() *T {
	if t.status != Completed {
		return nil
	}
	return &t.out.Value
}

// FinalJSON returns the output of a settled node whose text is JSON, or nil when
// it did not complete.
func (t *Task[T]) FinalJSON() json.RawMessage {
	if t.status != Completed || !json.Valid([]byte(t.out.Text)) {
		return nil
	}
	return json.RawMessage(t.out.Text)
}

// Session returns the session of the agent of the first of the nodes that
// completed and has one, or "": the conversation that a prompt goes on with.
func Session(nodes ...Dependency) string {
	for _, n := range nodes {
		if s := n.session(); s != "" && n.State() == Completed {
			return s
		}
	}
	return ""
}
