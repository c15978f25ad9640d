package enginetest

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// parentCancelled is the reason of a run that was cancelled with its parent.
const parentCancelled = "its parent was cancelled"

// begin begins the run that an action is, or continues it.
func (h host) begin(key string, call flow.Child) {
	child := h.Children[key]
	switch {
	case child == nil:
		var err error
		if child, err = h.Child(key, call); err != nil {
			h.ready = append(h.ready, sched.Done{Key: key, Result: flow.Result{Status: flow.Failed,
				Failure: &flow.Failure{Message: err.Error(), Class: flow.ClassFatal, Reason: "child", ExitCode: -1}}})
			return
		}
		if h.Children == nil {
			h.Children = map[string]*Run{}
		}
		h.Children[key] = child
	case child.end.Status == flow.Completed, child.end.Status == flow.Cancelled && child.end.Reason != parentCancelled:
		h.ready = append(h.ready, sched.Done{Key: key, Result: child.result()})
		return
	}
	h.work(key, child)
}

// work lets a child go on, until it ends or pauses.
func (h host) work(key string, child *Run) {
	ctx, cancel := context.WithCancel(context.Background())
	h.running[key] = cancel
	child.cancelled = ctx.Done()
	go func() {
		end, err := child.Process()
		switch {
		case err != nil:
			h.coming <- sched.Done{Key: key, Result: flow.Result{Status: flow.Failed, Failure: flow.AsFailure(err)}}
		case end.Status == flow.Paused:
			h.coming <- sched.Idle{Key: key}
		case end.Status == flow.Cancelled && end.Reason == parentCancelled:
			h.coming <- sched.Done{Key: key, Result: flow.Result{Status: flow.Cancelled}}
		default:
			h.coming <- sched.Done{Key: key, Result: child.result()}
		}
	}()
}

// End returns how the last process on the run ended; before that it is zero.
func (r *Run) End() flow.RunEnd { return r.end }

// result is the end of the run, for its parent.
func (r *Run) result() flow.Result { return sched.ChildResult(r.Info.ID, r.end, r.Steps) }
