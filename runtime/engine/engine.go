// Package engine defines the parts of an engine that programs give it: performers
// of actions, agents, and somebody to ask. Packages below it are the engines
// themselves.
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

// Agents are the agents of a process, and the settings that they share.
type Agents struct {
	// List defines the agents by name.
	List settings.Agents
	// Only selects the environment variables, with * for any characters, that agents
	// get beside those they need and a few that every program needs; nil means all
	// variables whose names do not look like secrets.
	Only []string
	// Secrets are the names of variables that are secrets although their names may
	// not look so. An agent gets one only if its own settings name it.
	Secrets []string
	// Tape records the agents' turns, or replays them; nil does neither.
	Tape *Tape
}

// A Tape is a file with the answers of agents.
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
