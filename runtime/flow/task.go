package flow

import (
	"encoding/json"
	"fmt"
	"time"
)

// An Output is the output of a node. Text is the text that the journal has, Value the
// decoded form of it.
type Output[T any] struct {
	Text  string
	Value T
}

// A Node is the definition of a node whose output has type T.
type Node[T any] struct {
	// Key is the node's id: its step's key.
	Key string
	// After are the dependencies, in order.
	After []Dependency
	// Order are nodes that must be settled before this one runs, whatever their status;
	// Rule does not see them.
	Order []Dependency
	// Rule is the trigger rule; nil is AllSuccess.
	Rule Rule
	// When is the condition, decided once after Rule; nil always holds. An error fails
	// the node.
	When func() (bool, error)
	// Kind is the node's kind for people: "bash", "prompt", ….
	Kind string
	// Timeout and Retry apply to each action of the node.
	Timeout time.Duration
	Retry   Retry
	// AlwaysRun performs the node again in each process of the run.
	AlwaysRun bool
	// Given returns an output that replaces the node's own, if ok is true: the node is
	// skipped, and other nodes read the output as if the node had completed. An error
	// fails the node. Spawn ignores Given; nil means that the node is never replaced.
	Given func() (text string, ok bool, err error)
	// Decode returns the typed value of the output's text. It may be nil only if T is
	// string; then the text is the value.
	Decode func(text string) (T, error)
	// Run performs the node and returns the text of its output.
	Run func(c *Context) (string, error)
}

// A Task is a spawned node: a typed future with a state.
type Task[T any] struct {
	key    string
	done   *Future
	status Status
	reason string
	out    Output[T]
	err    error
	// said is the session of the node's agent, or "".
	said string
	// doubt is set in plans; see plan.go.
	doubt *doubt
	// step means that the node is a step of a sequence.
	step bool
}

func (t *Task[T]) failure() error { return t.err }

func (t *Task[T]) future() *Future { return t.done }

func (t *Task[T]) session() string { return t.said }

func (t *Task[T]) doubts() *doubt { return t.doubt }

// Key returns the node's id.
func (t *Task[T]) Key() string { return t.key }

// State returns the node's state, which is Pending until the node is settled.
func (t *Task[T]) State() Status { return t.status }

// Text returns the text of the output, which is empty if the node was skipped. The error
// is a *Failure of reason "reference" if the node failed or was cancelled.
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

// Value returns the typed output. The error is a *Failure of reason "reference" if the
// node did not complete; ref is the reference in the workflow, for its message.
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

// Out returns the output of a node that has completed, and panics otherwise. The compiler
// writes it only where the trigger rule guarantees completion.
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

// Approved reports whether the output of a reviewed step was accepted, by a reviewer or as
// an input of the run. It is false if the step was skipped.
func (t *Task[T]) Approved() bool {
	if t.doubt != nil && t.doubt.maybe {
		t.doubt.read(t.key+".approved", true)
	}
	return t.status == Completed
}

// StandIn returns the placeholder of an output that is not known, or of its field at path.
// It reports false outside plans and for known outputs.
func (t *Task[T]) StandIn(path ...string) (text string, ok bool) {
	if t.doubt == nil || t.doubt.unknown == nil {
		return "", false
	}
	return t.doubt.unknown.Text(t.key, path...), true
}

// FinalText returns the text of a settled node's output, or "" if it did not complete.
// Unlike Text it never fails: it is for a workflow's outputs, which are collected however
// the nodes ended.
func (t *Task[T]) FinalText() string {
	if t.status != Completed {
		return ""
	}
	return t.out.Text
}

// Final returns the typed output of a settled node, or the zero value if it did not
// complete.
func (t *Task[T]) Final() T {
	if t.status != Completed {
		var zero T
		return zero
	}
	return t.out.Value
}

// FinalValue returns a pointer to the typed output of a settled node, or nil if it did not
// complete.
func (t *Task[T]) FinalValue() *T {
	if t.status != Completed {
		return nil
	}
	return &t.out.Value
}

// FinalJSON returns the output of a settled node as JSON, or nil if it did not complete or
// its output is not JSON.
func (t *Task[T]) FinalJSON() json.RawMessage {
	if t.status != Completed || !json.Valid([]byte(t.out.Text)) {
		return nil
	}
	return json.RawMessage(t.out.Text)
}

// Session returns the session of an agent, for Prompt.Session: that of the first of the
// nodes that completed with a session, or "".
func Session(nodes ...Dependency) string {
	for _, n := range nodes {
		if s := n.session(); s != "" && n.State() == Completed {
			return s
		}
	}
	return ""
}
