package cli

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Program has the workflow and the parts that it needs, and nothing else; so a binary
// links only these.
type Program struct {
	// Definition is the workflow.
	Definition *flow.Definition
	// Performers perform the workflow's actions, except prompts: one performer for each
	// kind of payload that the workflow has. Package runtime/engine lists the kinds and
	// their performers.
	Performers []engine.Performer
	// Prompts makes the performer of prompts, given the agents that the command
	// line chose; nil when the workflow has no prompts.
	Prompts func(engine.Agents) (engine.PromptPerformer, error)
	// OpenStore opens the store in a state folder. Commands that need no runs do
	// not call it.
	OpenStore func(ctx context.Context, f state.Folder) (store.Store, error)
	// OpenDatabase, instead of OpenStore, opens the store in the database of a
	// URL, which the command line or the environment gives.
	OpenDatabase func(ctx context.Context, url string) (store.Store, error)
	// Cluster, instead of OpenStore, connects to the Temporal cluster that runs the
	// workflow. It must be temporal.Open (package runtime/engine/temporal) or nil.
	Cluster cluster.Open
	// MCP serves the workflow, for the command mcp, to the client at the other end
	// of in and out until the client leaves or ctx is done. It is nil in a program
	// that was built without it.
	MCP func(ctx context.Context, s Service, in io.Reader, out io.Writer) error
	// Defaults are the settings of the project when the program was built; the command
	// line overrides them.
	Defaults settings.Project
}

// A Service offers the commands run, resume, status, list and cancel of a program to a
// server, without a terminal. Start and Resume do not wait for the end of the run; Cancel
// does. A Service cannot answer questions of runs: for that a person uses the commands
// approve, reject and answer.
//
// Its methods are safe for concurrent use. Their errors are for people. The name of
// a run is its id, the beginning of one, or `latest`.
type Service interface {
	// Definition returns the workflow.
	Definition() *flow.Definition
	// Log returns the log of the service, which does not reach clients.
	Log() *slog.Logger
	// Start begins a run and returns its id as soon as the store has the run. chatKey is
	// the key of the chat from which somebody starts the run, such as `slack:C123:U456`, or
	// "": a result without other targets goes to this chat (see target.Resolve).
	Start(ctx context.Context, inputs map[string]json.RawMessage, chatKey string) (id string, err error)
	// Resume resumes a run and returns its id when a process has taken it up. It
	// does not perform completed steps again, and answers no question.
	Resume(ctx context.Context, name string) (id string, err error)
	// Cancel ends a run as cancelled and returns its id when it has ended.
	Cancel(ctx context.Context, name string) (id string, err error)
	// Status returns a run with its steps: the JSON object that the command status prints
	// with --json, with masked secrets.
	Status(ctx context.Context, name string) (json.RawMessage, error)
	// List returns the last runs of the workflow, newest first, without their steps: a
	// JSON array of such objects. limit is the maximum number, 0 is no limit. status
	// selects the runs with this status; "" selects all.
	List(ctx context.Context, limit int, status flow.Status) (json.RawMessage, error)
}

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}
