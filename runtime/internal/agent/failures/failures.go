// Package failures says why a turn of an agent failed and whether a retry can
// help.
//
// Agents fail in the words of other programs and services. The package
// classifies such errors ([Classify], [ClassifyText]), reads the messages that
// services wrap into JSON ([Message]), and recognises replies that are only a
// notice of an empty account ([Exhaustion]).
package failures

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The reasons of failures of agents, for programs.
const (
	ReasonAgent   = "agent"
	ReasonOutput  = "output"
	ReasonCredit  = "credit"
	ReasonTimeout = "timeout"
	// ReasonBudget: the turn cost more than its limit.
	ReasonBudget = "budget"
	// ReasonReplay: the recording lacks the turn, or the turn differs from it.
	ReasonReplay = "replay"
)

// New returns a failure without an exit code.
func New(class flow.Class, reason, format string, args ...any) *flow.Failure {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: -1}
}

// Fatal returns a failure of the agent that lasts until somebody acts.
func Fatal(format string, args ...any) *flow.Failure {
	return New(flow.ClassFatal, ReasonAgent, format, args...)
}

// SessionGone is the failure to continue a session that does not exist any more.
type SessionGone struct{ *flow.Failure }

// Unwrap returns the failure.
func (e *SessionGone) Unwrap() error { return e.Failure }
