package flow

// Status is the state of a run or of a step.
type Status string

// The states. Runs use Pending, Running, Interrupted, Paused, Completed,
// Failed, Cancelled and LimitReached; steps use Pending, Running, Waiting,
// Completed, Failed, Skipped and Cancelled.
const (
	// Pending: not yet begun.
	Pending Status = "pending"
	// Running: begun and not ended.
	Running Status = "running"
	// Interrupted: a run that says Running but whose process is gone. It is
	// never stored, only shown.
	Interrupted Status = "interrupted"
	// Waiting: a step that waits for a person.
	Waiting Status = "waiting"
	// Paused: a run that waits for a person and has no process.
	Paused Status = "paused"
	// Completed: ended well.
	Completed Status = "completed"
	// Failed: ended badly.
	Failed Status = "failed"
	// Skipped: a step that did not run, with a reason.
	Skipped Status = "skipped"
	// Cancelled: ended by a person, by a cancel step, or with its scope.
	Cancelled Status = "cancelled"
	// LimitReached: a run that one of its own limits ended; it can be resumed.
	LimitReached Status = "limit_reached"
)

// Ended reports whether a run or step of this state will not go on by itself.
func (s Status) Ended() bool {
	switch s {
	case Completed, Failed, Skipped, Cancelled, LimitReached:
		return true
	}
	return false
}

// A Rule decides from how the dependencies of a node ended whether it runs.
type Rule func(ends []Status) bool

// AllSuccess runs a node when every dependency completed; a skipped one
// blocks it.
func AllSuccess(ends []Status) bool {
	for _, s := range ends {
		if s != Completed {
			return false
		}
	}
	return true
}

// OneSuccess runs a node when at least one dependency completed.
func OneSuccess(ends []Status) bool {
	for _, s := range ends {
		if s == Completed {
			return true
		}
	}
	return false
}

// NoneFailedMinOneSuccess runs a node when no dependency failed and at least
// one completed.
func NoneFailedMinOneSuccess(ends []Status) bool {
	for _, s := range ends {
		if s == Failed || s == Cancelled {
			return false
		}
	}
	return OneSuccess(ends)
}

// AllDone runs a node however its dependencies ended.
func AllDone([]Status) bool { return true }

// Reasons for which a step is skipped.
const (
	// SkipRule: the trigger rule did not hold.
	SkipRule = "trigger_rule"
	// SkipFailure: something before it failed, after which nothing begins: a step of
	// its sequence, or any node of a flow that halts.
	SkipFailure = "earlier_failure"
	// SkipCondition: the condition was false.
	SkipCondition = "when_condition"
	// SkipCancelled: the run, or the part of it that the step belongs to, was
	// cancelled before the step began.
	SkipCancelled = "run_cancelled"
	// SkipUnreached: the run ended before the step began.
	SkipUnreached = "not_reached"
)
