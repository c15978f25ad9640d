// Package stream runs the programs of coding agents that print one JSON object a line,
// and reports how they ended.
//
// It handles three faults that the programs' protocols do not cover. They print lines
// that are not events: a line that does not begin like a JSON object counts as a message
// to people, as some versions print them, and becomes an error only if the turn does not
// end. They stop in the middle, even with exit code 0: a turn without its last event has
// failed. And they do not stop: after the last event, the program has Turn.Linger to end
// by itself; then the package ends it, and the turn counts as done.
package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

const (
	// LongestLine is the length in bytes of the longest event. One holds a whole
	// result of a tool, images too.
	LongestLine = 64 << 20
	// defaultLinger is the time between the last event and the end of a program.
	defaultLinger = 30 * time.Second
)

// A Turn is a program to run once.
type Turn struct {
	Program *program.Program
	Request *agent.Request
	// Args are the arguments after the program's own, and Stdin is what it reads.
	Args  []string
	Stdin []byte
	// Environ is its environment.
	Environ []string
	// Event takes an event: a JSON object without a newline, of which nothing may
	// be kept. last says that no further one is needed. An error ends the program; one
	// that is not a *flow.Failure says what is wrong with the event.
	Event func(line []byte) (last bool, err error)
	// Printed takes what the program prints on standard error, which is shown too;
	// it may be nil.
	Printed func(piece []byte)
	// Limits bound the process; the zero value has the defaults.
	Limits process.Limits
	// Linger is how long the program may run after the last event; 30 s.
	Linger time.Duration
}

// Run runs the program to its end or to that of the turn. The error says why the turn is
// incomplete: ctx's own error, an error of Event, or a *flow.Failure. After the last
// event there is no error, however the program ends. The End is nil only if the program
// did not start.
func (t *Turn) Run(ctx context.Context) (*process.End, error) {
	if err := t.Program.Guard(t.Args); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if t.Linger <= 0 {
		t.Linger = defaultLinger
	}
	r := &reader{turn: t, stop: stop}
	r.lines.Take = r.handleLine
	command := t.Program.Command(t.Request, t.Args...)
	command.Env, command.Stdin, command.Limits = t.Environ, t.Stdin, t.Limits
	command.Consume, command.Interrupt = r.consumePiece, true
	command.Output = func(_ string, piece []byte) {
		if t.Printed != nil {
			t.Printed(piece)
		}
		if t.Request.Notes != nil {
			t.Request.Notes(piece)
		}
	}
	end, err := process.Run(ctx, command)
	r.stopTimer()
	if err != nil {
		return nil, fmt.Errorf("agent `%s`: %w", t.Request.Agent, err)
	}
	return end, t.completionError(r, end)
}

// completionError returns the error of a turn, or nil if it is complete.
func (t *Turn) completionError(r *reader, end *process.End) error {
	if end.Stopped == nil && end.Consumed == nil && r.err == nil {
		r.handleLastLine()
	}
	err := end.Consumed
	if err == nil {
		err = r.err
	}
	var typed *flow.Failure
	switch {
	case r.last:
		return nil
	case errors.As(err, &typed):
		return err
	case err != nil:
		return t.garbledOutputError(end, r.bad, err)
	case end.Stopped != nil:
		return end.Stopped
	case end.Signal != "":
		return t.newFailure(end, flow.ClassUnknown, process.ReasonSignal, "was ended by %s%s", end.Signal, stderrDetail(end))
	case end.ExitCode != 0:
		return t.exitError(r, end)
	case r.strange != "":
		return t.garbledOutputError(end, r.strange, errNoEvent)
	}
	return t.newFailure(end, flow.ClassTransient, failures.ReasonAgent, "ended in the middle of its turn, without the event that ends one%s", stderrDetail(end))
}

var (
	errNoEvent = errors.New("it is not a JSON object, and the event that ends a turn is missing")
)

// exitError is the failure of a program that ended with an exit code. It says why
// on standard error, or else, as some do, in place of an event.
func (t *Turn) exitError(r *reader, end *process.End) error {
	said := end.Stderr
	if said == "" {
		said = Line(t.Environ, r.strange, longestNote)
	}
	when, class := "before it began", failures.ClassifyText(said)
	if r.begun {
		when = "in the middle of its turn"
	}
	lower := strings.ToLower(said)
	for _, phrase := range []string{"unknown option", "unexpected argument", "unknown argument", "invalid value for", "unrecognized subcommand"} {
		if !r.begun && strings.Contains(lower, phrase) {
			return t.newFailure(end, flow.ClassFatal, process.ReasonExit, "refuses the arguments of wfc; another version may accept them [exit %d]: %s", end.ExitCode, said)
		}
	}
	if said != "" {
		said = ": " + said
	}
	return t.newFailure(end, class, process.ReasonExit, "failed %s [exit %d]%s", when, end.ExitCode, said)
}

const (
	// longestQuote is the number of characters of a line that is quoted.
	longestQuote = 120
	// mostQuoted is the number of bytes of a line that are kept for quoting it.
	// They are more, because secrets in them become shorter.
	mostQuoted = 4 << 10
)

func (t *Turn) garbledOutputError(end *process.End, line string, err error) error {
	return t.newFailure(end, flow.ClassUnknown, failures.ReasonOutput, "printed something that cannot be read: %v: %s%s",
		err, Line(t.Environ, line, longestQuote), stderrDetail(end))
}

func (t *Turn) newFailure(end *process.End, class flow.Class, reason, format string, args ...any) error {
	return &flow.Failure{
		Message: fmt.Sprintf("agent `%s`: the program `%s` ", t.Request.Agent, t.Program.Name) + fmt.Sprintf(format, args...),
		Class:   class, Reason: reason, ExitCode: end.ExitCode,
	}
}

// stderrDetail is what the program said last on standard error.
func stderrDetail(end *process.End) string {
	if end.Stderr == "" {
		return ""
	}
	return ": " + end.Stderr
}

// Gone returns the failure of a turn whose program does not have its session any
// more. exit is the program's exit code.
func Gone(r *agent.Request, exit int) error {
	f := failures.Fatal("agent `%s`: its session `%s` no longer exists", r.Agent, r.Session)
	f.ExitCode = exit
	return &failures.SessionGone{Failure: f}
}

// orFresh performs a turn by ask. If its session is gone, and the session is only
// that of an earlier run, orFresh warns and asks again in a new session.
func orFresh(r *agent.Request, ask func(*agent.Request) (*agent.Reply, error)) (*agent.Reply, error) {
	reply, err := ask(r)
	var gone *failures.SessionGone
	if !r.Persist || r.Fork || !errors.As(err, &gone) {
		return reply, err
	}
	NewOutput(r).Warn("the session %s of the last run is gone; a new one starts", r.Session)
	again := *r
	again.Session, again.FreshSession = "", true
	return ask(&again)
}
