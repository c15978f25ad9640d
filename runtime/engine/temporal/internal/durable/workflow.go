// Package durable has the code of a run inside a Temporal workflow: the scheduler of all
// engines, with Temporal's activities, timers and messages as its world.
//
// All code here runs again, with the recorded history, on any worker that gets the
// workflow. So it reads no clock, file or environment but through the workflow.
package durable

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// Workflow returns the Temporal workflow of a definition. It is registered under the
// definition's name.
//
// A run that completed or paused completes the workflow. One that failed, or reached a
// limit, fails it with an error of that type; a cancelled one cancels it. The result, or the
// details of the error, are a wire.Final. values is the data converter of the worker.
func Workflow(def *flow.Definition, values converter.DataConverter) func(workflow.Context, wire.Start) (*wire.Final, error) {
	return func(ctx workflow.Context, in wire.Start) (*wire.Final, error) {
		return executeWorkflow(ctx, def, values, in)
	}
}

// executeWorkflow works on a run until its workflow ends.
func executeWorkflow(ctx workflow.Context, def *flow.Definition, values converter.DataConverter, in wire.Start) (*wire.Final, error) {
	r := newRun(ctx, def, values, in)
	if err := r.setHandlers(); err != nil {
		return nil, err
	}
	r.publish()
	if r.kept.Place == nil {
		if err := r.prepareFolders(); err != nil {
			return r.finishWorkflow(r.unpreparedState(err))
		}
	}
	end, err := r.runUntilEnd()
	if next, ok := errors.AsType[*successor](err); ok {
		return nil, workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, next.start)
	}
	if err != nil {
		return nil, err
	}
	return r.finishWorkflow(end)
}

// run is the state of a run in its workflow.
type run struct {
	// outer is the context of the workflow. ctx outlives its cancellation, because a cancelled
	// run waits for the ends of its steps and cleans up.
	ctx, outer workflow.Context
	def        *flow.Definition
	// in is the message that began the workflow, and kept what the run has become since.
	in   wire.Start
	kept journal

	published publisher
	state     flow.RunState
	// finished is when the run ended.
	finished time.Time
	// cancel is the request for the run's cancellation, or nil.
	cancel *wire.Cancellation
	// suspended means that the run must end where it is.
	suspended bool
	// began are the steps whose children began in this workflow.
	began map[string]bool

	attempts []*attempt
	alarm    alarm
	signals  []workflow.ReceiveChannel

	process process
	// died means that the process before this one left its worker, or ended with it.
	died bool
	// clocks are the starts of the time limits that run.
	clocks map[string]time.Time
	// lost counts the workers that were lost with a step, by its key.
	lost map[string]int
}

// A process is a call of the scheduler, and what it has heard.
type process struct {
	// mail is what the scheduler gets next.
	mail []sched.Signal
	// told counts the answers that the scheduler has. cancelTold and handing mean that it has
	// the signals of the cancellation and of the end of the history.
	told       int
	cancelTold bool
	handing    bool
	// moving means that the run leaves its worker, which is dead.
	moving bool
	// asked means that the scheduler has asked for signals and hasn't ended. Before and after, it
	// knows no child.
	asked bool
}

func (p *process) signal(s sched.Signal) { p.mail = append(p.mail, s) }

func newRun(ctx workflow.Context, def *flow.Definition, values converter.DataConverter, in wire.Start) *run {
	in.Run.ID = workflow.GetInfo(ctx).WorkflowExecution.ID // a schedule adds the time to it
	r := &run{
		outer: ctx, def: def, in: in, kept: newJournal(def, in.Kept), cancel: in.Cancel,
		published: publisher{values: values, searchable: in.Options.Attributes},
		state:     flow.RunState{Status: flow.Running}, began: map[string]bool{}, died: in.Died, clocks: in.Clocks, lost: in.Lost,
	}
	if p := in.Place; p != nil {
		r.kept.Run.SharedDir = p.SharedDir // which the message of the run does not have
	}
	r.ctx, _ = workflow.NewDisconnectedContext(ctx)
	if r.kept.Created.IsZero() {
		r.kept.Created = workflow.Now(ctx)
	}
	return r
}

// A successor is the error that ends a workflow whose run continues in a new one.
type successor struct{ start wire.Start }

func (*successor) Error() string { return "the run continues in a new workflow" }

// runUntilEnd works on the run until it has ended, process by process. A process ends when the
// run only waits for people, and when the history is long.
func (r *run) runUntilEnd() (flow.RunState, error) {
	for {
		if err := r.holdLocks(); err != nil {
			return r.unpreparedState(err), nil
		}
		if r.clocks == nil {
			r.clocks = map[string]time.Time{}
		}
		r.process = process{}
		end, err := sched.Run(r, &r.kept.Run, slices.Clone(r.kept.Steps), sched.Options{
			MaxParallel: r.kept.Options.MaxParallel, Nodes: r.def.Nodes, Returns: r.def.Returns,
			OnInterrupt: r.kept.Options.OnInterrupt, Limits: r.kept.Options.Limits, Died: r.died, Clocks: r.clocks,
		}, r.def.Flow)
		r.died, r.process.asked = false, false
		if !errors.Is(err, sched.ErrHandedOver) {
			r.clocks = nil
		}
		switch {
		case r.process.moving:
			r.process.moving, r.died, r.attempts = false, true, nil
			if err := r.prepareFolders(); err != nil {
				return r.unpreparedState(err), nil
			}
			continue
		case errors.Is(err, sched.ErrHandedOver) && r.suspended:
			return flow.RunState{Status: flow.Paused, Reason: ReasonSuspended}, nil
		case errors.Is(err, sched.ErrHandedOver):
			return end, r.handOver()
		case err != nil:
			return end, err
		case end.Status != flow.Paused || end.Reason != "":
			return end, nil
		}
		if err := r.waitWhilePaused(); err != nil {
			return end, err
		}
		if r.suspended {
			return flow.RunState{Status: flow.Paused, Reason: ReasonSuspended}, nil
		}
		r.publish()
	}
}

// ReasonSuspended is the reason of a run that ended to be resumed by another build.
const ReasonSuspended = "suspended"

// handOver returns the error that begins the next workflow of the run.
func (r *run) handOver() error {
	r.process.handing = true
	r.collectSignals() // the next workflow gets what arrived meanwhile
	return &successor{wire.Start{Kept: r.kept.Kept, Near: r.in.Near, Cancel: r.cancel, Clocks: r.clocks, Lost: r.lost}}
}

// waitWhilePaused waits until a run that only waits for people has something to do: an answer, a
// deadline, news of a child, or its end by a person.
func (r *run) waitWhilePaused() error {
	r.process.mail, r.process.told, r.process.cancelTold = nil, len(r.kept.Answers), false
	r.keepArtifacts()
	r.tellParent(true)
	r.letGo()
	r.waitForNews(r.kept.nextDeadline())
	r.state = flow.RunState{Status: flow.Running}
	r.tellParent(false)
	if r.hasLongHistory() && !r.suspended {
		return r.handOver()
	}
	return nil
}

// publish shows the state of the run in lists.
func (r *run) publish() { r.published.publish(r.ctx, r.kept.Run.ID, r.state.Status, &r.kept) }

// finishWorkflow ends the workflow.
func (r *run) finishWorkflow(end flow.RunState) (*wire.Final, error) {
	r.state, r.finished = end, r.Now()
	r.publish()
	r.keepArtifacts()
	if p := r.kept.Parent; p != nil {
		result := wire.Result(sched.ChildResult(r.kept.Run.ID, end, r.kept.Steps))
		r.signalWorkflow(p.Run, wire.ChildNews, wire.News{Step: p.Step, Result: &result, Work: r.commitForParent()})
	}
	r.releasePlace()
	if !workflow.AllHandlersFinished(r.ctx) {
		r.awaitCondition(func() bool { return workflow.AllHandlersFinished(r.ctx) })
	}
	final := r.snapshot()
	message := cmp.Or(end.Error, end.Reason)
	switch end.Status {
	case flow.Failed:
		return nil, temporal.NewNonRetryableApplicationError(message, wire.TypeFailed, nil, *final)
	case flow.LimitReached:
		return nil, temporal.NewNonRetryableApplicationError(message, wire.TypeLimit, nil, *final)
	case flow.Cancelled:
		return nil, temporal.NewCanceledError(*final)
	}
	return final, nil
}

// snapshot returns the run as commands show it. A run that has an answer no longer waits.
func (r *run) snapshot() *wire.RunState {
	end := r.state
	if !r.process.asked && end.Status == flow.Paused && r.finished.IsZero() && r.process.told < len(r.kept.Answers) {
		end = flow.RunState{Status: flow.Running}
	}
	return &wire.RunState{Kept: r.kept.Clone(), End: end, Finished: r.finished}
}

func (r *run) workspaceKind() string {
	if w := r.kept.Options.Workspace; w != "" {
		return w
	}
	return wire.WorkspaceHost
}

// causeMessage is the message of an error without the words that Temporal adds.
func causeMessage(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return err.Error()
}
