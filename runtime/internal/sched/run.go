package sched

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// How it works.
//
// The flow's tasks are coroutines, resumed one at a time from a queue of those that can
// continue. A turn of the scheduler runs tasks until none can continue. Then it commits
// all changes of the turn (results of actions, settled nodes, new questions, and the
// starts that free slots allow) as one batch. Then it begins the actions whose starts it
// has committed. Then it waits for the next signal of the host, which begins the next
// turn.
//
// Two things follow. A result may be given to a task before it is committed,
// because nothing that the task does with it leaves the process before the
// batch that holds both. And a node whose action completed but whose output
// turns out to be unusable is journalled as failed only: the two states fall
// into one batch, and the later one replaces the earlier.
//
// A later process of the run executes the flow code from the beginning. Steps recorded as
// completed are settled at once and cost no batch; everything else happens as if for the
// first time, except for the progress of steps: the number of the running attempt, the
// time of the next one, the end of a sleep, the expiry of a question.
//
// Every end of the flow (its result, a cancellation, a panic, a bug) has the same course:
// the root scope is cancelled, tasks and actions wind up, and the last batch holds their
// ends together with the run's. Steps that clean up have a separate scope, which a
// cancellation leaves alone. Only Stop and a failed commit leave at once, and commit
// nothing more.

// ErrStopped is returned when the host's Stop signal ended the process's work.
var ErrStopped = errors.New("stopped before the run ended")

// ErrHandedOver is returned when the host's HandOver signal ended the process's work.
var ErrHandedOver = errors.New("handed over to another process")

// Options are settings of a scheduler.
type Options struct {
	// MaxParallel is how many actions run at once; less than 1 means no limit. Further
	// ones are pending and begin in the order in which flow code asked for them.
	MaxParallel int
	// Slots, if set, are places for actions that several runs share.
	Slots Slots
	// Nodes are the workflow's nodes in definition order: for the summary and
	// for messages.
	Nodes []flow.NodeInfo
	// Returns is the key of the node whose output is the summary, or "".
	Returns string
	// Attended says that questions are answered in this process, so that open
	// ones do not pause the run.
	Attended bool
	// MaxWait is the longest wait for a time or an event during which the run does not
	// pause.
	MaxWait time.Duration
	// OnInterrupt is the policy for actions that the process before this one left
	// running.
	OnInterrupt settings.Interrupts
	// Died says that the process before this one worked on the run and committed
	// no end of it.
	Died bool
	// Limits end the run when its actions have cost too much.
	Limits settings.Limits
	// Clocks are the starts of the time limits that run, by a key. The scheduler updates
	// them: with those of a process that handed over, time limits continue. nil means that
	// they start anew.
	Clocks map[string]time.Time
}

// Run runs fn as the flow of a run until the run ends or pauses, and returns
// that end, which is committed. recorded are the steps as the journal has
// them. The error is ErrStopped, or that of a commit that failed; then the
// journal holds no end.
func Run(h Host, info *flow.RunInfo, recorded []flow.Record, opt Options, fn func(*flow.Context) (any, error)) (flow.RunState, error) {
	s := &scheduler{host: h, info: info, opt: opt, now: h.Now(), account: account{used: Used(recorded)}}
	s.root.init(nil)
	s.cleanup.init(nil)
	s.journal.loadRecords(recorded, opt.Nodes)
	liftBudgetsAgain(h, recorded)
	defer s.unwindTasks()
	main := s.spawnTask(&s.root, func(e flow.Scheduler) {
		s.value, s.err = flow.RunFlow(e, opt.Nodes, fn)
	})
	s.ready.push(main)
	return s.runTurns(main)
}

// scheduler is the state of one call of Run.
type scheduler struct {
	host Host
	info *flow.RunInfo
	opt  Options
	now  time.Time // the host's clock at the begin of the turn

	root    scope
	cleanup scope // of the steps at the end, which a cancellation does not stop
	seq     int   // numbers the members of scopes, in order of appearance
	ready   ready
	workers []*worker
	idle    []*worker
	current *task

	account
	journal   journal
	actions   actions
	questions questions
	timers    timers
	clocks    map[string]int // time limits that began under a key

	value     any   // what fn returned
	err       error // what fn returned
	failure   *flow.Failure
	cancelled *CancelRun // the request for the run's cancellation
	stopped   bool
	// handsOver says that nothing begins any more; see HandOver.
	handsOver bool
	unwinding bool
}

// runTurns is the life of a run: turn after turn until an end.
func (s *scheduler) runTurns(main *task) (flow.RunState, error) {
	// Answers may have been given while no process worked on the run.
	s.takeSignals(s.host.Next(s.now))
	for !s.stopped {
		s.runReady()
		if main.finished || s.failure != nil || s.atLimit() {
			if !s.root.cancelled || !s.cleanup.cancelled {
				s.root.cancelAll()
				s.cleanup.cancelAll()
				s.runReady()
			}
			if s.actions.running == 0 {
				return s.commitEnd()
			}
		}
		s.fillSlots()
		if err := s.commitBatch(); err != nil {
			return flow.RunState{}, err
		}
		if s.handsOver && s.actions.running == s.actions.children {
			return flow.RunState{}, ErrHandedOver
		}
		signals, paused := s.awaitSignals()
		if paused {
			return s.commitPause()
		}
		s.takeSignals(signals)
	}
	s.cancelRunning()
	return flow.RunState{}, ErrStopped
}

// runReady runs tasks until none can continue.
func (s *scheduler) runReady() {
	for s.ready.len() > 0 {
		i := 0
		if n := s.ready.len(); n > 1 {
			i = s.host.Pick(n)
		}
		s.resumeTask(s.ready.takeAt(i))
	}
}

// commitBatch commits the turn's batch, if it is not empty, and then begins the actions that
// it records as begun.
func (s *scheduler) commitBatch() error {
	if b := s.journal.takeBatch(); !b.Empty() {
		s.actions.prepareStarts(s.host)
		if err := s.host.Commit(b); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
	}
	startCommitted(s)
	if Reached(s.opt.Limits, s.used) == nil || s.limit != nil || !s.questions.anyOutside(&s.cleanup) {
		s.questions.announceCommitted(s.host)
	}
	return nil
}

// awaitSignals waits for the world. It reports a pause when nothing but people's
// answers can move the run and none has come, and fails the run when nothing
// can move it at all.
func (s *scheduler) awaitSignals() (signals []Signal, paused bool) {
	wake, keeps := s.timers.nextDeadline()
	if s.actions.running > s.actions.idle || keeps || s.actions.short || s.questions.open > 0 && s.opt.Attended {
		return s.host.Next(wake), false
	}
	if s.questions.open > 0 || s.actions.idle > 0 {
		signals = s.host.Next(s.now)
		return signals, len(signals) == 0 && !s.timers.hasDueTimer(s.host.Now())
	}
	s.failRun(s.deadlockFailure())
	return nil, false
}

// takeSignals brings the turn's news into the flow: signals first, so that an answer
// that is there wins over its question's time limit.
func (s *scheduler) takeSignals(signals []Signal) {
	s.now = s.host.Now()
	for _, sig := range signals {
		switch sig := sig.(type) {
		case Done:
			s.actionDone(sig)
		case Refused:
			followRefusal(s, sig)
		case Lost:
			s.actionLost(sig.Key)
		case Idle:
			s.actionIdle(sig)
		case Held:
			s.actionHeld(sig)
		case Answered:
			s.takeAnswer(sig.Key, sig.Result)
		case CancelRun:
			if s.cancelled == nil {
				s.cancelled = &sig
				s.root.cancelAll()
			}
		case Unattended:
			s.opt.Attended = false
			s.assumeAll()
		case SlotFree:
		case Logged:
			s.journal.addEvent(sig.Event)
		case HandOver:
			s.handsOver = true
		case Stop:
			s.stopped = true
		default:
			panic(fmt.Sprintf("sched: unknown signal %T", sig))
		}
	}
	for fire := s.timers.popDue(s.now); fire != nil; fire = s.timers.popDue(s.now) {
		fire()
	}
}

// failRun ends the run as failed. The first failure counts.
func (s *scheduler) failRun(f *flow.Failure) {
	s.failure = cmp.Or(s.failure, f)
}
