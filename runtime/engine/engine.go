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

// A Call is one attempt at an action.
type Call struct {
	Run    *flow.RunInfo
	Action flow.Action
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
}

// An AgentChoice says what stands behind an agent's name in this process, as
// `--agent NAME=KIND:ARGUMENT` gives it.
type AgentChoice struct {
	// Name is the agent's name in the workflow.
	Name string
	// Kind is the kind of agent: "command", "scripted", or "use" for one that is
	// another one with settings of its own.
	Kind string
	// Argument is what the kind needs: a program, a file, another agent's name.
	Argument string
	// Args are the arguments of a program. When it is nil, and not only empty,
	// Argument may hold them after the program, set apart by blanks.
	Args []string
	// Model is the model for prompts that name none, or "".
	Model string
	// SystemPrompt is the system prompt for prompts that have none, or "".
	SystemPrompt string
}
