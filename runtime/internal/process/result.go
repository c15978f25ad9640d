package process

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The reasons of failures of processes, for programs.
const (
	ReasonStart   = "start"
	ReasonExit    = "exit"
	ReasonSignal  = "signal"
	ReasonTimeout = "timeout"
	ReasonOutput  = "output"
	ReasonValue   = "value"
)

// Result tells how a process action ended. what names the node in messages, as
// in "Bash node 'x'"; timeout is the limit that the context had. The output is
// standard output without one trailing newline, and empty unless the process
// succeeded. Bytes of it that are no UTF-8 become U+FFFD here, so that what
// later steps see is what the journal can hold.
func Result(what string, end *End, err error, timeout time.Duration) flow.Result {
	if err != nil {
		return StartFailure(what, err)
	}
	detail := end.Stderr
	if detail == "" {
		detail = "no diagnostic output"
	}
	switch {
	case errors.Is(end.Stopped, context.DeadlineExceeded):
		return failed(ReasonTimeout, flow.ClassTransient, end.ExitCode, "%s timed out after %dms", what, timeout.Milliseconds())
	case end.Stopped != nil:
		return flow.Result{Status: flow.Cancelled}
	case end.Overflow > 0:
		return failed(ReasonOutput, flow.ClassFatal, end.ExitCode, "%s failed: more than %s came on standard output; write large data to a file in the artifacts folder and print its name", what, size(end.Overflow))
	case end.Signal != "":
		return failed(ReasonSignal, flow.ClassUnknown, end.ExitCode, "%s failed [signal %s]: %s", what, end.Signal, detail)
	case end.ExitCode != 0:
		return failed(ReasonExit, flow.ClassUnknown, end.ExitCode, "%s failed [exit %d]: %s", what, end.ExitCode, detail)
	}
	return flow.Result{Status: flow.Completed, Text: Text(end.Stdout)}
}

// Text returns an output as text: valid UTF-8, without one trailing newline.
func Text(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	return strings.TrimSuffix(text, "\n")
}

// StartFailure tells of an action whose process was not started.
func StartFailure(what string, err error) flow.Result {
	class, reason := flow.ClassFatal, ReasonStart
	var start *StartError
	var failure *flow.Failure
	switch {
	case errors.As(err, &failure):
		class, reason = failure.Class, failure.Reason
	case errors.As(err, &start):
		class = start.Class()
	}
	return failed(reason, class, -1, "%s failed before it started: %v", what, err)
}

func failed(reason string, class flow.Class, exit int, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Message: fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: exit,
	}}
}

func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
