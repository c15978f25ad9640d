package shell

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The exit codes that bash gives when it could not run a command. A script that
// ends with one of them has decided nothing: what it meant to ask was not asked.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// verdict is the result of a test: "true" or "false" by the exit code that the
// script chose, and a failure for any other end. A test that broke is not false.
func verdict(what string, end *process.End, timeout time.Duration) flow.Result {
	if end.Stopped != nil || end.Overflow > 0 || end.Signal != "" {
		return process.Result(what, end, nil, timeout)
	}
	switch end.ExitCode {
	case 0:
		return flow.Result{Status: flow.Completed, Text: "true"}
	case exitNotExecutable:
		return undecided(what, end, "a part of it could not be executed")
	case exitNotFound:
		return undecided(what, end, "a command in it was not found")
	}
	return flow.Result{Status: flow.Completed, Text: "false"}
}

// undecided is the failure of a test that could not ask what it meant to ask.
func undecided(what string, end *process.End, why string) flow.Result {
	message := fmt.Sprintf("%s decided nothing, since %s [exit %d]", what, why, end.ExitCode)
	if end.Stderr != "" {
		message += ": " + end.Stderr
	}
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Message: message, Reason: process.ReasonExit, ExitCode: end.ExitCode,
	}}
}
