// Package mcp serves workflows to agents by the Model Context Protocol, over
// standard input and output.
//
// There is no tool that answers what a run asks, and none may come: an agent, or
// a process that a run has started, must not pass a gate. What they may do is
// look; a status tells the command by which a person answers.
//
// What a client did wrong is the result of its tool, marked as an error, and
// never an error of the protocol: agents are shown the former.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Workflow is what a server of one workflow needs; *cli.Service is one.
type Workflow interface {
	Definition() *flow.Definition
	// Log takes what people should know; clients do not see it.
	Log() *slog.Logger
	// Start begins a run, in the conversation of the session key unless that is "".
	Start(ctx context.Context, inputs map[string]json.RawMessage, sessionKey string) (cli.Begun, error)
	// Resume goes on with a run and answers nothing.
	Resume(ctx context.Context, name string) (cli.Begun, error)
	// Cancel ends a run and returns its id.
	Cancel(ctx context.Context, name string) (string, error)
	// Status is a run with its steps.
	Status(ctx context.Context, name string) (*cli.RunDocument, error)
	// List returns runs without their steps, newest first.
	List(ctx context.Context, limit int, status flow.Status) ([]cli.RunDocument, error)
}

// Serve is the cli.MCPServer of programs.
func Serve(ctx context.Context, s *cli.Service, in io.Reader, out io.Writer) error {
	return Listen(ctx, New(s), in, out, s.Log())
}

// Listen has a server talk to the client at the other end of the streams. It
// returns when the client has left, which is no error, or with that of ctx.
func Listen(ctx context.Context, server *sdk.Server, in io.Reader, out io.Writer, log *slog.Logger) error {
	session, err := server.Connect(ctx, &transport{in, out, log}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	case <-ctx.Done():
		_ = session.Close() // waits for the calls that are being answered
		return ctx.Err()
	}
}

// NewServer returns a server without tools, which says what it is for.
func NewServer(name, title, instructions string, log *slog.Logger) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: name, Title: title, Version: "1"}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{}, // none but tools
		Logger:       slog.New(&quiet{log.Handler()}),
	})
	s.AddReceivingMiddleware(plainly)
	return s
}

// quiet passes on warnings and worse: that a session begins is no news.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q *quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}
