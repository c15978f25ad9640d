package sched

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// taskScheduler is a task's flow.Scheduler, in one of the task's scopes.
type taskScheduler struct {
	s     *scheduler
	task  *task
	scope *scope
}

var _ flow.Scheduler = (*taskScheduler)(nil)

// guardCall guards every call: a task that is being unwound stays so even when its
// code recovers the panic, and a scheduler that leaked into another task would
// make that task's waits wake up the wrong one.
func (e *taskScheduler) guardCall() {
	if e.s.unwinding {
		panic(kernel.Unwind{})
	}
	if e.s.current != e.task {
		panic(kernel.NewMisuse("this code uses the Context of the flow or of another node: use the one that the function of the node gets"))
	}
}

// failWithBug ends the run because its flow code breaks the contract of flow.Scheduler.
func (e *taskScheduler) failWithBug(format string, args ...any) {
	e.s.failRun(internalFailure(format, args...))
	panic(kernel.Unwind{})
}

// internalFailure returns the failure for a fault of wfc rather than of a workflow.
func internalFailure(format string, args ...any) *flow.Failure {
	return &flow.Failure{Reason: "internal", Class: flow.ClassFatal, Message: "internal error: " + fmt.Sprintf(format, args...)}
}

// claimKey marks a key as used by flow code in this process.
func (e *taskScheduler) claimKey(key string) *step {
	e.guardCall()
	st := e.s.journal.ensureStep(key)
	if st.claimed {
		panic(kernel.NewMisuse("step `%s` was started twice: give every action, question, sleep and time of a run a separate key, such as by `DoAs`", key))
	}
	st.claimed = true
	return st
}

func (e *taskScheduler) Run() *flow.RunInfo { return e.s.info }

func (e *taskScheduler) Spawn(after []*flow.Future, fn func(flow.Scheduler)) {
	e.guardCall()
	t := e.s.spawnTask(e.scope, fn)
	left := 1
	settled := func() {
		if left--; left == 0 {
			e.s.ready.push(t)
		}
	}
	for _, f := range after {
		if !f.Settled() {
			left++
			f.OnSettle(settled)
		}
	}
	settled()
}

func (e *taskScheduler) NewFuture() *flow.Future { return &flow.Future{} }

func (e *taskScheduler) Await(futures ...*flow.Future) error {
	return e.awaitFutures(awaitAll, futures)
}

func (e *taskScheduler) AwaitAny(futures ...*flow.Future) error {
	return e.awaitFutures(awaitAny, futures)
}

func (e *taskScheduler) AwaitEnded(futures ...*flow.Future) error {
	return e.awaitFutures(awaitEnded, futures)
}

// A wait is the number of futures that a task awaits.
type wait int

const (
	awaitAll   wait = iota // all futures, or the scope's cancellation
	awaitAny               // one of the futures, or the scope's cancellation
	awaitEnded             // all futures, even if the scope is cancelled
)

func (e *taskScheduler) awaitFutures(how wait, futures []*flow.Future) error {
	e.guardCall()
	open := 0
	for _, f := range futures {
		if !f.Settled() {
			open++
		}
	}
	enough := open == 0 || how == awaitAny && open < len(futures)
	if len(futures) > 0 && enough {
		return nil
	}
	if e.scope.cancelled && how != awaitEnded {
		return flow.ErrCancelled
	}
	if enough {
		return nil
	}
	return e.blockTask(how, open, futures)
}

// blockTask waits until as many of the open futures are settled as how says, or
// the scope is cancelled: whichever is first decides, even when the other
// happens before the task gets its turn.
func (e *taskScheduler) blockTask(how wait, open int, futures []*flow.Future) error {
	if how == awaitAny {
		open = 1
	}
	over := false
	var err error
	m := member{at: -1, waits: true}
	end := func(result error) {
		over, err = true, result
		e.scope.removeMember(&m)
		e.s.ready.push(e.task)
	}
	settled := func() {
		if open--; open == 0 && !over {
			end(nil)
		}
	}
	for _, f := range futures {
		if !f.Settled() {
			f.OnSettle(settled)
		}
	}
	if how != awaitEnded {
		m.seq, m.cancel = e.s.nextCancelSeq(), func() { end(flow.ErrCancelled) }
		e.scope.addMember(&m)
	}
	e.task.yieldTurn()
	return err
}

func (e *taskScheduler) Scope() (flow.Scheduler, func()) {
	e.guardCall()
	sub := &scope{}
	sub.init(e.scope)
	return &taskScheduler{s: e.s, task: e.task, scope: sub}, sub.cancelAll
}

func (e *taskScheduler) Cleanup() flow.Scheduler {
	e.guardCall()
	return &taskScheduler{s: e.s, task: e.task, scope: &e.s.cleanup}
}

func (e *taskScheduler) Recorded(key string) (flow.Record, bool) {
	e.guardCall()
	return e.s.journal.completedRecord(key)
}

func (e *taskScheduler) Asleep(key string) bool {
	e.guardCall()
	st := e.s.journal.steps[key]
	if st == nil {
		return false
	}
	left, ok := st.interruptedRecord()
	return ok && !left.Deadline.IsZero()
}

func (e *taskScheduler) Begin(key string, status flow.Status) {
	e.guardCall()
	e.task.begun = true
	st := e.s.journal.ensureStep(key)
	st.settled = false // a node of a state graph may begin again
	inside, _ := stepkey.Inside(e.s.opt.Nodes, key)
	e.s.journal.beginStep(st, inside.Kind, status, e.s.now)
}

func (e *taskScheduler) Settle(r flow.Record) {
	e.guardCall()
	st := e.s.journal.ensureStep(r.Key)
	if st.settled {
		e.failWithBug("step `%s` was settled twice", r.Key)
	}
	st.settled = true
	if r.Status == flow.Cancelled && !e.task.begun {
		// Its action was still waiting for a slot.
		r.Status, r.Reason = flow.Skipped, kernel.SkipCancelled
	}
	e.s.atLimitToo(&r)
	e.s.journal.settleStep(st, r, e.s.now)
}

// settleAtOnce settles the future of a step that an earlier process completed, unless it is to be
// fresh, or whose scope is cancelled. It reports whether it did.
func (e *taskScheduler) settleAtOnce(key string, fresh bool, f *flow.Future) bool {
	rec, completed := e.s.journal.completedRecord(key)
	switch {
	case completed && !fresh:
		e.task.begun = true
		f.Settle(rec.Result())
		return true
	case e.scope.cancelled:
		f.Settle(flow.Result{Status: flow.Cancelled})
		return true
	}
	return false
}

func (e *taskScheduler) Log(ev flow.Event) {
	e.guardCall()
	if ev.Time.IsZero() {
		ev.Time = e.s.now
	}
	e.s.journal.addEvent(ev)
}

func (e *taskScheduler) Now(key string) time.Time {
	st := e.claimKey(key)
	if rec, ok := e.s.journal.completedRecord(key); ok {
		if t, err := time.Parse(time.RFC3339Nano, rec.Text); err == nil {
			return t
		}
		e.failWithBug("step `%s` is recorded with `%s`, which is not a time", key, rec.Text)
	}
	// Without the monotonic part and in UTC, so that a replay gives the same.
	now := e.s.now.Round(0).UTC()
	e.s.journal.putRecord(st, flow.Record{
		Key: key, Kind: "now", Status: flow.Completed,
		Text: now.Format(time.RFC3339Nano), Started: e.s.now, Finished: e.s.now,
	})
	return now
}
