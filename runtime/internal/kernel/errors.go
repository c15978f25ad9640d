// Package kernel holds the words that flow code, its engines and the programs around
// them share and that workflows never write: verdicts, reasons, types of events, and
// the way in which panics and unknown values travel through flow code.
//
// The package imports nothing but the standard library.
package kernel

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCancelled is the error of flow code whose scope or run is cancelled. Package
// flow exports it.
var ErrCancelled = errors.New("cancelled")

// A LimitError is the verdict of a run that reached one of its own limits. Flow code
// returns it, possibly wrapped. Engines end the run as LimitReached: a resumed run may
// have a higher limit.
type LimitError struct {
	// Limit is the limit's name as a user writes it, such as `max_steps` or
	// `--max-cost`. It becomes the reason of the run's end.
	Limit string
	// Used and Max are amounts with their units: "$1.20", "12 steps".
	Used, Max string
	// Hint tells the user how to continue; it may be "".
	Hint string
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the limit `%s` of %s is reached: %s used", e.Limit, e.Max, e.Used)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// A StopError is the verdict of a run that stops until somebody resumes it. Engines
// end the run as Paused.
type StopError struct {
	// Reason is ReasonStopped, or "timeout" when nobody answered in time.
	Reason  string
	Message string
}

func (e *StopError) Error() string { return e.Message }

// A GoalsError is the verdict of a state graph that reached its end while none of its
// completion conditions holds. Engines end the run as Completed, with ReasonGoals.
type GoalsError struct{}

func (*GoalsError) Error() string {
	return "the run has ended, but none of its completion conditions holds"
}

// An OutcomeError is the author's verdict on a run, beside its status. Err is the verdict
// of the flow itself, which is nil if the run completes.
type OutcomeError struct {
	// Outcome is OutcomeSucceeded or OutcomeFailed.
	Outcome string
	Err     error
}

func (e *OutcomeError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "the run has ended with the outcome " + e.Outcome
}

// Unwrap returns Err.
func (e *OutcomeError) Unwrap() error { return e.Err }

// A CancelError is the verdict of a run that one of its nodes cancelled.
type CancelError struct{ Reason string }

func (e *CancelError) Error() string { return e.Reason }

// Is makes errors.Is(err, ErrCancelled) hold.
func (e *CancelError) Is(target error) bool { return target == ErrCancelled }

// A NodesError is the verdict of a run whose nodes failed, or of which no node
// completed.
type NodesError struct{ Nodes []NodeError }

// A NodeError is one failed node.
type NodeError struct {
	Key string
	Err error
}

func (e *NodesError) Error() string {
	if len(e.Nodes) == 0 {
		return "no node completed: every node was skipped by its condition or trigger rule"
	}
	var b strings.Builder
	for i, n := range e.Nodes {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "node '%s': %v", n.Key, n.Err)
	}
	return b.String()
}
