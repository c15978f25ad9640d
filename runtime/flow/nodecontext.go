package flow

import (
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A NodeContext has the methods of a Context that packages steps and graph need to build
// nodes of several parts. Each part is a separate step in the journal; the node's own
// record has its status and its result. Workflows do not use it.
type NodeContext Context

// Node returns the context's methods for packages that define kinds of nodes.
func (c *Context) Node() *NodeContext { return (*NodeContext)(c) }

// State returns the state of the node whose code runs.
func (c *NodeContext) State() *NodeState { return c.node }

// Fresh reports whether the node performs its actions again although an earlier process
// of the run completed them.
func (c *NodeContext) Fresh() bool { return c.spec.fresh }

// Begin journals the status of the node: Running, or Waiting if it has an open question.
// See Engine.Begin. It does nothing if NodeState.Repeated is set.
func (c *NodeContext) Begin(s Status) {
	if !c.node.Repeated {
		c.engine.Begin(c.node.Key, s)
	}
}

// PartCompleted reports whether an earlier process of the run completed the part of the
// node with this suffix.
func (c *NodeContext) PartCompleted(suffix string) bool {
	if c.spec.fresh {
		return false
	}
	_, ok := c.engine.Recorded(c.key + suffix)
	return ok
}

// Part returns a context for the part of the node with this suffix. The part runs on
// engine e and has a NodeState of its own.
func (c *NodeContext) Part(e Engine, suffix string) *Context {
	part := Context(*c)
	part.engine, part.key = e, c.key+suffix
	part.node = &NodeState{Key: c.node.Key, maybe: c.node.maybe}
	return &part
}

// Visit returns a context for a node of a state graph, whose steps have keys that begin
// with key. limit and r are the timeout and the retry policy of each of its actions.
func (c *NodeContext) Visit(e Engine, key string, n NodeState, limit time.Duration, r Retry) *Context {
	return &Context{engine: e, flow: c.flow, key: key, spec: nodeSettings{timeout: limit, retry: r}, node: &n}
}

// Recover calls fn. A panic becomes a failure that names the place, which in a built
// workflow is a line of the YAML file.
func (c *NodeContext) Recover(fn func() error) error {
	_, err := guard(func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

func guard[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case kernel.Unwind:
			panic(p)
		case *UndecidedError:
			err = p
		default:
			err = &Failure{Reason: "panic", Class: ClassFatal, Message: kernel.PanicMessage(p)}
		}
	}()
	return fn()
}

// Decide evaluates a condition of the node. In a plan, open is not nil if the condition
// depends on an output that is not known.
func (c *NodeContext) Decide(condition func() (bool, error)) (holds bool, open *UndecidedError, err error) {
	before := c.flow.plan.deciding
	c.flow.plan.deciding = c.flow.plan.doubtful
	holds, err = guard(condition)
	c.flow.plan.deciding = before
	if errors.As(err, &open) {
		return false, open, nil
	}
	return holds, nil, err
}

// LastUnknown returns the placeholder of the unknown output that the step read last, or nil.
func (c *NodeContext) LastUnknown() Unknown {
	if c.flow.plan.seen == nil {
		return nil
	}
	return c.flow.plan.seen.unknown
}

// Note adds a remark about the node to a plan.
func (c *NodeContext) Note(format string, args ...any) {
	c.engine.Log(Event{Type: kernel.EventNote, Key: c.node.Key, Message: fmt.Sprintf(format, args...)})
}
