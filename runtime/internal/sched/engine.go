package sched

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// engine is a task's flow.Scheduler, in one of the task's scopes.
type engine struct {
	s     *scheduler
	task  *task
	scope *scope
}

var _ flow.Scheduler = (*engine)(nil)

// enter guards every call: a task that is being unwound stays so even when its
// code recovers the panic, and an engine that leaked into another task would
// make that task's waits wake up the wrong one.
func (e *engine) enter() {
	if e.s.unwinding {
		panic(kernel.Unwind{})
	}
	if e.s.current != e.task {
		e.bug("a task used the engine of another task")
	}
}

// bug ends the run because its flow code breaks the engine's contract.
func (e *engine) bug(format string, args ...any) {
	e.s.fail(internal(format, args...))
	panic(kernel.Unwind{})
}

// internal returns the failure for a fault of wfc rather than of a workflow.
func internal(format string, args ...any) *flow.Failure {
	return &flow.Failure{Reason: "internal", Class: flow.ClassFatal, Message: "internal error: " + fmt.Sprintf(format, args...)}
}

// claim marks a key as used by flow code in this process.
func (e *engine) claim(key string) *step {
	e.enter()
	st := e.s.journal.step(key)
	if st.claimed {
		e.bug("step `%s` was started twice: every step of a run needs a separate key", key)
	}
	st.claimed = true
	return st
}

func (e *engine) Run() *flow.RunInfo { return e.s.info }

func (e *engine) Spawn(after []*flow.Future, fn func(flow.Scheduler)) {
	e.enter()
	t := e.s.spawn(e.scope, fn)
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

func (e *engine) NewFuture() *flow.Future { return &flow.Future{} }

func (e *engine) Await(futures ...*flow.Future) error { return e.await(awaitAll, futures) }

func (e *engine) AwaitAny(futures ...*flow.Future) error { return e.await(awaitAny, futures) }

func (e *engine) AwaitEnded(futures ...*flow.Future) error { return e.await(awaitEnded, futures) }

// A wait is the number of futures that a task awaits.
type wait int

const (
	awaitAll   wait = iota // all futures, or the scope's cancellation
	awaitAny               // one of the futures, or the scope's cancellation
	awaitEnded             // all futures, even if the scope is cancelled
)

func (e *engine) await(how wait, futures []*flow.Future) error {
	e.enter()
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
	return e.block(how, open, futures)
}

// block waits until as many of the open futures are settled as how says, or
// the scope is cancelled: whichever is first decides, even when the other
// happens before the task gets its turn.
func (e *engine) block(how wait, open int, futures []*flow.Future) error {
	if how == awaitAny {
		open = 1
	}
	over := false
	var err error
	m := member{at: -1, waits: true}
	end := func(result error) {
		over, err = true, result
		e.scope.remove(&m)
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
		m.seq, m.cancel = e.s.number(), func() { end(flow.ErrCancelled) }
		e.scope.add(&m)
	}
	e.task.block()
	return err
}

func (e *engine) Scope() (flow.Scheduler, func()) {
	e.enter()
	sub := &scope{}
	sub.init(e.scope)
	return &engine{s: e.s, task: e.task, scope: sub}, sub.cancel
}

func (e *engine) Cleanup() flow.Scheduler {
	e.enter()
	return &engine{s: e.s, task: e.task, scope: &e.s.cleanup}
}

func (e *engine) Recorded(key string) (flow.Record, bool) {
	e.enter()
	return e.s.journal.recorded(key)
}

func (e *engine) Asleep(key string) bool {
	e.enter()
	st := e.s.journal.steps[key]
	if st == nil {
		return false
	}
	left, ok := st.interrupted()
	return ok && !left.Deadline.IsZero()
}

func (e *engine) Begin(key string, status flow.Status) {
	e.enter()
	e.task.begun = true
	st := e.s.journal.step(key)
	st.settled = false // a node of a state graph may begin again
	inside, _ := stepkey.Inside(e.s.opt.Nodes, key)
	e.s.journal.begin(st, inside.Kind, status, e.s.now)
}

func (e *engine) Settle(r flow.Record) {
	e.enter()
	st := e.s.journal.step(r.Key)
	if st.settled {
		e.bug("step `%s` was settled twice", r.Key)
	}
	st.settled = true
	if r.Status == flow.Cancelled && !e.task.begun {
		// Its action was still waiting for a slot.
		r.Status, r.Reason = flow.Skipped, kernel.SkipCancelled
	}
	e.s.atLimitToo(&r)
	e.s.journal.settle(st, r, e.s.now)
}

func (e *engine) Log(ev flow.Event) {
	e.enter()
	if ev.Time.IsZero() {
		ev.Time = e.s.now
	}
	e.s.journal.event(ev)
}

func (e *engine) Now(key string) time.Time {
	st := e.claim(key)
	if rec, ok := e.s.journal.recorded(key); ok {
		if t, err := time.Parse(time.RFC3339Nano, rec.Text); err == nil {
			return t
		}
		e.bug("step `%s` is recorded with `%s`, which is not a time", key, rec.Text)
	}
	// Without the monotonic part and in UTC, so that a replay gives the same.
	now := e.s.now.Round(0).UTC()
	e.s.journal.put(st, flow.Record{
		Key: key, Kind: "now", Status: flow.Completed,
		Text: now.Format(time.RFC3339Nano), Started: e.s.now, Finished: e.s.now,
	})
	return now
}
