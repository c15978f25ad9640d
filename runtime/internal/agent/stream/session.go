package stream

import (
	"errors"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A GoneError is the failure of a turn whose session the program does not have
// any more.
type GoneError struct{ *flow.Failure }

// Unwrap returns the failure.
func (e *GoneError) Unwrap() error { return e.Failure }

// Gone returns the failure of a turn, whose program ended with the exit code,
// because its session is gone.
func Gone(r *agent.Request, exit int) error {
	return &GoneError{&flow.Failure{
		Message: fmt.Sprintf("agent `%s`: it has no session `%s` any more", r.Agent, r.Session),
		Class:   flow.ClassFatal, Reason: agent.ReasonAgent, ExitCode: exit,
	}}
}

// GoOn performs a turn by ask. When its session is gone and the step only likes
// to go on with that of the last run, it says so and asks again with a new one.
func GoOn(r *agent.Request, ask func(*agent.Request) (*agent.Reply, error)) (*agent.Reply, error) {
	reply, err := ask(r)
	var gone *GoneError
	if !r.Persist || !errors.As(err, &gone) {
		return reply, err
	}
	NewOutput(r).Warn("the session %s of the last run is gone; a new one begins", r.Session)
	again := *r
	again.Session, again.FreshSession = "", true
	return ask(&again)
}
