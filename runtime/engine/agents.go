package engine

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

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

// An Inspection says which agents to inspect, and how thoroughly.
type Inspection struct {
	// Names are the agents' names.
	Names []string
	// Environ is the environment that processes of a run get, as os.Environ has
	// it.
	Environ []string
	// WorkDir is the folder that runs work in.
	WorkDir string
	// Thorough also checks with programs and services that the account is signed in. That
	// may take seconds and use the network, but costs no money. Without it, an inspection
	// uses no network; at most it runs a program to get its version.
	Thorough bool
	// Static runs no program and reads no file: the result has only the kind, the model
	// and the credentials.
	Static bool
}

// Variable returns the value of a variable in Environ, "" if it is not set.
func (i *Inspection) Variable(name string) string { return process.Variable(i.Environ, name) }

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
