package flow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A NodeContext has the methods of a Context that packages steps and graph need to build
// nodes of several parts. Each part is a separate step in the journal; the node's own
// record has its status and its result. Workflows do not use it.
type NodeContext Context

// Node returns the context's methods for packages that define kinds of nodes.
func (c *Context) Node() *NodeContext { return (*NodeContext)(c) }

// A NodeState is the state that all contexts of one node share, or those of a part that
// NodeContext.PartContext made. Packages steps and graph update it.
type NodeState struct {
	// Key is the key of the node.
	Key string
	// Session is the session of the agent that spoke last.
	Session string
	// Spent is the cost of the node's parts, including their replayed part (see
	// Meta.Replayed). The cost of an action under the node's own key is in the node's
	// record already.
	Spent Meta
	// Last is the key of the last action or question.
	Last string
	// Memory is appended to the prompts of agents that have a memory; see MemoryRule.
	Memory string
	// Repeated means that the code repeats a visit of a state graph which an earlier process
	// finished. The record under the node's key may be that of a later visit, so nothing is
	// journalled under this key.
	Repeated bool
	// cancels is the reason for which the node's code cancelled the run.
	cancels string
	// repeatedPart is the key of the last part whose nodes an earlier process completed; the
	// journal has no record of the part itself.
	repeatedPart string
}

// Add adds the results of a part to the node: it adds the cost, and takes over the
// agent's session and the cancellation of the run.
func (n *NodeState) Add(part *NodeState) {
	n.Spent = n.Spent.Plus(part.Spent)
	n.Session = part.Session
	if part.cancels != "" {
		n.cancels = part.cancels
	}
}

// State returns the state of the node whose code runs.
func (c *NodeContext) State() *NodeState { return c.node }

// Fresh reports whether the node performs its actions again although an earlier process
// of the run completed them.
func (c *NodeContext) Fresh() bool { return c.action.Fresh }

// Begin journals the status of the node: Running, or Waiting if it has an open question.
// See Scheduler.Begin. It does nothing if NodeState.Repeated is set.
func (c *NodeContext) Begin(s Status) {
	if !c.node.Repeated {
		c.scheduler.Begin(c.node.Key, s)
	}
}

// PartCompleted reports whether an earlier process of the run completed the part of the
// node with this suffix.
func (c *NodeContext) PartCompleted(suffix string) bool {
	if c.action.Fresh {
		return false
	}
	if _, ok := c.scheduler.Recorded((*Context)(c).partKey(suffix)); ok {
		return true
	}
	return c.node.repeatedPart == c.key+suffix
}

// PartContext returns a context for the part of the node with this suffix. The part's actions go
// to e, and it has a separate NodeState.
func (c *NodeContext) PartContext(e Scheduler, suffix string) *Context {
	part := Context(*c)
	part.scheduler, part.key = e, part.partKey(suffix)
	part.node = &NodeState{Key: c.node.Key}
	return &part
}

// VisitContext returns a context for one visit of a node of a state graph, and visits nothing.
// The keys of the visit's steps begin with key, and its actions go to e. limit and r are
// the timeout and the retry policy of each action.
func (c *NodeContext) VisitContext(e Scheduler, key string, n NodeState, limit time.Duration, r Retry) *Context {
	return &Context{scheduler: e, flow: c.flow, key: key, action: Action{Timeout: limit, Retry: r}, node: &n}
}

// Recover calls fn. A panic becomes a failure that names the place, which in a built
// workflow is a line of the YAML file.
func (c *NodeContext) Recover(fn func() error) error {
	_, err := callGuarded((*Context)(c), func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

func callGuarded[T any](c *Context, fn func() (T, error)) (v T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case kernel.Unwind:
			panic(p)
		default:
			reason, message := kernel.DescribePanic(p, c.node.Key)
			err = &Failure{Reason: reason, Class: ClassFatal, Message: message}
		}
	}()
	return fn()
}

// symbolicEngine returns the engine if it executes the flow symbolically, otherwise nil.
func (c *Context) symbolicEngine() kernel.Symbolic {
	s, _ := c.scheduler.(kernel.Symbolic)
	return s
}

// Decide evaluates a condition of the step with this key and returns its result. chosen means
// that a symbolic engine has chosen the result (see kernel.Symbolic); then err is nil. The
// error is that of condition, or its panic as a *Failure.
func (c *NodeContext) Decide(key string, condition func() (bool, error)) (holds, chosen bool, err error) {
	holds, err = callGuarded((*Context)(c), func() (bool, error) {
		if s := (*Context)(c).symbolicEngine(); s != nil {
			holds, chosen, err = s.Decide(key, condition)
			return holds, err
		}
		return condition()
	})
	return holds, chosen, err
}

// ReadsSymbol reports whether the node's code has read an output for which a symbolic engine has
// put a symbol.
func (c *NodeContext) ReadsSymbol() bool {
	s := (*Context)(c).symbolicEngine()
	return s != nil && s.HasRead()
}

// Note gives a remark about the node to an engine that describes what the run would do.
func (c *NodeContext) Note(format string, args ...any) {
	if s := (*Context)(c).symbolicEngine(); s != nil {
		s.Note(c.node.Key, fmt.Sprintf(format, args...))
	}
}

// Repeats is Note for the possible numbers of repetitions of a part of the node. If most is 0,
// the number is that of the items of a list.
func (c *NodeContext) Repeats(least, most int) {
	if s := (*Context)(c).symbolicEngine(); s != nil {
		s.Repeats(c.node.Key, least, most)
	}
}

// RunNodes runs a flow inside the part of a node: an iteration of a loop, or an item of a
// list. spawn spawns its nodes and returns the last ones, in order. Node test in the
// second iteration of node fix is step fix#2.test.
//
// The flow ends when all its nodes are settled. After a node that failed, the others run or
// are skipped by their rules. Text of the result is the first non-blank output among the
// nodes that spawn returned and that completed. The error is the failure of the first node
// that failed, by definition order, or ErrCancelled; a node that cancels the run cancels
// the part, too.
func (c *NodeContext) RunNodes(spawn func(c *Context) []AnyTask) (Result, error) {
	outer := (*Context)(c)
	inner := newFlowState(cmp.Or(outer.flow.infos[strings.TrimPrefix(outer.node.Key, outer.flow.inside)], &NodeInfo{}).Inside)
	inner.inside, inner.fresh = outer.key+".", outer.action.Fresh
	last := spawn(&Context{scheduler: outer.scheduler, flow: inner, node: &NodeState{}})
	// Its nodes end before the part does, also if the scope is cancelled.
	if err := outer.scheduler.AwaitEnded(futuresOf(inner.tasks)...); err != nil {
		return Result{Status: Cancelled}, err
	}
	outer.node.Spent = outer.node.Spent.Plus(inner.spent)
	if inner.isRepeated(outer.scheduler) {
		outer.node.repeatedPart = outer.key
	}
	if inner.cancelled {
		outer.CancelRun(inner.reason)
		return Result{Status: Cancelled}, ErrCancelled
	}
	if err := inner.firstFailure(); err != nil {
		return Result{Status: Failed}, err
	}
	r := Result{Status: Completed}
	for _, t := range last {
		if r.Text == "" && strings.TrimSpace(t.finalText()) != "" {
			r.Text = t.finalText()
		}
	}
	return r, nil
}

// isRepeated reports whether an earlier process of the run completed every node that
// completed, so that this process repeats what that one finished.
func (f *flowState) isRepeated(e Scheduler) bool {
	completed := 0
	for _, t := range f.tasks {
		if t.Status() != Completed {
			continue
		}
		if _, ok := e.Recorded(f.inside + t.Key()); !ok {
			return false
		}
		completed++
	}
	return completed > 0
}

// firstFailure returns the failure of the flow's first node that failed, with the node's name,
// ErrCancelled if a node was cancelled, or nil.
func (f *flowState) firstFailure() error {
	cancelled := false
	for _, t := range f.tasks {
		switch t.Status() {
		case Failed:
			failure := *AsFailure(t.failure())
			failure.Message = "node `" + t.Key() + "` failed: " + failure.Message
			return &failure
		case Cancelled:
			cancelled = true
		}
	}
	if cancelled {
		return ErrCancelled
	}
	return nil
}

// PinList keeps a list stable over resumes: in the first process of the run it records
// text, if that is a JSON array, and returns it. Later processes get the recorded array,
// even if the node that makes the list ran again. PinList returns any other text unchanged.
func (c *Context) PinList(text string) string {
	const suffix = "/items"
	if r, ok := c.scheduler.Recorded(c.partKey(suffix)); ok {
		return r.Text
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil || list == nil {
		return text
	}
	c.Node().Begin(Running)
	c.scheduler.Settle(Record{Key: c.key + suffix, Kind: "part", Status: Completed, Text: text})
	return text
}
