// Package serving is the interface between the commands of a program and the parts that only some
// programs link: the server behind the command mcp, and the exporter of traces.
package serving

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Server serves a workflow by a protocol.
type Server interface {
	engine.Extension
	// Serve serves s to the client at the other end of in and out until the client leaves, or
	// ctx is done.
	Serve(ctx context.Context, s Service, in io.Reader, out io.Writer) error
}

// A Service offers the commands run, resume, status, list and cancel of a program to a
// server, without a terminal. Start and Resume do not wait for the end of the run; Cancel
// does. A Service cannot answer questions of runs: for that a person uses the commands
// approve, reject and answer.
//
// Its methods are safe for concurrent use. Their errors are for people. The name of
// a run is its id, a prefix of one, or `latest`.
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
	// JSON array of such objects. limit is the maximum number, 0 is no limit. If there are
	// statuses, the runs have one of these.
	List(ctx context.Context, limit int, statuses []flow.Status) (json.RawMessage, error)
}
