// Package command is the agent that asks any program.
//
// The program is started once a turn. It reads the request, one JSON object,
// from standard input to its end:
//
//	{
//	  "wfc": 1,                  the version of this protocol
//	  "run_id": "w-abc123", "step": "fix#3", "attempt": 1,
//	  "agent": "claude",         the name under which it is asked
//	  "prompt": "…",             with a schema, the prompt ends with a description of it
//	  "model": "…",              the wanted model; absent: the program's choice
//	  "schema": {…},             the JSON Schema that the answer must satisfy; absent: none
//	  "options": {"name": …},    further settings of the node
//	  "session": "…",            the session to continue; absent: none
//	  "fresh_session": true,     whether to forget earlier turns; absent: no
//	  "work_dir": "/…"           where to work; it is also the current folder
//	}
//
// It answers on standard output, in one of two ways. Plain text is the answer, without
// one trailing newline, and is shown as it comes. A JSON object that begins with the key
// "wfc" says more:
//
//	{
//	  "wfc": 1,                  first, so that the answer is not shown as text
//	  "text": "…",               the answer
//	  "structured": …,           the answer as JSON, when a schema was given
//	  "session": "…", "model": "…",
//	  "cost_usd": 0.01, "input_tokens": 1, "output_tokens": 1, "turns": 1,
//	  "error": {"message": "…", "class": "transient" | "fatal"}
//	}
//
// Every key but "wfc" may be absent. An error fails the turn with any exit code. Without
// one, exit code 0 is success, 75 (EX_TEMPFAIL) a transient failure, 77 (EX_NOPERM) one
// that stays until somebody acts, and any other a failure whose class the end of standard
// error determines.
//
// All output, also on standard error, is a sign of life: a program that is silent for the
// prompt's idle timeout is ended.
package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Agent asks a program.
type Agent struct {
	// Program is a name to be looked up on PATH or a path.
	Program string
	// Args are its arguments.
	Args []string
	// Limits bound its process; the zero value has the defaults.
	Limits process.Limits
}

var _ agent.Agent = (*Agent)(nil)

// New returns the agent that asks a program.
func New(program string, args ...string) *Agent { return &Agent{Program: program, Args: args} }

// Capabilities implements agent.Agent. All options are handed over; whether a
// reply satisfies its schema is checked afterwards. The program gets Fork, too.
func (*Agent) Capabilities() agent.Capabilities { return agent.Capabilities{Forks: true} }

// The exit codes with a special meaning, from sysexits.h.
const (
	exitTransient = 75
	exitFatal     = 77
)

// Turn implements agent.Agent.
func (a *Agent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	path, err := process.LookPath(a.Program, "", r.Environ)
	if err != nil {
		return nil, notStarted(r.Agent, err)
	}
	input, err := encodeRequest(r)
	if err != nil {
		return nil, fmt.Errorf("agent `%s`: write the request: %w", r.Agent, err)
	}
	show := &preview{request: r}
	end, err := process.Run(ctx, &process.Command{
		Path: path, Name: a.Program, Args: a.Args, Dir: r.WorkDir, Env: r.Environ, Stdin: input,
		Output: show.showOutput,
		Owner:  process.Owner{Dir: r.RunDir, RunID: r.RunID, Key: r.Key},
		Limits: a.Limits,
	})
	if err != nil {
		return nil, notStarted(r.Agent, err)
	}
	reply, err := a.replyFromEnd(end)
	if end.Stopped != nil {
		return reply, end.Stopped // with its cost, if it said so at the end
	}
	if err == nil {
		show.showHidden(reply)
	}
	return reply, err
}

// notStarted is the failure of a turn whose program did not begin.
func notStarted(agentName string, err error) error {
	return failures.New(failures.Classify(err), process.ReasonStart, "agent `%s`: %v", agentName, err)
}

// replyFromEnd makes a reply from the end of the program. A reply beside an error holds the cost
// of the turn.
func (a *Agent) replyFromEnd(end *process.End) (*agent.Reply, error) {
	if end.Overflow > 0 {
		return nil, a.newFailure(flow.ClassFatal, process.ReasonOutput, end.ExitCode, "printed more than %d bytes on standard output", end.Overflow)
	}
	envelope, err := parseEnvelope(end.Stdout)
	if err != nil {
		return nil, a.newFailure(flow.ClassFatal, process.ReasonOutput, end.ExitCode, "printed an answer that cannot be read: %v", err)
	}
	var reply *agent.Reply
	if envelope == nil {
		reply = &agent.Reply{Text: process.Text(end.Stdout)}
	} else {
		reply = envelope.toReply()
		if e := envelope.Error; e != nil {
			f := &flow.Failure{Message: e.Message, Class: e.Class, Reason: failures.ReasonAgent, ExitCode: end.ExitCode,
				RetryAfter: time.Duration(e.RetryAfter * float64(time.Second))}
			if !e.Reset.IsZero() {
				failures.OutOfQuota(f, e.Reset)
			}
			return reply, f
		}
	}
	detail := cmp.Or(end.Stderr, "it printed nothing on standard error")
	if envelope == nil && end.Printed != "" {
		detail = end.Detail()
	}
	switch {
	case end.Signal != "":
		return reply, a.newFailure(flow.ClassUnknown, process.ReasonSignal, end.ExitCode, "was ended by %s: %s", end.Signal, detail)
	case end.ExitCode == exitTransient:
		return reply, a.newFailure(flow.ClassTransient, process.ReasonExit, end.ExitCode, "failed for now [exit %d]: %s", end.ExitCode, detail)
	case end.ExitCode == exitFatal:
		return reply, a.newFailure(flow.ClassFatal, process.ReasonExit, end.ExitCode, "may not do this [exit %d]: %s", end.ExitCode, detail)
	case end.ExitCode != 0:
		// Only what the program says is classified, not its name.
		return reply, a.newFailure(failures.ClassifyText(end.Stderr), process.ReasonExit, end.ExitCode, "failed [exit %d]: %s", end.ExitCode, detail)
	}
	return reply, nil
}

func (a *Agent) newFailure(class flow.Class, reason string, exit int, format string, args ...any) error {
	return &flow.Failure{Message: "the agent program `" + a.Program + "` " + fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: exit}
}

// errVersion is what parse says of an envelope of another protocol.
var errVersion = errors.New("its \"wfc\" is not 1, the version of the protocol")

// request is the request as the program reads it.
type request struct {
	Version      int                        `json:"wfc"`
	RunID        string                     `json:"run_id"`
	Step         string                     `json:"step"`
	Attempt      int                        `json:"attempt"`
	Agent        string                     `json:"agent"`
	Prompt       string                     `json:"prompt"`
	Model        string                     `json:"model,omitempty"`
	Schema       json.RawMessage            `json:"schema,omitempty"`
	Options      map[string]json.RawMessage `json:"options,omitempty"`
	Session      string                     `json:"session,omitempty"`
	FreshSession bool                       `json:"fresh_session,omitempty"`
	Fork         bool                       `json:"fork_session,omitempty"`
	WorkDir      string                     `json:"work_dir,omitempty"`
}

func encodeRequest(r *agent.Request) ([]byte, error) {
	q := request{
		Version: version, RunID: r.RunID, Step: r.Key, Attempt: r.Attempt, Agent: r.Agent,
		Prompt: r.Instruct(), Model: r.Model, Schema: r.Schema,
		Session: r.Session, FreshSession: r.FreshSession, Fork: r.Fork, WorkDir: r.WorkDir,
	}
	if len(r.Options) > 0 {
		q.Options = make(map[string]json.RawMessage, len(r.Options))
		for _, o := range r.Options {
			q.Options[o.Name] = json.RawMessage(o.Value)
		}
	}
	text, err := json.Marshal(q)
	return append(text, '\n'), err
}

var _ agent.Inspector = (*Agent)(nil)

// Inspect implements agent.Inspector. More than whether the program is there
// cannot be known of any program.
func (a *Agent) Inspect(_ context.Context, q *engine.Inspection, s *engine.AgentState) {
	path, err := process.LookPath(a.Program, "", q.Environ)
	if err != nil {
		s.Installed, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		return
	}
	s.Program, s.Installed = path, engine.Yes
}
