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
	// error is best a *flow.Failure with its class; a reply beside it still
	// tells what the turn cost. When ctx ends, Turn returns soon and leaves
	// nothing running.
	Turn(ctx context.Context, r *Request) (*Reply, error)
}

// Capabilities say what an agent honours.
type Capabilities struct {
	// Structured says that the agent itself makes replies satisfy a schema and
	// returns them as Reply.Structured. Otherwise the agent puts the schema to
	// its model in words (see Instruct), its text is searched for JSON, and it
	// is asked again when that does not satisfy.
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
	// Attempt grows from 1 over retries and corrections; it may leave numbers
	// out.
	Attempt int
	// WorkDir is the folder the agent works in.
	WorkDir string
	// Environ is the environment for processes.
	Environ []string
	// Dir is the run's own folder in the state folder.
	Dir string
	// Output takes pieces of the reply as they come. Each is a sign of life;
	// an empty one is only that. It must not be called concurrently, nor after
	// Turn has returned. It may be nil.
	Output func(piece []byte)
	// Notes takes what the agent's program prints besides the reply, a sign of
	// life too. The same rules hold, for both together.
	Notes func(piece []byte)
	// Spent takes what the turn has cost so far whenever the agent knows more of
	// it, a sign of life too; the turn is ended when that is more than it may
	// cost. The same rules hold; it may be nil.
	Spent func(m flow.Meta)
	// Warn tells people of something that stops nothing. It may be called from
	// anywhere until Turn has returned; it may be nil.
	Warn func(message string)
}

// A Reply is an agent's answer.
type Reply struct {
	Text string
	// Structured is the structured payload, or nil when there is none.
	Structured json.RawMessage
	// Unheld says that this time nothing held the agent to the schema although
	// its Capabilities say so: when the reply does not satisfy, it is asked again.
	Unheld bool
	Meta   flow.Meta
}
