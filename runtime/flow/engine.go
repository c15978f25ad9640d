package flow

import (
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Engine runs flow code. It is what a workflow needs of the machinery that
// runs it and nothing more, so that one generated workflow runs on this
// machine, under the simulator, and on a cluster engine whose workflow code may
// use none of goroutines, channels, the clock or contexts.
//
// An Engine value belongs to one task. Tasks run cooperatively: one at a time,
// and another only gets its turn when the running one calls Await or returns.
// So flow code needs no locks, and what it does depends on nothing but the
// results it is given. Methods that take a key must see each key once per run.
type Engine interface {
	// Run returns what is known of the run.
	Run() *RunInfo

	// Spawn begins a task that calls fn with an engine of its own, once every
	// future in after is settled. The task belongs to the scope of the
	// engine it is spawned from. A panic in fn that fn does not recover ends
	// the run as failed.
	Spawn(after []*Future, fn func(Engine))

	// Await returns when all (or, for any, at least one) of the futures are
	// settled. It returns ErrCancelled when the task's scope is cancelled
	// first. With no futures it returns at once: ErrCancelled when the scope is
	// cancelled, nil otherwise.
	Await(how kernel.Wait, futures ...*Future) error

	// NewFuture returns a future that flow code settles by itself.
	NewFuture() *Future

	// Do begins an action and returns the future of its result, which is
	// settled from the journal when the action completed in an earlier process
	// of the run. When the task's scope is cancelled, so is the action, and the
	// result's status is Cancelled.
	Do(a Action) *Future

	// Ask puts a question to a person; the result's Text is the answer. While
	// nothing but questions is open, the run may pause: its process ends, and
	// a later one replays the flow up to here.
	Ask(q Question) *Future

	// Sleep settles its future once d has passed since the first time that the
	// run came here; the deadline is journalled.
	Sleep(key string, d time.Duration) *Future

	// Timer settles its future once d has passed, unless the scope is cancelled
	// before. It is for time limits: it is not journalled, so each process of the
	// run begins it anew, and it does not keep a run from pausing. What it ends
	// must not be recorded as completed.
	Timer(d time.Duration) *Future

	// Now returns the time at which the run first asked for it under this key.
	Now(key string) time.Time

	// Scope returns an engine for this task whose tasks and actions end as
	// cancelled when cancel is called. Cancelling twice does nothing.
	Scope() (sub Engine, cancel func())

	// Recorded returns the end of a step that an earlier process of the run
	// committed as completed.
	Recorded(key string) (Record, bool)

	// Asleep reports whether the process before this one ended while the run was
	// in a Sleep of this key.
	Asleep(key string) bool

	// Begin journals that a step that is more than one action is running, or
	// waits for a person: Settle journals its end. Saying it again is no change,
	// and a step that was settled may begin again.
	Begin(key string, status Status)

	// Settle journals how a step ended that is more than one action: a skipped
	// node, a node that failed before its action, a loop with its iterations.
	Settle(r Record)

	// Log journals an event for people; it has no influence on the flow.
	Log(e Event)
}

// A Future is a result that comes later. It is settled once, and only while
// the flow's tasks are the only code that runs, so it needs no lock.
type Future struct {
	settled bool
	result  Result
	waiters []func()
}

// Settled reports whether the result is there.
func (f *Future) Settled() bool { return f.settled }

// Result returns the result, or the zero Result before it is there.
func (f *Future) Result() Result { return f.result }

// Settle gives the future its result and calls those who wait, in the order
// in which they came. Settling twice does nothing.
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

// OnSettle calls w when the future is settled, at once if it is. It is for
// engines: w must not run flow code, only mark a task as ready.
func (f *Future) OnSettle(w func()) {
	if f.settled {
		w()
		return
	}
	f.waiters = append(f.waiters, w)
}
