package durable

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// A run whose files are on one worker sends its actions to that worker's own queue. An
// action that waits there too long waits behind others, or the worker is dead. To find out, the
// run sends a probe to a second queue, on which the worker only answers.

// probe asks whether the worker lives on whose queue an action waited too long.
func (r *run) probe(t *attempt) {
	if t.cancelled {
		t.cancelled = false // the action has not begun, so there is nothing to cancel
	}
	t.probes = true
	r.begin(t, r.ping(), wire.Ping)
}

// ping are the options of a probe.
func (r *run) ping() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue: r.place.Probe, ScheduleToStartTimeout: probing, StartToCloseTimeout: probing,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}, Summary: "probe " + r.place.Worker,
	}
}

// probed handles the outcome of a probe, and reports whether the attempt is over.
func (r *run) probed(t *attempt, err error) bool {
	t.probes = false
	switch {
	case t.cancelled:
		r.done(t.key, flow.Result{Status: flow.Cancelled})
	case err == nil:
		r.perform(t)
		return false
	case r.in.Options.DeadWorker == wire.DeadMove:
		r.move(t)
	default:
		r.done(t.key, failed("worker", "%s", goneMessage(r.place.Worker)))
	}
	return true
}

// move makes the run leave its worker: the process ends, and the next one finds a worker.
// Actions that waited there were not begun.
func (r *run) move(t *attempt) {
	for _, waited := range r.attempts {
		if s := r.steps[r.index[waited.key]]; (waited == t || waited.probes) && s.Status == flow.Running {
			s.Status = flow.Pending
			r.put(s)
		}
	}
	if !r.moving {
		r.moving = true
		r.mail = append(r.mail, sched.Stop{})
	}
}
