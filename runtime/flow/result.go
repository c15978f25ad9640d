package flow

import (
	"errors"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

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

// Class says whether trying a failure again can help.
type Class string

// The classes of failures.
const (
	// ClassUnknown is a failure of which nothing is known.
	ClassUnknown Class = ""
	// ClassTransient is a failure that passes by itself: a lost connection, a
	// full service.
	ClassTransient Class = "transient"
	// ClassFatal is a failure that stays until somebody acts: missing rights,
	// no credit.
	ClassFatal Class = "fatal"
)

// A Failure is why an action or a node did not complete. It is an error.
type Failure struct {
	Message string `json:"message"`
	Class   Class  `json:"class,omitempty"`
	// Reason names the kind of failure for programs: "exit", "timeout",
	// "signal", "reference", "panic", "agent", "output", …
	Reason string `json:"reason,omitempty"`
	// ExitCode is a process's exit code; -1 when it has none.
	ExitCode int `json:"exit_code,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// AsFailure returns the failure that an error is or wraps. Another error becomes a
// failure with its message.
func AsFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Message: err.Error()}
}

// Result is how an action ended.
type Result struct {
	// Status is Completed, Failed, Cancelled or Skipped.
	Status Status `json:"status"`
	// Text is the output. A failed action may have some.
	Text string `json:"text,omitempty"`
	// Failure is set when Status is Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Meta is what the performer reports besides: cost, tokens, session.
	Meta Meta `json:"meta,omitzero"`
	// Unknown is set if the action was only planned, so that its output is not known;
	// Text is a placeholder then. It is never journalled.
	Unknown kernel.Unknown `json:"-"`
}

// Meta is what an action reports besides its output. Zero fields are unknown.
type Meta struct {
	// CostUSD is the cost in US dollars.
	CostUSD float64 `json:"cost_usd,omitempty"`
	// InputTokens and OutputTokens count what a model read and wrote.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// Turns counts the agent's turns.
	Turns int `json:"turns,omitempty"`
	// Session identifies the agent's session, to continue it.
	Session string `json:"session,omitempty"`
	// Model is the model that answered.
	Model string `json:"model,omitempty"`
	// Attempts counts how often the action was tried.
	Attempts int `json:"attempts,omitempty"`
	// Choice is the answer that a person gave, of a question that has choices.
	Choice string `json:"choice,omitempty"`
	// By, From say who answered a question and from where.
	By   string `json:"by,omitempty"`
	From string `json:"from,omitempty"`
	// Replayed is the part of cost, tokens and turns that came out of a recording,
	// so that nobody paid for it now.
	Replayed Usage `json:"replayed,omitzero"`
}

// Usage is what turns of an agent cost.
type Usage struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
}

// Usage is what an action cost, what was replayed included.
func (m Meta) Usage() Usage { return Usage{m.CostUSD, m.InputTokens, m.OutputTokens, m.Turns} }

// Spent is what an action cost, without what was replayed.
func (m Meta) Spent() Usage {
	return Usage{
		m.CostUSD - m.Replayed.CostUSD, m.InputTokens - m.Replayed.InputTokens,
		m.OutputTokens - m.Replayed.OutputTokens, m.Turns - m.Replayed.Turns,
	}
}

// Plus sums what two actions cost; of the rest, what the second one says counts
// before what the first one does.
func (m Meta) Plus(next Meta) Meta {
	next.CostUSD += m.CostUSD
	next.InputTokens += m.InputTokens
	next.OutputTokens += m.OutputTokens
	next.Turns += m.Turns
	next.Replayed.CostUSD += m.Replayed.CostUSD
	next.Replayed.InputTokens += m.Replayed.InputTokens
	next.Replayed.OutputTokens += m.Replayed.OutputTokens
	next.Replayed.Turns += m.Replayed.Turns
	if next.Session == "" {
		next.Session = m.Session
	}
	if next.Model == "" {
		next.Model = m.Model
	}
	return next
}
