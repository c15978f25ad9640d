package durable

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var _ sched.Host = (*run)(nil)

// Commit implements sched.Host. The journal is in the memory of the workflow: its history
// brings it back.
func (r *run) Commit(b flow.Batch) error {
	for _, s := range b.Steps {
		r.kept.putStep(s)
	}
	r.kept.addEvents(b.Events)
	if b.Run != nil {
		r.state = *b.Run
	}
	r.publish()
	return nil
}

// Now implements sched.Host.
func (r *run) Now() time.Time { return workflow.Now(r.ctx) }

// Pick implements sched.Host.
func (r *run) Pick(int) int { return 0 }

// Ask implements sched.Host. Open questions are in the journal, which a query returns.
func (r *run) Ask(flow.Question) {}

// Times of activities.
const (
	// heartbeat is how long a worker may be silent before its activities are lost.
	heartbeat = 30 * time.Second
	// grace is how much longer than its own limit an action may take: its performer ends it
	// and says why. queueing is how long it may wait in its worker for others to end.
	grace    = time.Minute
	queueing = 24 * time.Hour
	// endless limits actions whose performers enforce their own limits.
	endless = 365 * 24 * time.Hour
	// patience is how long an action may wait for the one worker that has the run's files
	// until it is probed whether that worker lives.
	patience = time.Minute
	probing  = 20 * time.Second
)

// attempt is an activity that has begun: an attempt at an action, or the question whether
// a worker lives.
type attempt struct {
	key    string
	call   wire.Call
	future workflow.Future
	cancel workflow.CancelFunc
	// probes means that the activity asks whether the worker lives on which the action waits.
	probes    bool
	cancelled bool
	// saved has the changes of an attempt until they are part of the run's branch. joins means
	// that a worker joins them now, and child that they are those of a child run.
	saved        *wire.Performed
	joins, child bool
}

// hasEnded reports whether the activity of an attempt has ended.
func (t *attempt) hasEnded() bool { return t.future != nil && t.future.IsReady() }

// Start implements sched.Host.
func (r *run) Start(a flow.Action, number int, left settings.Limits) {
	if child, ok := a.Payload.(flow.Child); ok {
		r.startChild(a.Key, child, left)
		return
	}
	action, err := wire.EncodeAction(a)
	if err != nil {
		r.signalDone(a.Key, failedResult("internal", "internal error: %v", err))
		return
	}
	t := &attempt{key: a.Key, call: wire.Call{
		Run: r.kept.Run, SharedDir: r.kept.Run.SharedDir, Workspace: r.workspaceKind(), Action: action, Attempt: number,
		Artifacts: r.kept.latestArtifacts(), Checkout: r.kept.Place.Git,
		CostLimit: sched.CostLimit(r.kept.Options.Limits, r.def, r.kept.Run.Graph), Left: left,
	}}
	r.attempts = append(r.attempts, t)
	r.performAttempt(t)
}

// performAttempt begins the activity of an attempt.
func (r *run) performAttempt(t *attempt) {
	limit := endless
	if t.call.Action.Timeout > 0 {
		limit = t.call.Action.Timeout + grace + queueing
	}
	opt := workflow.ActivityOptions{
		StartToCloseTimeout: limit, HeartbeatTimeout: heartbeat, WaitForCancellation: true, Summary: t.key,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	}
	if n, ok := stepkey.NodeOf(r.def.Nodes, t.key); ok && len(n.WorkerTags) > 0 {
		opt.TaskQueue = wire.TagQueue(workflow.GetInfo(r.ctx).TaskQueueName, n.WorkerTags)
	}
	if r.kept.Place.Queue != "" {
		opt.TaskQueue, opt.ScheduleToStartTimeout = r.kept.Place.Queue, patience
	}
	activity := wire.Perform
	if r.kept.Place.Git != nil {
		activity = wire.PerformGit
	}
	r.beginActivity(t, opt, activity, t.call)
}

func (r *run) beginActivity(t *attempt, opt workflow.ActivityOptions, activity string, args ...any) {
	var ctx workflow.Context
	ctx, t.cancel = workflow.WithCancel(workflow.WithActivityOptions(r.ctx, opt))
	t.future = workflow.ExecuteActivity(ctx, activity, args...)
}

// Cancel implements sched.Host.
func (r *run) Cancel(key string) {
	for _, t := range r.attempts {
		if t.key == key {
			if t.cancelled = true; t.saved == nil {
				t.cancel()
			}
			return
		}
	}
	r.cancelChild(key)
}

// Next implements sched.Host.
func (r *run) Next(wake time.Time) []sched.Signal {
	if !wake.IsZero() && !wake.After(r.Now()) {
		r.collectSignals()
	} else {
		r.waitForNews(wake)
	}
	mail := r.process.mail
	r.process.mail, r.process.asked = nil, true
	return mail
}

// waitForNews waits until there is news or the clock reaches wake; the zero time never comes.
func (r *run) waitForNews(wake time.Time) {
	r.alarm.setTime(r.ctx, wake, r.Now())
	r.awaitCondition(func() bool { return len(r.process.mail) > 0 || r.hasNews() || r.alarm.hasRung() })
	r.collectSignals()
}

// awaitCondition waits for a condition, which changes nothing.
func (r *run) awaitCondition(condition func() bool) {
	if err := workflow.Await(r.ctx, condition); err != nil {
		panic(fmt.Sprintf("a context that cannot be cancelled was cancelled: %v", err))
	}
}

// hasNews reports whether collect would find something.
func (r *run) hasNews() bool {
	for _, t := range r.attempts {
		if t.hasEnded() {
			return true
		}
	}
	for _, c := range r.signals {
		if c.Len() > 0 {
			return true
		}
	}
	p := &r.process
	return p.told < len(r.kept.Answers) || r.cancel != nil && !p.cancelTold || r.outer.Err() != nil && r.cancel == nil ||
		!p.handing && (r.suspended || r.hasLongHistory())
}

// collectSignals turns events into signals for the scheduler.
func (r *run) collectSignals() {
	r.receiveSignals()
	left := r.attempts[:0]
	for _, t := range r.attempts {
		if !t.hasEnded() || !r.handleActivityEnd(t) {
			left = append(left, t)
		}
	}
	clear(r.attempts[len(left):])
	r.attempts = left
	r.joinNext()
	p := &r.process
	for ; p.told < len(r.kept.Answers); p.told++ {
		p.signal(answerSignal(r.kept.Answers[p.told]))
	}
	if r.outer.Err() != nil && r.cancel == nil {
		r.cancel = &wire.Cancellation{By: "Temporal"}
	}
	if r.cancel != nil && !p.cancelTold {
		p.cancelTold = true
		p.signal(sched.CancelRun{Reason: kernel.CancelReason(r.cancel.By)})
	}
	if !p.handing && (r.suspended || r.hasLongHistory()) {
		p.handing = true
		p.signal(sched.HandOver{})
	}
}

// The size of a history at which the run continues in a new workflow. Temporal itself warns
// at 10,240 events and ends a workflow at 51,200.
const (
	longEvents = 8_000
	longBytes  = 8 << 20
)

// hasLongHistory reports whether the history is long.
func (r *run) hasLongHistory() bool {
	info := workflow.GetInfo(r.ctx)
	events, bytes := r.kept.Options.MaxEvents, r.kept.Options.MaxBytes
	events = cmp.Or(events, longEvents)
	bytes = cmp.Or(bytes, longBytes)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() >= events || info.GetCurrentHistorySize() >= bytes
}

// handleActivityEnd handles the end of an activity, and reports whether the attempt is over.
func (r *run) handleActivityEnd(t *attempt) bool {
	if t.joins {
		r.handleJoined(t)
		return true
	}
	var p wire.Performed
	var err error
	report := wire.Report{Result: &p.Result}
	if r.kept.Place.Git != nil && !t.probes {
		report.Result = &p
	}
	if t.probes {
		return r.handleProbed(t, t.future.Get(r.ctx, &p.Result))
	}
	if err = t.future.Get(r.ctx, &report); err == nil && report.Of != "" && report.Of != t.call.Of() {
		err = fmt.Errorf("the result is that of %s", report.Of)
	}
	var timeout *temporal.TimeoutError
	var cancelled *temporal.CanceledError
	var app *temporal.ApplicationError
	var activity *temporal.ActivityError
	switch {
	case err == nil && (p.Work != "" || p.Artifacts != ""):
		t.saved, t.future = &p, nil // for joinNext
		return false
	case err == nil:
		r.signalDone(t.key, flow.Result(p.Result))
	case errors.As(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
		r.probeWorker(t)
		return false
	case errors.As(err, &timeout):
		r.attemptLost(t)
	case errors.As(err, &cancelled):
		r.signalDone(t.key, flow.Result{Status: flow.Cancelled})
	case errors.As(err, &app) && app.Type() == wire.TypeLost:
		r.process.signal(sched.Lost{Key: t.key})
	case errors.As(err, &app):
		r.signalDone(t.key, failedResult("internal", "internal error: performing the step failed: %s", app.Message()))
	case errors.As(err, &activity):
		r.signalDone(t.key, failedResult("internal", "internal error: performing the step failed: %v", err))
	default:
		// The result cannot be read, for example because the store of large values is out of
		// reach. The run does not fail: Temporal tries the workflow task again.
		panic(fmt.Sprintf("step %s: %v", t.key, err))
	}
	return true
}

// mostLost is how many workers may be lost with one step that runs again by itself. A step
// that kills its worker would kill all of them, one after the other. On one machine, a
// person resumes the run after each.
const mostLost = 3

// attemptLost handles the loss of an attempt with its worker.
func (r *run) attemptLost(t *attempt) {
	node, ok := stepkey.NodeOf(r.def.Nodes, t.key)
	if !ok {
		node = flow.NodeInfo{Key: t.key, Kind: t.call.Action.Kind}
	}
	if sched.PolicyOf(&r.kept.Options.OnInterrupt, node) == settings.InterruptRerun {
		if r.lost == nil {
			r.lost = map[string]int{}
		}
		if r.lost[t.key]++; r.lost[t.key] >= mostLost {
			r.signalDone(t.key, failedResult(sched.ReasonInterrupted, "step `%s` was interrupted while it ran, %d times: each time its worker was lost; resume the run to run it again", t.key, mostLost))
			return
		}
	}
	r.process.signal(sched.Lost{Key: t.key})
}

func (r *run) signalDone(key string, result flow.Result) {
	delete(r.lost, key)
	r.process.signal(sched.Done{Key: key, Result: result})
}

func failedResult(reason, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Reason: reason, Class: flow.ClassFatal, ExitCode: -1, Message: fmt.Sprintf(format, args...),
	}}
}

// alarm is the timer of the next deadline.
type alarm struct {
	at     time.Time
	future workflow.Future
	cancel workflow.CancelFunc
}

// setTime makes the alarm ring at a time; the zero time never comes.
func (a *alarm) setTime(ctx workflow.Context, at, now time.Time) {
	if a.future != nil && a.at.Equal(at) && !a.future.IsReady() {
		return
	}
	if a.cancel != nil {
		a.cancel()
	}
	*a = alarm{at: at}
	if at.IsZero() {
		return
	}
	ctx, a.cancel = workflow.WithCancel(ctx)
	a.future = workflow.NewTimer(ctx, at.Sub(now))
}

func (a *alarm) hasRung() bool { return a.future != nil && a.future.IsReady() }
