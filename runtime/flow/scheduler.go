package flow

import "time"

// A Scheduler is the interface by which one task of a run uses the engine that runs it:
// every task has its own. (An engine such as local.Engine, by contrast, starts and
// resumes runs.) The interface is small, so that the same generated workflow runs on this
// machine, in a simulation, and on cluster engines that forbid goroutines, channels,
// clocks and contexts in workflow code.
//
// Tasks run cooperatively, one at a time: another task runs when the current one calls
// Await or returns. So flow code needs no locks, and it depends only on results.
//
// A later process of the run calls the same flow code from its beginning. In one process,
// each key goes to Do, Ask, Sleep or Now at most once. Recorded, Begin and Settle take
// the keys of nodes and their parts, which may be those of actions.
type Scheduler interface {
	// Run returns a description of the run. It runs nothing.
	Run() *RunInfo

	// Spawn starts a task that calls fn with the task's own Scheduler, once every future in
	// after is settled. The task belongs to the scope of the Scheduler that spawns it. fn
	// is called even if the scope was cancelled before: its calls of Await then return
	// ErrCancelled. A panic in fn that fn does not recover ends the run as failed.
	Spawn(after []*Future, fn func(Scheduler))

	// Await returns when all futures are settled, or ErrCancelled if the task's scope is
	// cancelled first. Without futures it returns at once: ErrCancelled if the scope is
	// cancelled, nil otherwise.
	Await(futures ...*Future) error

	// AwaitAny is like Await, but returns when one of the futures is settled.
	AwaitAny(futures ...*Future) error

	// AwaitEnded returns when all futures are settled, even if the scope is cancelled. It is
	// for futures that a cancelled scope settles: those of actions, questions and sleeps.
	AwaitEnded(futures ...*Future) error

	// NewFuture returns a future that flow code settles itself.
	NewFuture() *Future

	// Do starts an action and returns the future of its result. If an earlier process of
	// the run completed the action, the result comes from the journal. If the task's scope
	// is cancelled, so is the action, and the result's status is Cancelled.
	Do(a Action) *Future

	// Ask asks a person a question, or waits as its Wait says; the result's Text is the
	// answer, and its Meta has the choice. While only questions are open, the run may
	// pause: its process ends, and a later one replays the flow up to here.
	Ask(q Question) *Future

	// Sleep settles its future once d has passed since the run first came here; the
	// deadline is journalled.
	Sleep(key string, d time.Duration) *Future

	// Timer settles its future once d has passed, unless the scope is cancelled before. It
	// is for time limits: it is not journalled, so a resumed run starts it anew, and it
	// does not prevent a pause. A step that it ends must not be recorded as completed.
	Timer(d time.Duration) *Future

	// Now returns the time at which the run first asked for it under this key.
	Now(key string) time.Time

	// Scope returns another Scheduler for this task, with a new scope: its tasks and
	// actions are cancelled when cancel is called. A second call of cancel does nothing.
	Scope() (sub Scheduler, cancel func())

	// Cleanup returns another Scheduler for this task, whose tasks and actions continue
	// when the run is cancelled. The run does not end before its first task returns. They
	// are cancelled only if the run reaches a limit or fails because of a fault in its flow
	// code.
	Cleanup() Scheduler

	// Recorded returns the end of a step that an earlier process of the run
	// committed as completed.
	Recorded(key string) (Record, bool)

	// Asleep reports whether the process before this one ended while the run was
	// in a Sleep of this key.
	Asleep(key string) bool

	// Begin journals that a step of several actions has started: status is Running, or
	// Waiting if the step has an open question. Settle journals its end. A second call
	// with the same status changes nothing. A settled step may begin again. Begin does
	// not wait; if the journal fails, the engine ends the process's work on the run.
	Begin(key string, status Status)

	// Settle journals the end of a step that is not a single action, such as a skipped
	// node, a node that failed before its action, or a loop. An end that the journal
	// already has changes nothing.
	Settle(r Record)

	// Log journals an event for people; it does not affect the flow. A later process that
	// comes here journals the event again.
	Log(e Event)
}

// A Future holds a Result that is not known yet. It is settled once. It is not safe for
// concurrent use: only the tasks of the run, which run one at a time, use it.
type Future struct {
	settled bool
	result  Result
	waiters []func()
}

// Settled reports whether the future has its result.
func (f *Future) Settled() bool { return f.settled }

// Result returns the result, or the zero Result before the future is settled.
func (f *Future) Result() Result { return f.result }

// Settle sets the result and calls the waiting functions in the order of OnSettle. A second
// call does nothing.
func (f *Future) Settle(r Result) {
	if f.settled {
		return
	}
	f.settled, f.result = true, r
	waiters := f.waiters
	f.waiters = nil
	for _, w := range waiters {
		w()
	}
}

// OnSettle calls w when the future is settled, or at once if it is. It is for engines: w
// must not run flow code, only mark a task as ready.
func (f *Future) OnSettle(w func()) {
	if f.settled {
		w()
		return
	}
	f.waiters = append(f.waiters, w)
}
