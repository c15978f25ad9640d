package flow

import (
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Kernel is the inside of a Context. It is exported because packages steps and graph
// are built on it: they make nodes of parts, each a step of its own in the journal,
// while the node's own record says whether it runs or waits, and how it ended.
// Workflows have no use for it.
type Kernel Context

// A NodeState is what the contexts of one node, or of a part with its own account,
// share. Packages steps and graph keep account in it.
type NodeState struct {
	// Key is the key of the node.
	Key string
	// Session is the session of the agent that spoke last.
	Session string
	// Unknown is set in plans if the output is not known.
	Unknown kernel.Unknown
	// Spent is the cost of the node's parts. The cost of an action under the node's own
	// key is in the node's record already.
	Spent Meta
	// Last is the key of the last action or question.
	Last string
	// Memory is appended to the prompts of agents that have a memory; see MemoryRule.
	Memory string
	// Replayed means that the node's own record is newer than its code: nothing is
	// journalled under the node's key.
	Replayed bool
	// cancels is the reason for which the node's code cancelled the run.
	cancels string
	// maybe means that the node may be skipped; see plan.go.
	maybe bool
}

// Take adds the results of a part to the node: its cost, its agent's session, its
// unknown output, and that it cancelled the run.
func (n *NodeState) Take(part *NodeState) {
	n.Spent = n.Spent.Plus(part.Spent)
	n.Session = part.Session
	if part.cancels != "" {
		n.cancels = part.cancels
	}
	if part.Unknown != nil {
		n.Unknown = part.Unknown
	}
}

// nodeSettings are the settings of a node that its actions inherit.
type nodeSettings struct {
	timeout time.Duration
	retry   Retry
	fresh   bool
}

// flowState is what the tasks of one flow share.
type flowState struct {
	tasks []Dependency
	// deliveries are settled when outputs of tasks are delivered, or cannot be.
	deliveries []*Future
	cancelled  bool
	reason     string
	// doubtful means that something about a task is uncertain, and deciding that a
	// condition is being decided; see plan.go.
	doubtful, deciding bool
	// seen is the last unknown output that was read; see planned.
	seen *doubt
	// sequence means that the tasks are steps, one after the other; broken, that one of
	// them failed, so that none follows; stopped, that one did not start because the
	// run was cancelled.
	sequence, broken, stopped bool
	// halts means that a failure breaks the flow although its tasks are not steps.
	halts bool
}

// Kernel returns the inside of the context.
func (c *Context) Kernel() *Kernel { return (*Kernel)(c) }

// Node returns the state of the node whose code runs.
func (k *Kernel) Node() *NodeState { return k.node }

// Fresh reports whether the node performs its actions again although an earlier process
// of the run completed them.
func (k *Kernel) Fresh() bool { return k.spec.fresh }

// Begin journals that the node runs, or waits for a person.
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

// Part returns a context for the part of the node with this suffix, which runs on
// engine e and keeps its own account.
func (k *Kernel) Part(e Engine, suffix string) *Context {
	part := Context(*k)
	part.engine, part.key = e, k.key+suffix
	part.node = &NodeState{Key: k.node.Key, maybe: k.node.maybe}
	return &part
}

// Visit returns a context for a node of a state graph, whose steps have keys that begin
// with key.
func (k *Kernel) Visit(e Engine, key string, n NodeState, limit time.Duration, r Retry) *Context {
	return &Context{engine: e, flow: k.flow, key: key, spec: nodeSettings{timeout: limit, retry: r}, node: &n}
}

// Guard calls fn. A panic becomes a failure that names the place, which in a built
// workflow is a line of the YAML file.
func (k *Kernel) Guard(fn func() error) error {
	_, err := guard(func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

func guard[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case kernel.Unwind:
			panic(p)
		case *kernel.Undecided:
			err = p
		default:
			err = &Failure{Reason: "panic", Class: ClassFatal, Message: kernel.PanicMessage(p)}
		}
	}()
	return fn()
}

// Decide decides a condition between two parts. In plans, open is set if the condition
// depends on an unknown output.
func (k *Kernel) Decide(condition func() (bool, error)) (holds bool, open *kernel.Undecided, err error) {
	before := k.flow.deciding
	k.flow.deciding = k.flow.doubtful
	holds, err = guard(condition)
	k.flow.deciding = before
	if errors.As(err, &open) {
		return false, open, nil
	}
	return holds, nil, err
}

// Seen returns the placeholder of the unknown output that the step read last, or nil.
func (k *Kernel) Seen() kernel.Unknown {
	if k.flow.seen == nil {
		return nil
	}
	return k.flow.seen.unknown
}

// Note adds a remark about the node to a plan.
func (k *Kernel) Note(format string, args ...any) {
	k.engine.Log(Event{Type: kernel.EventNote, Key: k.node.Key, Message: fmt.Sprintf(format, args...)})
}
