package flow

import "strings"

// RunNodes runs a flow inside the part of a node: an iteration of a loop, or an item of a
// list. spawn spawns its nodes and returns the last ones, in order. Node test in the
// second iteration of node fix is step fix#2.test.
//
// The flow ends when all its nodes are settled. After a node that failed, the others run or
// are skipped by their rules. The result has the first non-blank output of the last nodes
// that completed. The error is the failure of the first node that failed, by definition
// order, or ErrCancelled; a node that cancels the run cancels the part, too.
func (c *NodeContext) RunNodes(spawn func(c *Context) []Dependency) (Result, error) {
	outer := (*Context)(c)
	inner := &flowState{plan: outer.flow.plan, inside: outer.key + ".", fresh: outer.spec.fresh}
	last := spawn(&Context{engine: outer.engine, flow: inner, node: &NodeState{}})
	futures := make([]*Future, len(inner.tasks))
	for i, t := range inner.tasks {
		futures[i] = t.future()
	}
	// Its nodes end before the part does, also if the scope is cancelled.
	if err := outer.engine.AwaitEnded(futures...); err != nil {
		return Result{Status: Cancelled}, err
	}
	outer.node.Spent = outer.node.Spent.Plus(inner.spent)
	if inner.cancelled {
		outer.CancelRun(inner.reason)
		return Result{Status: Cancelled}, ErrCancelled
	}
	if err := inner.failed(); err != nil {
		return Result{Status: Failed}, err
	}
	r := Result{Status: Completed}
	for _, t := range last {
		if d := t.doubts(); d != nil && d.unknown != nil {
			outer.node.Unknown, r.Unknown = d.unknown, d.unknown
		}
		if r.Text == "" && strings.TrimSpace(t.finalText()) != "" {
			r.Text = t.finalText()
		}
	}
	return r, nil
}

// failed returns the failure of the flow's first node that failed, with the node's name,
// ErrCancelled if a node was cancelled, or nil.
func (f *flowState) failed() error {
	cancelled := false
	for _, t := range f.tasks {
		switch t.State() {
		case Failed:
			failure := *AsFailure(t.failure())
			failure.Message = "node '" + t.Key() + "' failed: " + failure.Message
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
