package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Output is what a node yields. Text is the recorded original; Value is its
// typed form.
type Output[T any] struct {
	Text  string
	Value T
}

// TextOutput returns the output of a node whose value is its text.
func TextOutput(text string) Output[string] { return Output[string]{Text: text, Value: text} }

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
	future() *Future
	session() string
	doubts() *doubt
	// State is the task's state: Pending until it is settled.
	State() Status
}

type anyTask interface {
	Dependency
	Key() string
	Err() error
}

// After lists dependencies; it exists to be read in generated code.
func After(tasks ...Dependency) []Dependency { return tasks }

// Spawn begins a node. In this order, once its dependencies are settled: a
// step that is recorded as completed is taken from the journal; a cancelled
// run skips it; then its trigger rule, then its condition may skip it; then it
// runs. A panic in its code fails the node with the place of the panic.
func Spawn[T any](c *Context, n Node[T]) *Task[T] {
	return spawn(c, n, &Task[T]{key: n.Key, done: c.engine.NewFuture(), status: Pending})
}

func spawn[T any](c *Context, n Node[T], t *Task[T]) *Task[T] {
	c.group.tasks = append(c.group.tasks, t)
	wait := make([]*Future, 0, len(n.After)+len(n.Order))
	for _, d := range n.After {
		wait = append(wait, d.future())
	}
	for _, d := range n.Order {
		wait = append(wait, d.future())
	}
	c.engine.Spawn(wait, func(e Engine) {
		child := &Context{
			engine: e, group: c.group, key: n.Key, spec: nodeSettings{n.Timeout, n.Retry, n.AlwaysRun},
			node: &nodeState{key: n.Key},
		}
		t.run(child, n)
		t.done.Settle(Result{Status: t.status})
	})
	return t
}

func (t *Task[T]) run(c *Context, n Node[T]) {
	if !n.AlwaysRun {
		if r, ok := c.engine.Recorded(n.Key); ok {
			if r.Reason != "" {
				c.CancelRun(r.Reason)
			}
			c.node.session = r.Meta.Session
			t.finish(c, n, r.Text, nil)
			return
		}
	}
	if c.group.cancelled || c.engine.Await(All) != nil {
		t.skip(c, n.Kind, SkipCancelled)
		return
	}
	if (t.step || c.group.halts) && t.preempted(c, n) {
		return
	}
	if len(n.After) > 0 {
		ends := make([]Status, len(n.After))
		for i, d := range n.After {
			ends[i] = d.State()
		}
		rule := n.Rule
		if rule == nil {
			rule = AllSuccess
		}
		if c.group.doubtful {
			c.weigh(n.After, rule, ends)
		}
		if !rule(ends) {
			t.skip(c, n.Kind, SkipRule)
			return
		}
	}
	if n.When != nil {
		decide := guardPanic[bool]
		if c.group.doubtful {
			decide = c.guess
		}
		ok, err := decide(n.When)
		if err != nil {
			t.finish(c, n, "", err)
			return
		}
		if !ok {
			t.skip(c, n.Kind, SkipCondition)
			return
		}
	}
	run := n.Run
	if t.step {
		run = planned(n.Run)
	}
	text, err := guardPanic(func() (string, error) { return run(c) })
	t.finish(c, n, text, err)
}

func (t *Task[T]) skip(c *Context, kind, reason string) {
	t.status, t.reason, t.doubt = Skipped, reason, c.doubtful()
	c.engine.Settle(Record{Key: t.key, Kind: kind, Status: Skipped, Reason: reason})
}

func (t *Task[T]) finish(c *Context, n Node[T], text string, err error) {
	t.out.Text, t.doubt = text, c.doubtful()
	if stand := c.node.unknown; stand != nil && err == nil {
		text = stand.Text(t.key)
		t.out.Text = text
		stand.Fill(t.key, &t.out.Value)
		if n.Decode != nil && any(t.out.Value) == nil {
			// Of a value of any type nothing can be filled in but a text.
			if v, err := n.Decode(strconv.Quote(text)); err == nil {
				t.out.Value = v
			}
		}
	} else if err == nil {
		t.out.Value, err = n.typed(text)
	}
	t.said = c.node.session
	r := Record{Key: t.key, Kind: n.Kind, Text: text, Meta: c.node.spent}
	if r.Meta != (Meta{}) {
		r.Meta.Session = t.said // a replay must find the same
	}
	switch {
	case err == nil:
		t.status, r.Status, r.Reason = Completed, Completed, c.node.cancels
	case errors.Is(err, ErrCancelled):
		t.status, r.Status, t.err = Cancelled, Cancelled, err
	default:
		c.group.broken = c.group.broken || c.group.halts
		t.status, r.Status, t.err = Failed, Failed, err
		r.Failure = asFailure(err)
	}
	c.engine.Settle(r)
}

// typed makes the typed value of an output's text.
func (n *Node[T]) typed(text string) (v T, err error) {
	if n.Decode == nil {
		if s, ok := any(&v).(*string); ok {
			*s = text
		}
		return v, nil
	}
	v, err = n.Decode(text)
	if err != nil {
		err = &Failure{Reason: "output", Message: fmt.Sprintf("the output of node '%s' does not have its declared form: %v", n.Key, JSONError(err, text))}
	}
	return v, err
}

func asFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Message: err.Error()}
}

func (t *Task[T]) future() *Future { return t.done }

func (t *Task[T]) session() string { return t.said }

// Key returns the node's id.
func (t *Task[T]) Key() string { return t.key }

// State returns the node's state: Pending until it is settled.
func (t *Task[T]) State() Status { return t.status }

// Err returns why the node failed or was cancelled, or nil.
func (t *Task[T]) Err() error { return t.err }

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

// Settle waits for all nodes of the flow and their deliveries, and returns its verdict: an error of
// type *RunCancelled when a node cancelled the run, a *NodesFailed when any
// node failed or none completed, and nil otherwise.
func Settle(c *Context) error {
	futures := make([]*Future, len(c.group.tasks))
	for i, t := range c.group.tasks {
		futures[i] = t.future()
	}
	futures = append(futures, c.group.deliveries...)
	if err := c.engine.Await(All, futures...); err != nil {
		return err
	}
	if c.group.cancelled {
		return &RunCancelled{Reason: c.group.reason}
	}
	if c.group.stopped {
		return ErrCancelled
	}
	verdict := &NodesFailed{}
	completed := false
	for _, t := range c.group.tasks {
		switch t.State() {
		case Completed:
			completed = true
		case Failed:
			verdict.Nodes = append(verdict.Nodes, NodeFailure{t.Key(), t.Err()})
		case Cancelled:
			return ErrCancelled
		}
	}
	if len(verdict.Nodes) > 0 || !completed && !c.group.sequence {
		return verdict
	}
	return nil
}

// RunCancelled is the verdict of a run that one of its nodes cancelled.
type RunCancelled struct{ Reason string }

func (e *RunCancelled) Error() string { return e.Reason }

// Is makes errors.Is(err, ErrCancelled) hold.
func (e *RunCancelled) Is(target error) bool { return target == ErrCancelled }

// NodesFailed is the verdict of a run whose nodes failed, or of which no node
// completed.
type NodesFailed struct{ Nodes []NodeFailure }

// A NodeFailure is one failed node.
type NodeFailure struct {
	Key string
	Err error
}

func (e *NodesFailed) Error() string {
	if len(e.Nodes) == 0 {
		return "no node completed: every node was skipped by its condition or trigger rule"
	}
	var b strings.Builder
	for i, n := range e.Nodes {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "node '%s': %v", n.Key, n.Err)
	}
	return b.String()
}

// DecodeJSON decodes the text of a structured output; generated Decode
// functions use it.
func DecodeJSON[T any](text string) (T, error) {
	var v T
	err := json.Unmarshal([]byte(text), &v)
	return v, err
}
