package durable

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// A run has a place: the worker and the folders, or the branch. Preparing it is not a
// step of the run, so it is retried until it succeeds or can never succeed. A run that
// needs locks waits for them, and has none while it only waits for people.

// busyWait is the longest time between two attempts to take a lock of another run.
const busyWait = 10 * time.Second

// errAway is the error of a run that is cancelled before it has a place.
var errAway = errors.New("cancelled")

// A lostError is the error of a run whose files were on a worker that no longer lives.
type lostError struct{ worker string }

func (e *lostError) Error() string { return goneMessage(e.worker) }

func goneMessage(worker string) string {
	return fmt.Sprintf("the worker %s, which has the files of the run, is gone", worker)
}

// prepareFolders has a worker make the folders of the run.
func (r *run) prepareFolders() error {
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, WaitForCancellation: true, Summary: "prepare the folders",
	})
	switch {
	case r.workspaceKind() == wire.WorkspaceGit:
		ctx = workflow.WithRetryPolicy(ctx, temporal.RetryPolicy{MaximumAttempts: mostPrepares})
	case r.needsLocks():
		ctx = workflow.WithRetryPolicy(ctx, temporal.RetryPolicy{MaximumInterval: busyWait})
	}
	switch near := r.in.Near; {
	case near != nil:
		ctx = workflow.WithTaskQueue(ctx, near.Queue)
	case r.workspaceKind() == wire.WorkspaceHost:
		ctx = workflow.WithTaskQueue(ctx, wire.TagQueue(workflow.GetInfo(r.ctx).TaskQueueName, wire.RunTags(r.def)))
	}
	return r.settlePlace(ctx, wire.Prepare)
}

// settlePlace has a worker prepare the run's place, and keeps the place.
func (r *run) settlePlace(ctx workflow.Context, activity string) error {
	var place wire.Place
	p := wire.Preparation{
		Run: r.in.Run, Workspace: r.workspaceKind(), Worktree: r.kept.Options.Worktree,
		Repository: r.kept.Options.Repository, Base: r.kept.Options.Base, Folder: r.kept.Options.Folder, Old: r.kept.Place,
	}
	if r.kept.Parent != nil {
		p.Parent = r.kept.Parent.Run
	}
	ctx, stop := workflow.WithCancel(ctx)
	future := workflow.ExecuteActivity(ctx, activity, p)
	if r.needsLocks() {
		r.awaitCondition(func() bool { return future.IsReady() || r.signals[1].Len() > 0 || r.outer.Err() != nil })
		if !future.IsReady() {
			stop()
			if future.Get(r.ctx, &place) == nil {
				r.kept.Place = &place // it took the locks meanwhile
			}
			return errAway
		}
	}
	if err := future.Get(ctx, &place); err != nil {
		return err
	}
	r.kept.Place = &place
	r.kept.Run.WorkDir, r.kept.Run.ArtifactsDir, r.kept.Run.LogDir, r.kept.Run.SharedDir = place.WorkDir, place.ArtifactsDir, place.LogDir, place.SharedDir
	r.kept.Run.BaseBranch = cmp.Or(r.kept.Run.BaseBranch, place.BaseBranch)
	if place.Unsaved {
		graphstate.SaveAgain(r.kept.Steps)
		r.kept.Place.Unsaved = false
	}
	return nil
}

// unpreparedState is the end of a run that has no place.
func (r *run) unpreparedState(err error) flow.RunState {
	if errors.Is(err, errAway) {
		r.collectSignals()
		by := "Temporal"
		if r.cancel != nil {
			by = r.cancel.By
		}
		return flow.RunState{Status: flow.Cancelled, Reason: kernel.CancelReason(by)}
	}
	if _, ok := errors.AsType[*lostError](err); ok {
		return flow.RunState{Status: flow.Failed, Error: err.Error()}
	}
	return flow.RunState{Status: flow.Failed, Error: "the folders of the run cannot be made: " + causeMessage(err)}
}

// needsLocks reports whether the run needs locks of its worker.
func (r *run) needsLocks() bool {
	return r.workspaceKind() == wire.WorkspaceHost && (r.def.ExclusiveCheckout || r.def.Graph != nil)
}

// holdLocks takes the locks of the run unless it has them.
func (r *run) holdLocks() error {
	for r.needsLocks() && !r.kept.Place.Held {
		ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
			TaskQueue: r.kept.Place.Queue, ScheduleToStartTimeout: patience, StartToCloseTimeout: time.Minute, WaitForCancellation: true,
			RetryPolicy: &temporal.RetryPolicy{MaximumInterval: busyWait}, Summary: "take the locks",
		})
		err := r.settlePlace(ctx, wire.Hold)
		var timeout *temporal.TimeoutError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &timeout) || timeout.TimeoutType() != enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
			return err
		}
		ping := workflow.WithActivityOptions(r.ctx, r.probeOptions())
		if workflow.ExecuteActivity(ping, wire.Ping).Get(ping, nil) == nil {
			continue
		}
		if r.kept.Options.DeadWorker != wire.DeadMove {
			return &lostError{r.kept.Place.Worker}
		}
		r.died = true
		if err := r.prepareFolders(); err != nil {
			return err
		}
	}
	return nil
}

// letGo gives back the locks of the run.
func (r *run) letGo() {
	if r.kept.Place == nil || !r.kept.Place.Held {
		return
	}
	r.giveBack()
	place := *r.kept.Place
	place.Held = false
	r.kept.Place = &place
}

// releasePlace gives back everything that the preparation of the run took.
func (r *run) releasePlace() {
	if r.kept.Place != nil && r.kept.Place.Git != nil {
		r.giveBack()
	}
	r.letGo()
}

// giveBack has a worker give back everything that it took for the run. The locks of a dead
// worker are free already.
func (r *run) giveBack() {
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		TaskQueue: r.kept.Place.Queue, ScheduleToCloseTimeout: time.Minute, Summary: "give back what the run took",
	})
	if err := workflow.ExecuteActivity(ctx, wire.Release, wire.Returned{Run: r.kept.Run, Place: *r.kept.Place}).Get(ctx, nil); err != nil {
		workflow.GetLogger(r.ctx).Warn("the folders and locks of the run were not released", "error", err)
	}
}

// A run whose files are on one worker sends its actions to that worker's own queue. An
// action that waits there too long waits behind others, or the worker is dead. To find out, the
// run sends a probe to a second queue, on which the worker only answers.

// probeWorker asks whether the worker lives on whose queue an action waited too long.
func (r *run) probeWorker(t *attempt) {
	if t.cancelled {
		t.cancelled = false // the action has not begun, so there is nothing to cancel
	}
	t.probes = true
	r.beginActivity(t, r.probeOptions(), wire.Ping)
}

// probeOptions are the options of a probe.
func (r *run) probeOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue: r.kept.Place.Probe, ScheduleToStartTimeout: probing, StartToCloseTimeout: probing,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}, Summary: "probe " + r.kept.Place.Worker,
	}
}

// handleProbed handles the outcome of a probe, and reports whether the attempt is over.
func (r *run) handleProbed(t *attempt, err error) bool {
	t.probes = false
	switch {
	case t.cancelled:
		r.signalDone(t.key, flow.Result{Status: flow.Cancelled})
	case err == nil:
		r.performAttempt(t)
		return false
	case r.kept.Options.DeadWorker == wire.DeadMove:
		r.leaveWorker(t)
	default:
		r.signalDone(t.key, failedResult("worker", "%s", goneMessage(r.kept.Place.Worker)))
	}
	return true
}

// leaveWorker makes the run leave its worker: the process ends, and the next one finds a worker.
// Actions that waited there were not begun.
func (r *run) leaveWorker(t *attempt) {
	for _, waited := range r.attempts {
		if s := r.kept.Steps[r.kept.index[waited.key]]; (waited == t || waited.probes) && s.Status == flow.Running {
			s.Status = flow.Pending
			r.kept.putStep(s)
		}
	}
	if !r.process.moving {
		r.process.moving = true
		r.process.signal(sched.Stop{})
	}
}
