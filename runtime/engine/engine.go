// Package engine defines the parts that a program gives to an engine: a Performer for each
// kind of action, a PromptPerformer for prompts, a Deliverer for results, and an Asker for questions.
// The engines themselves are packages below it; runtime/engine/local is the one for this
// machine.
//
// A performer of bash actions that runs nothing:
//
//	type echo struct{}
//
//	func (echo) Kind() string { return flow.Bash{}.Kind() }
//
//	func (echo) Perform(_ context.Context, call *engine.Call) flow.Result {
//		return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(flow.Bash).Script}
//	}
package engine

import (
	"context"
	"log/slog"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Performer performs the actions of one kind.
type Performer interface {
	// Kind is the kind of payload it performs.
	Kind() string
	// Perform performs one attempt and returns how it ended. The performer itself limits
	// the attempt to call.Action.Timeout, which is not in ctx, or to its own default if
	// that is zero; an attempt that takes longer is Failed with Reason "timeout". When
	// ctx ends, the step is cancelled: Perform soon returns the status Cancelled. In both
	// cases it leaves nothing running. It must be safe for concurrent use.
	Perform(ctx context.Context, call *Call) flow.Result
}

// A Deliverer is a Performer that sends messages to targets.
type Deliverer interface {
	Performer
	// Unready returns an error for each target to which deliveries would fail, for example
	// because a variable is missing in environ. It sends nothing.
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
	// Dir is the absolute path of the run's folder in the state folder; see
	// state.Folder.Run. It exists, and all attempts of the run share it. A performer may
	// write files there: values for its processes, or notes by which a later process of
	// the run finds programs that this one left running.
	Dir string
	// Environ is the environment for processes, as os.Environ has it.
	Environ []string
	// Output receives the action's output in pieces while the action runs; stream is
	// "stdout", "stderr" or "agent". It is safe for concurrent use until Perform returns,
	// and keeps nothing of piece. It may be nil.
	Output func(stream string, piece []byte)
	// Log writes to the run's log. It is never nil.
	Log *slog.Logger
	// Warn reports a problem that does not stop the action: message is a sentence for
	// people, without a full stop. The engine masks secrets in it, shows it at once,
	// writes it to the log, and lists it with the run's result. It is safe for concurrent
	// use until Perform returns. It may be nil.
	Warn func(message string)
}

// Agents are the agents of a process, and the settings that they share.
type Agents struct {
	// List defines the agents by name.
	List settings.Agents
	// Environment lists patterns of environment variables, with * for any characters, that
	// agents get in addition to the ones that they or every program need; nil means all
	// variables whose names do not look like secrets.
	Environment []string
	// Secrets are the names of further variables that hold secrets, whatever their names
	// look like. An agent gets such a variable only if the agent's own settings name it.
	Secrets []string
	// Tape records the agents' turns, or replays them; nil does neither.
	Tape *Tape
}

// A Tape records the turns of agents in a file, or replays them from one.
type Tape struct {
	// Record is the path of the file to which turns are appended, and Replay the path of
	// the file from which replies come instead of from agents. One of them is "".
	Record, Replay string
	// Strict makes a replayed turn fail if its prompt, schema or model differs from the
	// recorded one. Otherwise a difference is a warning.
	Strict bool
	// Workflow and Fingerprint are the name and the fingerprint of the workflow.
	Workflow, Fingerprint string
	// Environ is an environment, as os.Environ has it, whose secrets are masked in
	// the file.
	Environ []string
}
