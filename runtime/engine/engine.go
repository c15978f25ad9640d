// Package engine defines what performs the actions of a run on behalf of an
// engine. Packages below it are the engines themselves.
package engine

import (
	"context"
	"log/slog"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Performer performs the actions of one kind.
type Performer interface {
	// Kind is the kind of payload it performs.
	Kind() string
	// Perform performs one attempt and returns how it ended. It returns soon
	// after ctx is done, with nothing of the attempt left running; when ctx ends
	// by cancellation the status is Cancelled, when it ends by the attempt's
	// timeout the status is Failed with reason "timeout". It must be safe for
	// concurrent use.
	Perform(ctx context.Context, call *Call) flow.Result
}

// A Deliverer is a Performer that sends messages to targets.
type Deliverer interface {
	Performer
	// Unready says of each target that cannot be delivered to what is missing.
	// Nothing is sent for it.
	Unready(targets, environ []string) []error
}

// A Call is one attempt at an action.
type Call struct {
	Run *flow.RunInfo
	// Workflow is the run's workflow. It may be nil.
	Workflow *flow.Definition
	Action   flow.Action
	// Attempt counts from 1.
	Attempt int
	// Dir is the run's own folder in the state folder: for bindings and files
	// that tell a later process what this one left running.
	Dir string
	// Environ is the environment for processes, as os.Environ has it.
	Environ []string
	// Output takes what the action prints or says while it goes on, one call a
	// piece; stream is "stdout", "stderr" or "agent". It may be nil.
	Output func(stream string, piece []byte)
	// Log takes notes for the run's log. It is never nil.
	Log *slog.Logger
	// Warn tells people of something that stops nothing: in the log, while the run
	// goes on and with its result. It may be nil.
	Warn func(message string)
}

// An AgentChoice says what stands behind an agent's name in this process, as
// wfc.yaml has it when a program is built and `--agent NAME=KIND:ARGUMENT` gives
// it when the program is run.
type AgentChoice struct {
	// Name is the agent's name in the workflow.
	Name string
	// Kind is the kind of agent: "command", "scripted", "use" for one that is
	// another one with settings of its own, or a kind that the program was built
	// with; runtime/agent/catalog lists them.
	Kind string
	// Argument is what the kind needs: a program, a file, another agent's name.
	// A kind with a program of its own takes "" for that.
	Argument string
	// Args are the arguments of a program. When it is nil, and not only empty,
	// Argument may hold them after the program, set apart by blanks.
	Args []string
	// Model is the model for prompts that name none, or "".
	Model string
	// SystemPrompt is the system prompt for prompts that have none, or "".
	SystemPrompt string
	// Permission says what the agent may do to the machine without asking: one of
	// the kind's permissions in the catalog, "" for the first of them, which is
	// the safe one.
	Permission string
	// BaseURL is where the service is, for kinds that call one; "" means the
	// vendor's own.
	BaseURL string
	// KeyVariable is the environment variable that holds the key to the service,
	// or "" for those that the kind looks at by itself.
	KeyVariable string
	// MaxTokens limits what a model may write in one turn; 0 means the kind's
	// default.
	MaxTokens int64
	// Price is what a model costs whose price wfc does not know, or knows wrongly;
	// nil means that of the kind's own table.
	Price *Price
	// Environment are the names of environment variables, * standing for any
	// characters, that the agent gets although they look like secrets and the kind
	// does not need them.
	Environment []string
	// Only are the names of the environment variables, * standing for any
	// characters, that the agent gets beside those it needs and a few that every
	// program does; nil means all whose names do not look like secrets.
	Only []string
	// Secrets are the names of variables that are secrets although their names may
	// not tell; the agent gets one only when its own settings name it.
	Secrets []string
	// Tape says that the agent's turns are recorded, or come from a recording;
	// nil means neither.
	Tape *Tape
}

// A Tape is a file of what agents answered. Agents that share one are given the
// same *Tape.
type Tape struct {
	// Record is the file that turns are appended to, and Replay the one that they
	// come from, so that no agent is asked; one of them is "".
	Record, Replay string
	// Strict fails a replayed turn whose prompt, schema or model is not the
	// recorded one, instead of warning.
	Strict bool
	// Workflow and Fingerprint are the workflow's.
	Workflow, Fingerprint string
	// Environ is an environment, as os.Environ has it, whose secrets are masked in
	// the file.
	Environ []string
}

// A Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input, Output float64
	// CachedInput is the price of input that the service had in its cache, and
	// CacheWrite that of input put there; 0 means the price of other input.
	CachedInput, CacheWrite float64
}
