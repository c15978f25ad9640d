// Package sched runs flow code: cooperative tasks, batches of journal entries, replay,
// retries, sleeps and questions. It reaches the outside (the journal, processes, the
// clock, people) through a Host, so that the local engine and the simulator are the same
// scheduler with different hosts.
package sched

import (
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Host is the world around a scheduler. Its methods are called from one
// goroutine.
type Host interface {
	// Commit makes a batch durable, all or nothing. After an error the run
	// stops without another effect.
	Commit(b flow.Batch) error

	// Start begins an attempt at an action whose start is committed. It does
	// not block; the result comes as a Done signal. left is what is left of the run's limits;
	// for an action that is a separate run, it is a sum over all processes of that run.
	Start(a flow.Action, attempt int, left settings.Limits)

	// Cancel asks a started action to end soon. Its Done signal still comes.
	Cancel(key string)

	// Ask makes a committed question known, also one that an earlier process
	// has asked. The answer comes as an Answered signal, in this process or a
	// later one.
	Ask(q flow.Question)

	// Next returns the signals since the last call. It waits until there is one or the
	// clock reaches wake; the zero time never comes, and with a wake that is not in the
	// future Next does not wait. The first call, before any flow code runs, and the one
	// before a pause do not wait: the host must then report the answers in the store to
	// questions whose steps are not completed.
	Next(wake time.Time) []Signal

	// Now is the clock.
	Now() time.Time

	// Pick chooses which of n ready tasks continues, from 0 to n-1. A host without a
	// preference returns 0.
	Pick(n int) int
}

// A Preparer is a Host that can get ready for an action while its start is committed.
type Preparer interface {
	// Prepare gets ready for an attempt. Nothing of it may take place before Start, which
	// follows unless the commit fails. It does not block.
	Prepare(a flow.Action, attempt int)
}

// A Describer is a Host that describes scripts for the records of their steps.
type Describer interface {
	// ScriptText returns the script and its values as people may see them, or "".
	ScriptText(p flow.Payload) string
}

// A Lifter is a Host that lets attempts at prompts begin only within budgets.
type Lifter interface {
	// LiftBudgets says that a person has lifted the budgets for the run.
	LiftBudgets()
}

// A Signal is something that happened outside the flow: Done, Refused, Lost, Idle, Held, Answered,
// CancelRun, Unattended, Logged, SlotFree, HandOver or Stop.
type Signal interface{ isSignal() }

// Done is the end of an attempt.
type Done struct {
	Key    string
	Result flow.Result
	// Spending is the cost of an attempt at a prompt, for the ledger, or nil. The scheduler sets
	// the time, and hands it over with the batch that has the end.
	Spending *flow.Spending
}

// Lost says that what performed an attempt is gone, so that its end never comes. The
// policy for interrupted actions decides, as it does after the death of a process.
type Lost struct {
	Key string
}

// Idle says that an action that is a separate run only waits for people from now on, or
// no longer.
type Idle struct {
	Key string
	// Ended says that it no longer does.
	Ended bool
	// Spent is what it has cost so far in all its processes, or zero if that is unknown.
	Spent flow.Meta
}

// Held says what an attempt waits for before it does anything, or that it no longer waits.
type Held struct {
	Key string
	// For is what it waits for, or "".
	For string
}

// Answered is a person's answer.
type Answered struct {
	Key    string
	Result flow.Result
}

// CancelRun asks for the run's cancellation: running actions are cancelled, steps that
// have not begun are skipped.
type CancelRun struct {
	Reason string
}

// Unattended says that nobody answers questions in this process any more, so
// that open ones pause the run from now on; see Options.Attended.
type Unattended struct{}

// SlotFree says that a place is kept for an action of the run; see Slots.
type SlotFree struct{}

// HandOver asks to leave the run to another process soon: nothing begins any more, and
// Run returns ErrHandedOver, with everything committed, once only actions that are
// separate runs still run.
type HandOver struct{}

// Stop ends the process's work on the run at once without an end of the run:
// actions are cancelled and nothing more is committed.
type Stop struct{}

func (Done) isSignal()       {}
func (Refused) isSignal()    {}
func (Lost) isSignal()       {}
func (Idle) isSignal()       {}
func (Held) isSignal()       {}
func (Answered) isSignal()   {}
func (CancelRun) isSignal()  {}
func (Unattended) isSignal() {}
func (SlotFree) isSignal()   {}
func (HandOver) isSignal()   {}
func (Stop) isSignal()       {}
