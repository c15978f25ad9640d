// Package process runs programs for actions. It knows no kinds of nodes: the
// performers say which program to run, and turn its outcome into a result.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Command is one program to run once.
type Command struct {
	// Path is the program's file, absolute or relative to the current folder;
	// see LookPath.
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Name is the program's argument 0; "" means Path.
	Name string
	// Dir is the working directory; "" means the current one.
	Dir string
	// Env is the environment. Of two settings of a variable the later counts.
	Env []string
	// Stdin is what the program can read; nil is the null device.
	Stdin []byte
	// Feed, in place of Stdin, writes what the program can read while it runs. It
	// is called once, in a goroutine of its own, when the program has started;
	// its return ends the program's input. Run returns after it.
	// ctx ends when the program has ended and all of its output has been taken;
	// by then writing fails, and a write that the program does not read waits
	// until then.
	Feed func(ctx context.Context, w io.Writer)
	// Output takes what the program prints as it comes, with secrets masked.
	// Calls are never concurrent and none is made after Run returns. It may be
	// nil. stream is "stdout" or "stderr".
	Output func(stream string, piece []byte)
	// Consume takes standard output as it comes, as the program printed it, in
	// pieces that may end anywhere; none of it is kept or handed to Output, and
	// Limits.Output does not bound it. An error ends the process and is
	// End.Consumed; there are no calls after one. Calls are never concurrent, not
	// with those of Output either, and nothing of a piece may be kept. It may be
	// nil.
	Consume func(piece []byte) error
	// Owner says for which step of which run the program works. The zero Owner
	// leaves no record and sets no variables.
	Owner Owner
	// Hold, if set, is not released yet: the program has its pipe as file 3, and must wait
	// there for a line. Its output is taken after the release.
	Hold *Hold
	// Timeout ends the program as the end of ctx does, so long after its start or the
	// release of Hold; 0 means never.
	Timeout time.Duration
	// Limits bound what the program may do; the zero value has the defaults.
	Limits Limits
}

// An Owner is the step a process works for.
type Owner struct {
	// Dir is the run's own folder in the state folder, where the process is
	// recorded while it runs. "" records nothing.
	Dir   string
	RunID string
	Key   string
}

// Limits bound a process. A zero field means the default.
type Limits struct {
	// Grace is the time between asking a group to end and killing it; 5 s.
	Grace time.Duration
	// Linger is how long a process that has ended may leave its output open in
	// processes that it started; 2 s. After it they are ended too.
	Linger time.Duration
	// Output is the number of bytes that may come on standard output; 64 MiB.
	Output int
}

const (
	defaultGrace  = 5 * time.Second
	defaultLinger = 2 * time.Second
	defaultOutput = 64 << 20
)

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.Grace, defaultGrace), cmp.Or(l.Linger, defaultLinger), cmp.Or(l.Output, defaultOutput)}
}

// An End is the outcome of a process.
type End struct {
	// Stdout is all that came on standard output, as it came; nothing when the
	// command has a Consume.
	Stdout []byte
	// Consumed is the error with which Consume ended the process, or nil.
	Consumed error
	// Stderr is the end of what came on standard error: at most 2,000
	// characters, without surrounding white space, with secrets masked.
	Stderr string
	// ExitCode is the exit status, or -1 when the process has none because a
	// signal ended it.
	ExitCode int
	// Signal names the signal that ended the process, such as "SIGKILL", or is
	// "".
	Signal string
	// Stopped is the context's error when its end ended the process; then it
	// is context.Canceled or context.DeadlineExceeded. It is nil when the
	// process had ended by itself before.
	Stopped error
	// Overflow is the limit in bytes when more came on standard output and the
	// process was ended for it; else 0.
	Overflow int
	// Lingered says that the process ended but others that it had started in
	// its group kept its output open and were ended.
	Lingered bool
}

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

// Invalid returns the failure of a process that cannot get what it is to get,
// such as a value; trying again cannot help.
func Invalid(format string, args ...any) error {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: flow.ClassFatal, Reason: ReasonValue}
}

// Entry returns a variable as an entry of an environment. The error is a
// *flow.Failure when there can be no such entry.
func Entry(v flow.Variable) (string, error) {
	if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") {
		return "", Invalid("`%s` cannot be the name of an environment variable", v.Name)
	}
	if strings.ContainsRune(v.Value, 0) {
		return "", Invalid("the value of $%s holds a NUL byte, which no environment variable can", v.Name)
	}
	return v.Name + "=" + v.Value, nil
}

// Note logs what a Result cannot say about the process of a step.
func Note(log *slog.Logger, key string, end *End) {
	if end.Lingered && end.Stopped == nil && end.Overflow == 0 {
		log.Warn("the script ended but processes that it started kept its output open; they were ended. Send the output of a background process elsewhere to keep it running, or wait for it", "node", key)
	}
	if end.Stopped == nil && !utf8.Valid(end.Stdout) {
		log.Warn("the output is not UTF-8; the bytes that are not are replaced by U+FFFD", "node", key)
	}
}
