package flow

import (
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Kernel has the methods of a Context that packages steps and graph need to build nodes
// of several parts. Each part is a separate step in the journal; the node's own record has
// its status and its result. Workflows do not use it.
type Kernel Context

// Kernel returns the context's methods for packages that define kinds of nodes.
func (c *Context) Kernel() *Kernel { return (*Kernel)(c) }

// Node returns the state of the node whose code runs.
func (k *Kernel) Node() *NodeState { return k.node }

// Fresh reports whether the node performs its actions again although an earlier process
// of the run completed them.
func (k *Kernel) Fresh() bool { return k.spec.fresh }

// Begin journals the status of the node: Running, or Waiting if it has an open question.
// See Engine.Begin. It does nothing for a node whose record NodeState.Replayed protects.
func (k *Kernel) Begin(s Status) {
	if !k.node.Replayed {
		k.engine.Begin(k.node.Key, s)
	}
}

// Replayed reports whether an earlier process of the run completed the part of the node
// with this suffix.
func (k *Kernel) Replayed(suffix string) bool {
	if k.spec.fresh {
		return false
	}
	_, ok := k.engine.Recorded(k.key + suffix)
	return ok
}

// Part returns a context for the part of the node with this suffix. The part runs on
// engine e and has a NodeState of its own.
func (k *Kernel) Part(e Engine, suffix string) *Context {
	part := Context(*k)
	part.engine, part.key = e, k.key+suffix
	part.node = &NodeState{Key: k.node.Key, maybe: k.node.maybe}
	return &part
}

// Visit returns a context for a node of a state graph, whose steps have keys that begin
// with key. limit and r are the timeout and the retry policy of each of its actions.
func (k *Kernel) Visit(e Engine, key string, n NodeState, limit time.Duration, r Retry) *Context {
	return &Context{engine: e, flow: k.flow, key: key, spec: nodeSettings{timeout: limit, retry: r}, node: &n}
}

// Recover calls fn. A panic becomes a failure that names the place, which in a built
// workflow is a line of the YAML file.
func (k *Kernel) Recover(fn func() error) error {
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
func (k *Kernel) Decide(condition func() (bool, error)) (holds bool, open *UndecidedError, err error) {
	before := k.flow.plan.deciding
	k.flow.plan.deciding = k.flow.plan.doubtful
	holds, err = guard(condition)
	k.flow.plan.deciding = before
	if errors.As(err, &open) {
		return false, open, nil
	}
	return holds, nil, err
}

// LastUnknown returns the placeholder of the unknown output that the step read last, or nil.
func (k *Kernel) LastUnknown() Unknown {
	if k.flow.plan.seen == nil {
		return nil
	}
	return k.flow.plan.seen.unknown
}

// Note adds a remark about the node to a plan.
func (k *Kernel) Note(format string, args ...any) {
	k.engine.Log(Event{Type: kernel.EventNote, Key: k.node.Key, Message: fmt.Sprintf(format, args...)})
}
