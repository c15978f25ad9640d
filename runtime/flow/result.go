package flow

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Status is the state of a run or of a step.
type Status string

// The states. Runs use Pending, Running, Interrupted, Paused, Completed,
// Failed, Cancelled and LimitReached; steps use Pending, Running, Interrupted, Waiting,
// Completed, Failed, Skipped and Cancelled.
const (
	// Pending: not started. (For a Task, Pending also means running; see Task.Status.)
	Pending Status = "pending"
	// Running: started and not ended.
	Running Status = "running"
	// Interrupted: a running run or step whose process is gone. It is shown and never
	// stored.
	Interrupted Status = "interrupted"
	// Waiting: a step with an open question: it waits for a person, a time or an event.
	Waiting Status = "waiting"
	// Paused: a run that waits for a person, a time or an event and has no process.
	Paused Status = "paused"
	// Completed: ended with success.
	Completed Status = "completed"
	// Failed: ended with a failure.
	Failed Status = "failed"
	// Skipped: a step that did not run, with a reason.
	Skipped Status = "skipped"
	// Cancelled: ended by a person, by a node of kind "cancel", or with its scope.
	Cancelled Status = "cancelled"
	// LimitReached: a run that one of its limits ended; it can be resumed.
	LimitReached Status = "limit_reached"
)

// Ended reports whether s is Completed, Failed, Skipped, Cancelled or LimitReached. A run
// that has ended without completing, such as one at its limit, can still be resumed.
func (s Status) Ended() bool {
	switch s {
	case Completed, Failed, Skipped, Cancelled, LimitReached:
		return true
	}
	return false
}

// A Rule is a trigger rule: it decides whether a node runs, given the statuses of its
// dependencies.
type Rule func(ends []Status) bool

// AllSuccess is a Rule, the default: the node runs if every dependency completed. A
// skipped dependency prevents it.
func AllSuccess(ends []Status) bool {
	return !slices.ContainsFunc(ends, func(s Status) bool { return s != Completed })
}

// OneSuccess is a Rule: the node runs if at least one dependency completed.
func OneSuccess(ends []Status) bool { return slices.Contains(ends, Completed) }

// NoneFailedMinOneSuccess is a Rule: the node runs if no dependency failed and at least
// one completed.
func NoneFailedMinOneSuccess(ends []Status) bool {
	return OneSuccess(ends) && !slices.Contains(ends, Failed) && !slices.Contains(ends, Cancelled)
}

// AllDone is a Rule: the node runs however its dependencies ended.
func AllDone([]Status) bool { return true }

// Class says whether a retry can help after a failure.
type Class string

// The classes of failures.
const (
	// ClassUnknown is a failure of unknown cause.
	ClassUnknown Class = ""
	// ClassTransient is a temporary failure: a lost connection, an overloaded service.
	ClassTransient Class = "transient"
	// ClassFatal is a failure that a person must repair, such as missing permissions or
	// credit.
	ClassFatal Class = "fatal"
)

// A Failure is the error of an action or a node that did not complete.
type Failure struct {
	Message string `json:"message"`
	Class   Class  `json:"class,omitempty"`
	// Reason names the kind of failure for programs, such as "exit", "timeout", "signal",
	// "reference", "panic", "misuse", "agent", "quota" or "output". Others may appear.
	Reason string `json:"reason,omitempty"`
	// ExitCode is the exit code of the process that failed, if it is greater than 0.
	// Otherwise the failure has no exit code.
	ExitCode int `json:"exit_code,omitempty"`
	// RetryAfter is how long the service or the program asks to wait before the next attempt;
	// 0 means that it doesn't say so. A retry waits at least that long.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	// Quota makes the failure of an action a durable wait instead of its end: the engine
	// performs the action again when the quota is reset. Performers set it only where the
	// project's settings allow the wait.
	Quota *Quota `json:"quota,omitempty"`
}

// A Quota is an agent's plan or rate that is used up for now.
type Quota struct {
	// Agent is the agent's name.
	Agent string `json:"agent"`
	// Reset is when the agent answers again, or zero if it doesn't say so. Then the engine
	// tries again after growing waits.
	Reset time.Time `json:"reset,omitzero"`
	// MaxWait limits the sum of the waits of one action. The action fails at once if Reset is
	// later.
	MaxWait time.Duration `json:"max_wait,omitempty"`
	// Delay is how long after Reset the action is performed again, so that many waits for the
	// same reset end one after another.
	Delay time.Duration `json:"delay,omitempty"`
	// FirstWait is the first wait if Reset is zero, 0 for 5 minutes; and MaxWaits limits the
	// number of waits of one action, 0 for no limit.
	FirstWait time.Duration `json:"first_wait,omitempty"`
	MaxWaits  int           `json:"max_waits,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// AsFailure returns the *Failure that err is or wraps. For any other error it returns a
// new Failure with the error's message. err must not be nil.
func AsFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Message: err.Error()}
}

// A Result is the end of an action.
type Result struct {
	// Status is Completed, Failed, Cancelled or Skipped.
	Status Status `json:"status"`
	// Text is the output. A failed action may have one.
	Text string `json:"text,omitempty"`
	// Failure is set when Status is Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Meta are the cost, the tokens and the session.
	Meta Meta `json:"meta,omitzero"`
	// StdoutPath is the path of the file with the standard output, if the action keeps one.
	// Context.Do and DoAs set it; it is never journalled.
	StdoutPath string `json:"-"`
}

// Meta are facts about an action besides its output. Zero fields are unknown.
type Meta struct {
	// CostUSD is the cost in US dollars.
	CostUSD float64 `json:"cost_usd,omitempty"`
	// InputTokens and OutputTokens count the tokens that a model read and wrote.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// Turns counts the agent's turns.
	Turns int `json:"turns,omitempty"`
	// Session identifies the agent's session, to continue it.
	Session string `json:"session,omitempty"`
	// Model is the model that answered.
	Model string `json:"model,omitempty"`
	// Attempts counts the attempts at the action.
	Attempts int `json:"attempts,omitempty"`
	// Choice is a person's answer to a question with choices.
	Choice string `json:"choice,omitempty"`
	// By is the name of the person who answered a question, and From the place from which
	// they answered, such as a machine and a terminal.
	By   string `json:"by,omitempty"`
	From string `json:"from,omitempty"`
	// Replayed is the part of cost, tokens and turns that comes from a recording and was
	// not spent again.
	Replayed Usage `json:"replayed,omitzero"`
	// Unpriced and Uncounted say why CostUSD, or the tokens, lack those of a turn, such as
	// "agent `pi` did not report its cost". They are "" if all are known.
	Unpriced  string `json:"unpriced,omitempty"`
	Uncounted string `json:"uncounted,omitempty"`
}

// Usage is the cost of an agent's turns: money in US dollars, tokens and turns.
type Usage struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
}

// Usage returns the cost of an action, including its replayed part.
func (m Meta) Usage() Usage { return Usage{m.CostUSD, m.InputTokens, m.OutputTokens, m.Turns} }

// Spent returns the cost of an action without its replayed part.
func (m Meta) Spent() Usage {
	return Usage{
		plain.RoundDollars(m.CostUSD - m.Replayed.CostUSD), m.InputTokens - m.Replayed.InputTokens,
		m.OutputTokens - m.Replayed.OutputTokens, m.Turns - m.Replayed.Turns,
	}
}

// Plus returns the sum of the costs of two actions. The other facts are those of next, or
// of m where next has none.
func (m Meta) Plus(next Meta) Meta {
	next.CostUSD = plain.RoundDollars(next.CostUSD + m.CostUSD)
	next.InputTokens += m.InputTokens
	next.OutputTokens += m.OutputTokens
	next.Turns += m.Turns
	next.Replayed.CostUSD = plain.RoundDollars(next.Replayed.CostUSD + m.Replayed.CostUSD)
	next.Replayed.InputTokens += m.Replayed.InputTokens
	next.Replayed.OutputTokens += m.Replayed.OutputTokens
	next.Replayed.Turns += m.Replayed.Turns
	next.Session = cmp.Or(next.Session, m.Session)
	next.Model = cmp.Or(next.Model, m.Model)
	next.Unpriced = cmp.Or(m.Unpriced, next.Unpriced)
	next.Uncounted = cmp.Or(m.Uncounted, next.Uncounted)
	return next
}
