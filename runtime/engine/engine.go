// Package engine defines the parts that a program gives to an engine: a Performer for each
// kind of action, a PromptPerformer for prompts, a Deliverer for results, and an Asker for questions.
// The engines themselves are packages below it; runtime/engine/local is the one for this
// machine.
//
// An engine performs the actions with the payload flow.Child, and the checks of the kernel, itself.
// For the others it needs performers, but only for the payloads that its workflows have:
//
//	flow.Bash        shell.Performer, of package runtime/shell
//	flow.Script      script.Performer, of package runtime/script
//	flow.Prompt      prompts.Opener, of package runtime/agent/prompts; agent.New
//	flow.Delivery    deliver.New, of package runtime/deliver
//	graph_state      graphfiles.New, of package runtime/graphfiles (for state graphs; the payload is internal)
//
// An action without a performer fails.
//
// A performer of bash actions that runs nothing:
//
//	type echo struct{}
//
//	func (echo) Kind() string { return flow.Bash{}.Kind() }
//
//	func (echo) Perform(_ context.Context, call *engine.Attempt) flow.Result {
//		return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(flow.Bash).Script}
//	}
package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Performer performs the actions with one kind of payload; the package comment lists
// the kinds.
//
// A performer may have a method StartsBeforeCommit, without parameters and results. It
// lets the engine call Perform while the start of the action is still being committed.
// Such a performer only prepares the action, and waits for the commit before the action
// has any effect. Only this module's own performers have the method, because no other
// package can wait for the commit.
type Performer interface {
	// Kind returns the kind of payload that it performs: the result of the method Kind of
	// such a payload.
	Kind() string
	// Perform performs one attempt and returns how it ended. The performer itself limits
	// the attempt to call.Action.Timeout, which is not in ctx, or to its own default if
	// that is zero; an attempt that takes longer is Failed with Reason "timeout". When
	// ctx ends, the step is cancelled: Perform soon returns the status Cancelled. In both
	// cases it leaves nothing running. It must be safe for concurrent use.
	Perform(ctx context.Context, call *Attempt) flow.Result
}

// A Judge is a Performer that can decide, without performing anything, whether a string
// could be an action's output. Only `run --dry-run --outputs FILE` asks it: about the
// outputs in the file. For a Performer that is not a Judge, they count as they are.
type Judge interface {
	Performer
	// Judge returns the output that the performer would return if the program or the agent
	// replied with text. The error says why the text cannot be an output.
	Judge(p flow.Payload, text string) (string, error)
}

// A Deliverer is a Performer that sends messages to targets.
type Deliverer interface {
	Performer
	// Unready returns an error for each target to which deliveries would fail, for example
	// because a variable is missing in environ. It sends nothing.
	Unready(targets, environ []string) []error
}

// An Attempt is one execution of an action; each retry of the action is another one.
type Attempt struct {
	Info *flow.RunInfo
	// Workflow is the run's workflow. It may be nil.
	Workflow *flow.Definition
	Action   flow.Action
	// Number counts from 1.
	Number int
	// RunDir is the absolute path of the run's folder in the state folder; see
	// state.Folder.RunDir. It is not the working directory, which is Info.WorkDir. It exists,
	// and all attempts of the run share it. A performer may write files there: values for
	// its processes, or notes by which a later process of the run finds programs that this
	// one left running.
	RunDir string
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
	// Event adds an entry to the run's journal; the engine masks secrets in it. It is safe for
	// concurrent use until Perform returns. It may be nil.
	Event func(e flow.Event)
	// Waits reports what the attempt waits for before it does anything, such as "waits for its
	// turn: agent `claude` takes 3 turns at a time", and "" once it no longer waits. The engine shows it as
	// the step's status. It may be nil.
	Waits func(what string)
	// Queue orders the turns of agents over all runs that share it. It may be nil.
	Queue Queue
	// CostLimit names the limit in US dollars under which the run is, such as
	// "`limits.cost_usd`"; "" means none. A performer refuses an attempt that the limit could
	// never count.
	CostLimit string
	// AtLimit reports whether the attempt, which has cost spent so far, reaches a limit of the
	// run. Then a performer asks nobody again. It may be nil.
	AtLimit func(spent flow.Meta) bool
}

// A Queue orders the turns of agents over all runs that share it: those of an account on this
// machine, or those of a database. It is safe for concurrent use.
type Queue interface {
	// Take waits for one of most places of an agent; first come, first served. It calls wait
	// once if there is none yet. leave gives the place back. The error is that of ctx, or says
	// why there is no place.
	Take(ctx context.Context, agent string, most int, wait func()) (leave func(), err error)
	// Delay returns how long after reset a wait for the quota of an agent should end, so that
	// many waits for the same reset end one after another, in the order of the calls.
	Delay(ctx context.Context, agent string, reset time.Time) time.Duration
}

// A Question is an open question of a run.
type Question struct {
	flow.Question
	// RunID is the run's id.
	RunID string `json:"run_id"`
	// Since is the time at which the run first asked it.
	Since time.Time `json:"since,omitzero"`
	// Deadline is the time at which it expires; the zero time means that it does not
	// expire.
	Deadline time.Time `json:"deadline,omitzero"`
}

// An Asker asks somebody in this process the questions of runs. It must be safe for
// concurrent use.
type Asker interface {
	// Ask starts to ask a question and returns at once. The asker calls r.Answer or
	// r.Leave, at once or later, from any goroutine.
	//
	// ctx ends when anybody settles the question, or when the process stops working on the
	// run; context.Cause then describes the event for people.
	//
	// Ask gets the questions in the order in which the run asks them, including questions
	// that are open since an earlier process of the run. It gets no questions that only
	// wait for a time, an event or a quota (see flow.Question.NeedsNobody).
	Ask(ctx context.Context, q Question, r Replier)
}

// A Replier receives the answer to one question. Its methods are safe for concurrent use.
type Replier interface {
	// Answer answers the question. The replier sets a.Key. If a.Given is zero, it sets
	// a.Given to the current time. The error says why the answer does not count: somebody else
	// answered first, a.Choice is not one of the choices, or the run has ended.
	Answer(a store.Answer) error
	// Leave says that nobody in this process will answer further questions of the run. The
	// run pauses as soon as it only waits for answers.
	Leave()
}

// Agents are the agents of a process, and the settings that they share.
type Agents struct {
	// List defines the agents by name.
	List settings.Agents
	// PassEnv lists patterns of names of environment variables, with * for any
	// characters, that agents get in addition to the ones that they or every program need;
	// nil means all variables whose names do not look like secrets.
	PassEnv []string
	// Secrets are the names of further variables that hold secrets although their names
	// do not show it. An agent gets such a variable only if the agent's own settings name
	// it.
	Secrets []string
	// OnQuota decides about prompts whose agent's quota is used up, for agents without their
	// own policy.
	OnQuota settings.Quota
	// Concurrency is the maximum number of turns at the same time, by agent; see
	// settings.Project.
	Concurrency map[string]int
}

// A PromptPerformer is a Performer of flow.Prompt that can report whether its agents are
// able to answer.
type PromptPerformer interface {
	Performer
	// Inspect reports for each agent whether it could answer. The result has one
	// AgentState for each name, in order, also for unknown names.
	Inspect(ctx context.Context, q *Inspection) []AgentState
	// AgentKinds returns the kinds of agents that Agents.List may name, in order.
	AgentKinds() []string
}

// An Inspection says which agents to inspect, and how thoroughly. By default an
// inspection runs a program at most to get its version, and uses no network.
type Inspection struct {
	// Names are the names of the agents to inspect.
	Names []string
	// Environ is the environment that processes of a run get, as os.Environ has
	// it.
	Environ []string
	// WorkDir is the folder that runs work in.
	WorkDir string
	// Thorough also checks with programs and services that the account is signed in. That
	// may take seconds and use the network, but costs no money.
	Thorough bool
	// Static runs no program and reads no file: the result has only the kind, the model and
	// the credentials. Static overrides Thorough.
	Static bool
}

// An AgentState says whether an agent could answer.
type AgentState struct {
	// Name is the agent's name in the workflow. Kind is its kind, or "" if no agent has
	// this name.
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	// Model is the model for prompts that name none, or "".
	Model string `json:"model,omitempty"`
	// Program is the path of the agent's program, or "" if it has none. Version is the
	// version that the program reports, or "".
	Program string `json:"program,omitempty"`
	Version string `json:"version,omitempty"`
	// Credentials are the environment variables that may hold the agent's key; it needs
	// one of them. Those that are set come first.
	Credentials []Credential `json:"credentials,omitempty"`
	// Installed says whether the program is on this machine, SignedIn whether it has
	// credentials, and Usable whether the agent can answer prompts.
	Installed Verdict `json:"installed"`
	SignedIn  Verdict `json:"signed_in"`
	Usable    Verdict `json:"usable"`
	// Problem says what keeps the agent from answering, and Hint what to do.
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// A Credential is an environment variable that holds a key. Its value is never
// shown.
type Credential struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
}

// A Verdict is yes, no or unknown.
type Verdict string

// The verdicts.
const (
	Unknown Verdict = "unknown"
	Yes     Verdict = "yes"
	No      Verdict = "no"
)

// An Extension is a part of a program that only packages of this module make: the result of
// temporal.Cluster (package runtime/engine/temporal) or of mcp.Server (package runtime/mcp).
type Extension interface {
	// Name names it for people.
	Name() string
}
