package sched

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// actions are the actions that have not ended: those that run, those that wait
// for a slot, and those that wait for their next attempt.
type actions struct {
	running int // attempts
	// children counts the attempts that are separate runs, which hold no slot, and idle
	// those of them that only wait for people.
	children, idle int
	// short says that an action waits for a slot of those that runs share.
	short    bool
	resting  int // actions that wait for their next attempt
	begun    map[string]*action
	queue    []*action
	head     int       // of queue
	starting []*action // committed next, then started
	ending   []string  // keys of actions to cancel at the host
}

// action is one action that has not ended.
type action struct {
	flow.Action
	member
	step   *step
	task   *task
	scope  *scope
	future *flow.Future
	// attempt is the attempt that runs or comes next, from 1.
	attempt int
	// decided counts the interruptions after which a person let it be performed
	// again.
	decided int
	// spent is what earlier attempts cost, or the run that the action is has cost so far.
	spent   flow.Meta
	state   actionState
	started time.Time // of the first attempt
	// child says that the action is a separate run, and idle that it only waits for
	// people.
	child, idle bool
	// cancelled says that the action's scope was cancelled while it ran.
	cancelled bool
	timer     *timer // until the next attempt
}

type actionState int

const (
	queued actionState = iota
	running
	resting   // until its next attempt
	undecided // until the question about its interruption, its agent's quota or a budget is answered
	ended
)

func (e *taskScheduler) Do(a flow.Action) *flow.Future {
	st, f := e.claimKey(a.Key), e.NewFuture()
	if e.settleAtOnce(a.Key, a.Fresh, f) {
		return f
	}
	s := e.s
	if s.isInterruptionCommitted(st) {
		e.task.begun = true
		f.Settle(st.earlier.Result())
		return f
	}
	act := &action{Action: a, step: st, task: e.task, scope: e.scope, future: f, attempt: 1}
	act.seq, act.cancel = s.nextCancelSeq(), func() { s.cancelAction(act) }
	e.scope.addMember(&act.member)
	_, act.child = a.Payload.(kernel.ChildRun)
	if st.earlier != nil {
		act.spent = st.earlier.Meta
	}
	left, ok := st.interruptedRecord()
	if ok {
		e.task.begun = true
		act.attempt, act.started, act.decided = max(left.Attempt, 1), left.Started, decisionCount(left.Reason)
	}
	switch {
	case ok && awaitsQuota(left):
		s.resumeQuotaWait(act, left)
	case ok && awaitsBudget(left):
		resumeBudgetWait(s, act, left)
	case ok && !left.Deadline.IsZero():
		s.restUntil(act, left.Deadline)
	case ok && isHeld(left):
		s.enqueueAction(act)
	case ok:
		s.recoverAction(act, left)
	default:
		if st.earlier != nil {
			act.decided = s.journal.answeredInterruptions(a.Key)
		}
		s.enqueueAction(act)
	}
	return f
}

// enqueueAction lets an action wait for a slot.
func (s *scheduler) enqueueAction(act *action) {
	if act.state == resting {
		s.actions.resting--
	}
	act.state, act.timer = queued, nil
	s.actions.queue = append(s.actions.queue, act)
}

// fillSlots begins as many queued actions as there are free slots.
func (s *scheduler) fillSlots() {
	as := &s.actions
	as.short = false
	defer s.releaseUnneededPlaces()
	if s.handsOver {
		return
	}
	if Reached(s.opt.Limits, s.used) != nil {
		s.fillAtLimit()
		return
	}
	for as.head < len(as.queue) {
		act := as.queue[as.head]
		if act.state == queued {
			if !s.takeSlot(act) {
				break
			}
			s.startAttempt(act)
		}
		as.queue[as.head] = nil
		as.head++
	}
	if as.head == len(as.queue) {
		as.queue, as.head = as.queue[:0], 0
	}
}

// startAttempt puts the begin of an attempt into the batch; the attempt begins after
// its commit.
func (s *scheduler) startAttempt(act *action) {
	as := &s.actions
	act.state, act.task.begun = running, true
	as.running++
	if act.child {
		as.children++
	}
	plain.PutEntry(&as.begun, act.Key, act)
	as.starting = append(as.starting, act)
	if act.started.IsZero() {
		act.started = s.now
	}
	s.journalRepetition(act)
	rec := act.record(flow.Running)
	rec.Prompt = s.promptOf(act.Payload)
	s.journal.putRecord(act.step, rec)
}

// EventAttempt is the type of events about the begin of an attempt that is not the first.
const EventAttempt = "attempt_started"

// journalRepetition journals the begin of an attempt after another one, whose end the new record
// replaces if an earlier process saw it.
func (s *scheduler) journalRepetition(act *action) {
	earlier := act.step.earlier
	failed := earlier != nil && earlier.Status == flow.Failed && earlier.Failure != nil && act.step.rec.Status != flow.Running
	if failed {
		s.journal.addEvent(flow.Event{Time: earlier.Finished, Type: "step_retrying", Key: act.Key, Message: "failed: " + earlier.Failure.Message})
	}
	if failed || act.attempt > 1 {
		s.journal.addEvent(flow.Event{Time: s.now, Type: EventAttempt, Key: act.Key})
	}
}

// record is the record of an action that has not ended.
func (act *action) record(status flow.Status) flow.Record {
	return flow.Record{
		Key: act.Key, Kind: act.Payload.Kind(), Status: status, Reason: act.runningReason(),
		Attempt: act.attempt, Meta: act.spent, Started: act.started,
	}
}

// promptOf is the prompt or the script of an action, or "".
func (s *scheduler) promptOf(p flow.Payload) string {
	if ask, ok := p.(flow.Prompt); ok {
		return ask.Text
	}
	if h, ok := s.host.(Describer); ok {
		return h.ScriptText(p)
	}
	return ""
}

// prepareStarts passes the host the actions that it is about to start.
func (as *actions) prepareStarts(h Host) {
	if p, ok := h.(Preparer); ok {
		for _, act := range as.starting {
			p.Prepare(act.Action, act.attempt)
		}
	}
}

// startCommitted starts and cancels at the host what the last batch says.
func startCommitted(s *scheduler) {
	as, h := &s.actions, s.host
	for _, act := range as.starting {
		h.Start(act.Action, act.attempt, Remaining(s.opt.Limits, subtractCost(s.used, act.spent)))
	}
	clear(as.starting)
	as.starting = as.starting[:0]
	for _, key := range as.ending {
		if as.begun[key] != nil {
			h.Cancel(key)
		}
	}
	as.ending = as.ending[:0]
}

// cancelAction ends an action because its scope is cancelled: at once, unless
// an attempt runs, whose end must be waited for.
func (s *scheduler) cancelAction(act *action) {
	if act.state == running {
		act.cancelled = true
		s.setIdle(act, false) // its end comes without people
		s.actions.ending = append(s.actions.ending, act.Key)
		return
	}
	if act.timer != nil {
		s.timers.removeTimer(act.timer)
		s.actions.resting--
	}
	s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
}

// cancelRunning makes the host end all running actions, in the order of starting.
func (s *scheduler) cancelRunning() {
	all := make([]*action, 0, len(s.actions.begun))
	//workflowcheck:ignore sorted below
	for _, act := range s.actions.begun {
		all = append(all, act)
	}
	slices.SortFunc(all, func(a, b *action) int { return a.seq - b.seq })
	for _, act := range all {
		s.host.Cancel(act.Key)
	}
}

// actionDone takes the end of an attempt.
func (s *scheduler) actionDone(done Done) {
	key, r := done.Key, done.Result
	act := s.endAttempt(key)
	if act == nil {
		return // the host says it twice
	}
	switch {
	case !r.Status.Ended() || r.Status == flow.LimitReached && !act.child:
		r.Failure = internalFailure("the performer of step `%s` returned the status `%s`", key, r.Status)
		r.Status = flow.Failed
	case r.Status == flow.Failed && r.Failure == nil:
		r.Failure = &flow.Failure{Message: "failed without a reason"}
	}
	s.countCost(act, r.Meta)
	if done.Spending != nil {
		done.Spending.Time = s.now
		s.journal.next.Spending = append(s.journal.next.Spending, *done.Spending)
	}
	if act.child {
		r.Meta = act.spent
	} else {
		r.Meta = act.spent.Plus(r.Meta)
	}
	r.Meta.Attempts = act.attempt
	if r.Status == flow.LimitReached && act.scope.isWithin(&s.cleanup) {
		r.Status = flow.Failed // a limit does not keep what cleans up from beginning again
	}
	switch {
	case act.cancelled && r.Status != flow.Completed:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Text: r.Text, Meta: r.Meta})
	case r.Status == flow.LimitReached:
		s.enqueueAction(act) // for a process with a higher limit: that of this one is reached, too
		s.journal.putRecord(act.step, act.record(flow.Running))
	case r.Status == flow.Failed && s.awaitRetry(act, &r):
	case r.Status == flow.Failed && r.Failure.Quota != nil && !act.cancelled && s.awaitQuota(act, &r):
	default:
		s.endAction(act, r)
	}
}

// actionLost takes the loss of an attempt.
func (s *scheduler) actionLost(key string) {
	act := s.endAttempt(key)
	switch {
	case act == nil:
	case act.cancelled:
		s.endAction(act, flow.Result{Status: flow.Cancelled, Meta: act.spent})
	default:
		s.recoverAction(act, act.step.rec)
	}
}

// endAttempt returns the action of an attempt that is over, or nil, and gives back its place.
func (s *scheduler) endAttempt(key string) *action {
	act := s.actions.begun[key]
	if act == nil {
		return nil
	}
	delete(s.actions.begun, key)
	s.actions.running--
	s.setIdle(act, false)
	switch {
	case act.child:
		s.actions.children--
	case s.opt.Slots != nil:
		s.opt.Slots.Give()
	}
	return act
}

// actionIdle notes that an action only waits for people, or no longer.
func (s *scheduler) actionIdle(sig Idle) {
	act := s.actions.begun[sig.Key]
	if act == nil || !act.child || act.cancelled {
		return
	}
	s.setIdle(act, !sig.Ended)
	s.countCost(act, sig.Spent)
	rec := act.step.rec
	rec.Status, rec.Meta = flow.Running, act.spent
	if act.idle {
		rec.Status = flow.Waiting
	}
	s.journal.putRecord(act.step, rec)
}

// actionHeld notes that the attempt at an action waits before it does anything, or no longer.
func (s *scheduler) actionHeld(sig Held) {
	act := s.actions.begun[sig.Key]
	if act == nil || act.child || act.cancelled {
		return
	}
	rec := act.step.rec
	rec.Status, rec.Reason = flow.Running, act.runningReason()
	if sig.For != "" {
		rec.Status, rec.Reason = flow.Waiting, joinReasons(rec.Reason, sig.For)
	}
	s.journal.putRecord(act.step, rec)
}

// isHeld reports whether a record is that of an attempt that had not done anything yet.
func isHeld(rec flow.Record) bool {
	return rec.Status == flow.Waiting && rec.Question == nil && rec.Failure == nil && HeldFor(rec.Reason) != ""
}

func (s *scheduler) setIdle(act *action, idle bool) {
	switch {
	case idle && !act.idle:
		s.actions.idle++
	case !idle && act.idle:
		s.actions.idle--
	}
	act.idle = idle
}

// endAction settles an action.
func (s *scheduler) endAction(act *action, r flow.Result) {
	begun := act.state != queued || act.attempt > 1 || act.step.rec.Status == flow.Running || act.step.rec.Status == flow.Waiting
	act.state = ended
	act.scope.removeMember(&act.member)
	if begun {
		s.journal.putRecord(act.step, flow.Record{
			Key: act.Key, Kind: act.Payload.Kind(), Status: r.Status, Text: r.Text, Failure: r.Failure,
			Meta: r.Meta, Attempt: act.attempt, Started: act.started, Finished: s.now,
		})
	}
	act.future.Settle(r)
}

// longestRetryWait is how long a service may let a retry wait if the step has no timeout. The
// process waits for the whole time.
const longestRetryWait = time.Hour

// awaitRetry journals when the next attempt is due, and waits for that. It reports false if there
// is none: the step has no retry left, or the service asks for a longer wait than the step may
// take. It adds the latter to the failure.
func (s *scheduler) awaitRetry(act *action, r *flow.Result) bool {
	retries := s.retriesOf(act)
	atLimit := Reached(s.opt.Limits, s.used) != nil
	if limited := atLimit && r.Failure.Reason == kernel.AtLimit; !limited && !act.Retry.Allows(retries, r.Failure) {
		return false
	}
	if longest := cmp.Or(act.Timeout, longestRetryWait); r.Failure.RetryAfter > longest {
		if r.Failure.Quota == nil {
			failed := *r.Failure
			failed.Message += fmt.Sprintf("; it asks to wait %v, and a retry of this step waits at most %v", failed.RetryAfter.Round(time.Second), longest)
			r.Failure = &failed
		}
		return false
	}
	delay := max(act.Retry.Wait(retries), r.Failure.RetryAfter)
	s.journal.addEvent(flow.Event{
		Time: s.now, Type: "step_retrying", Key: act.Key,
		Message: fmt.Sprintf("attempt %d of %d failed: %s", retries, act.Retry.Retries+1, r.Failure.Message),
	})
	act.attempt++
	act.spent = r.Meta
	if delay <= 0 && !atLimit { // at a limit, the record says what was spent
		s.enqueueAction(act)
		return true
	}
	due := s.now.Add(delay)
	s.restUntil(act, due)
	rec := act.record(flow.Running)
	rec.Failure, rec.Deadline = r.Failure, due
	s.journal.putRecord(act.step, rec)
	return true
}

// restUntil lets an action wait until its next attempt is due.
func (s *scheduler) restUntil(act *action, due time.Time) {
	act.state = resting
	s.actions.resting++
	act.timer = s.timers.add(due, true, func() { s.enqueueAction(act) })
}

// Slots are places for actions that several runs share. Each run has its own
// Slots, whose methods are called from the goroutine of the run's scheduler.
type Slots interface {
	// Take takes a place. When it reports false, a place is kept for the run as
	// soon as there is one, and the host says so with SlotFree.
	Take() bool
	// Give gives a place back whose action has ended. Those of actions that the
	// scheduler leaves behind are its host's to give back.
	Give()
	// Enough says that the run waits for no place; others get the places kept for it.
	Enough()
}

// takeSlot takes a place for an action, if there is one.
func (s *scheduler) takeSlot(act *action) bool {
	as := &s.actions
	switch {
	case act.child:
		return true
	case s.opt.MaxParallel > 0 && as.running-as.children >= s.opt.MaxParallel:
		return false
	}
	if s.opt.Slots != nil && !s.opt.Slots.Take() {
		as.short = true
		return false
	}
	return true
}

// releaseUnneededPlaces gives up the places kept for the run if it needs none.
func (s *scheduler) releaseUnneededPlaces() {
	if s.opt.Slots != nil && !s.actions.short {
		s.opt.Slots.Enough()
	}
}
