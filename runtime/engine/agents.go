package engine

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Prompts performs the prompts of a workflow, and says what it needs to do so.
type Prompts interface {
	Performer
	// Inspect says of agents, in the given order, whether they could answer.
	// Names of which nothing is known are in the list all the same.
	Inspect(ctx context.Context, q *Inspection) []AgentState
	// Kinds are the kinds of agents that can be chosen, in order.
	Kinds() []string
}

// An Inspection is a question about agents.
type Inspection struct {
	// Names are the agents' names.
	Names []string
	// Environ is the environment that processes of a run get, as os.Environ has
	// it.
	Environ []string
	// WorkDir is the folder that runs work in.
	WorkDir string
	// Thorough asks programs and services whether the account is signed in. It
	// may take seconds and leave the machine, but costs nothing; without it
	// nothing leaves the machine and nothing takes longer than asking a program
	// for its version.
	Thorough bool
	// Static asks nobody and looks nowhere: the kind, the model and the credentials
	// are all that is said.
	Static bool
}

// Variable returns the value of a variable in Environ, "" if it is not set.
func (i *Inspection) Variable(name string) string { return process.Variable(i.Environ, name) }

// An AgentState says whether an agent could answer.
type AgentState struct {
	// Name is the agent's name in the workflow, and Kind what stands behind it;
	// "" when nothing does.
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	// Model is the model that prompts get that name none, or "".
	Model string `json:"model,omitempty"`
	// Program is the path of the agent's program, and Version what it says of
	// itself; "" when there is none.
	Program string `json:"program,omitempty"`
	Version string `json:"version,omitempty"`
	// Credentials are the environment variables of which the agent needs one;
	// those that are set come first.
	Credentials []Credential `json:"credentials,omitempty"`
	// Installed, SignedIn and Usable are what was found out.
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

// A Verdict is an answer to a question that cannot always be answered.
type Verdict string

// The verdicts.
const (
	Unknown Verdict = "unknown"
	Yes     Verdict = "yes"
	No      Verdict = "no"
)
