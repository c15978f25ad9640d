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
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
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
	r := newRun(ctx, def, in)
	r.values = values
	if err := r.setHandlers(); err != nil {
		return nil, err
	}
	r.publishAttributes()
	if r.place == nil {
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
	values     converter.DataConverter
	in         wire.Start
	info       flow.RunInfo
	place      *wire.Place

	steps   []flow.Record
	index   map[string]int // of steps, by key
	events  []flow.Event
	dropped int // how many events were before them
	answers []store.Answer
	// approvals are the answers of single people to questions that need several.
	approvals []runstore.Approval
	state     flow.RunState
	// finished is when the run ended.
	finished time.Time
	// cancel is the request for the run's cancellation, or nil.
	cancel *wire.Cancellation
	// suspended means that the run must end where it is.
	suspended bool
	children  []wire.Begun
	// began are the steps whose children began in this workflow.
	began map[string]bool
	typed []string // the nodes that declare an artifact type
	shown attributes

	attempts []*attempt
	alarm    alarm
	signals  []workflow.ReceiveChannel

	// The rest is of the current process: a call of the scheduler.
	mail []sched.Signal
	// told counts the answers that the scheduler has. cancelTold and handing mean that it has
	// the signals of the cancellation and of the end of the history.
	told       int
	cancelTold bool
	handing    bool
	// moving means that the run leaves its worker, which is dead.
	moving bool
	died   bool
	// resting means that no scheduler runs, or that it hasn't asked for signals yet, so that it knows
	// no child.
	resting bool
	// clocks are the starts of its time limits.
	clocks map[string]time.Time
	// lost counts the workers that were lost with a step, by its key.
	lost map[string]int
}

// mostEvents is how many events of a run are kept, the newest.
const mostEvents = 1000

func newRun(ctx workflow.Context, def *flow.Definition, in wire.Start) *run {
	in.Run.ID = workflow.GetInfo(ctx).WorkflowExecution.ID // a schedule adds the time to it
	r := &run{
		outer: ctx, def: def, in: in, info: in.Run, place: in.Place, index: map[string]int{}, began: map[string]bool{}, typed: artifactNodeIDs(def.Nodes, ""),
		events: in.Events, dropped: in.Dropped, answers: in.Answers, approvals: in.Approvals, cancel: in.Cancel, children: in.Children,
		state: flow.RunState{Status: flow.Running}, resting: true, died: in.Died, clocks: in.Clocks, lost: in.Lost,
	}
	if p := in.Place; p != nil {
		r.info.SharedDir = p.SharedDir // which the message of the run does not have
	}
	r.ctx, _ = workflow.NewDisconnectedContext(ctx)
	if r.in.Created.IsZero() {
		r.in.Created = workflow.Now(ctx)
	}
	if in.Steps == nil {
		for _, n := range def.Nodes {
			in.Steps = append(in.Steps, flow.Record{Key: n.Key, Kind: n.Kind, Status: flow.Pending})
		}
	}
	for _, s := range in.Steps {
		r.putStep(s)
	}
	return r
}

// putStep makes s the state of its step.
func (r *run) putStep(s flow.Record) {
	if i, ok := r.index[s.Key]; ok {
		r.steps[i] = s
		return
	}
	r.index[s.Key] = len(r.steps)
	r.steps = append(r.steps, s)
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
		r.mail, r.told, r.cancelTold, r.handing = nil, 0, false, false
		end, err := sched.Run(r, &r.info, slices.Clone(r.steps), sched.Options{
			MaxParallel: r.in.Options.MaxParallel, Nodes: r.def.Nodes, Returns: r.def.Returns,
			OnInterrupt: r.in.Options.OnInterrupt, Limits: r.in.Options.Limits, Died: r.died, Clocks: r.clocks,
		}, r.def.Flow)
		r.died, r.resting = false, true
		if !errors.Is(err, sched.ErrHandedOver) {
			r.clocks = nil
		}
		switch {
		case r.moving:
			r.moving, r.died, r.attempts = false, true, nil
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
		r.publishAttributes()
	}
}

// ReasonSuspended is the reason of a run that ended to be resumed by another build.
const ReasonSuspended = "suspended"

// handOver returns the error that begins the next workflow of the run.
func (r *run) handOver() error {
	next := r.in
	next.Run, next.Place = r.info, r.place
	next.Steps, next.Events = r.steps, r.events
	next.Dropped = r.dropped
	next.Died, r.handing = false, true
	next.Clocks, next.Lost = r.clocks, r.lost
	r.collectSignals() // the next workflow gets what arrived meanwhile
	next.Answers, next.Approvals, next.Cancel, next.Children = r.answers, r.approvals, r.cancel, r.children
	return &successor{next}
}

// waitWhilePaused waits until a run that only waits for people has something to do: an answer, a
// deadline, news of a child, or its end by a person.
func (r *run) waitWhilePaused() error {
	var wake time.Time
	for _, s := range r.steps {
		if s.Status == flow.Waiting && !s.Deadline.IsZero() && (wake.IsZero() || s.Deadline.Before(wake)) {
			wake = s.Deadline
		}
	}
	r.mail, r.told, r.cancelTold = nil, len(r.answers), false
	r.keepArtifacts()
	r.tellParent(true)
	r.letGo()
	r.waitForNews(wake)
	r.state = flow.RunState{Status: flow.Running}
	r.tellParent(false)
	if r.hasLongHistory() && !r.suspended {
		return r.handOver()
	}
	return nil
}

// finishWorkflow ends the workflow.
func (r *run) finishWorkflow(end flow.RunState) (*wire.Final, error) {
	r.state, r.finished = end, r.Now()
	r.publishAttributes()
	r.keepArtifacts()
	if p := r.in.Parent; p != nil {
		result := wire.Result(sched.ChildResult(r.info.ID, end, r.steps))
		r.signalWorkflow(p.Run, wire.ChildNews, wire.News{Step: p.Step, Result: &result, Work: r.lastCommit()})
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
	if r.resting && end.Status == flow.Paused && r.finished.IsZero() && r.told < len(r.answers) {
		end = flow.RunState{Status: flow.Running}
	}
	s := &wire.RunState{
		Run: r.info, Options: r.in.Options, Parent: r.in.Parent, Created: r.in.Created, End: end,
		Steps: slices.Clone(r.steps), Events: slices.Clone(r.events), Dropped: r.dropped, Answers: slices.Clone(r.answers), Approvals: slices.Clone(r.approvals),
		Place: r.place, Children: slices.Clone(r.children), Finished: r.finished,
	}
	return s
}

func (r *run) workspaceKind() string {
	if w := r.in.Options.Workspace; w != "" {
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

// byParent is who cancels the children of a run that is cancelled.
func byParent(id string) string { return "its parent " + id }

// openQuestion returns the waiting step of a question, or nil.
func (r *run) openQuestion(key string) *flow.Record {
	if i, ok := r.index[key]; ok && r.steps[i].Status == flow.Waiting && r.steps[i].Question != nil {
		return &r.steps[i]
	}
	return nil
}

// isExpired reports whether an answer came too late.
func isExpired(s *flow.Record, now time.Time) bool {
	return s.Question.Wait == "" && !s.Deadline.IsZero() && !now.Before(s.Deadline) && s.Question.Timeout > 0
}
