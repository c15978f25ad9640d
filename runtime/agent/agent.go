// Package agent defines what answers prompts. Packages below it are the
// agents; perform.go turns them into the performer of prompt actions.
package agent

import (
	"context"
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// An Agent answers prompts.
type Agent interface {
	// Capabilities say what the agent honours.
	Capabilities() Capabilities
	// Turn gives the agent a prompt and waits for its whole reply. A returned
	// error is best a *flow.Failure with its class.
	Turn(ctx context.Context, r *Request) (*Reply, error)
}

// Capabilities say what an agent honours.
type Capabilities struct {
	// Structured says that the agent itself makes replies satisfy a schema;
	// otherwise it is told to in words and asked again when it does not.
	Structured bool
	// Options are the names of the settings that it takes; nil means all.
	Options []string
}

// A Request is one turn.
type Request struct {
	flow.Prompt
	// RunID and Key say which step asks.
	RunID string
	Key   string
	// Attempt counts from 1 over retries and corrections.
	Attempt int
	// WorkDir is the folder the agent works in.
	WorkDir string
	// Environ is the environment for processes.
	Environ []string
	// Dir is the run's own folder in the state folder.
	Dir string
	// Output takes pieces of the reply as they come; it may be nil.
	Output func(piece []byte)
}

// A Reply is an agent's answer.
type Reply struct {
	Text string
	// Structured is the structured payload, or nil when there is none.
	Structured json.RawMessage
	Meta       flow.Meta
}
