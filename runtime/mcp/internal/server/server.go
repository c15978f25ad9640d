// Package server is the MCP server of a workflow, and the parts that the server
// of a folder shares with it.
//
// No tool answers the questions of a run, and none may come: an agent, or a
// process that a run has started, must not pass a gate. Tools may look; a status
// shows the command by which a person answers.
//
// A client's mistake is the result of its tool, marked as an error, and not an
// error of the protocol: clients show their agents only the former.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
	s.AddReceivingMiddleware(explainArgumentErrors)
	return s
}

// quiet passes on warnings and worse: that a session begins is no news.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q *quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// A Refusal is an error of a tool that nevertheless has its usual output, with
// the details: what is wrong with a workflow, say.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

// AddTool adds a tool. Its schemas are made from the types In and Out unless the
// tool has its own; what panics is an internal error of that call.
func AddTool[In, Out any](s *sdk.Server, log *slog.Logger, tool *sdk.Tool, do func(ctx context.Context, in In) (Out, error)) {
	addSchemas[In, Out](tool)
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, out Out, err error) {
		defer recoverPanic(log, tool.Name, &err)
		out, err = do(ctx, in)
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: refusal.Why}}}, out, nil
		}
		return nil, out, toolError(err)
	})
}

// AddRelay adds a tool whose results come, as they are, from another server's
// tool with outputs of type Out.
func AddRelay[In, Out any](s *sdk.Server, log *slog.Logger, tool *sdk.Tool, do func(ctx context.Context, in In) (*sdk.CallToolResult, error)) {
	addSchemas[In, Out](tool)
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (r *sdk.CallToolResult, _ any, err error) {
		defer recoverPanic(log, tool.Name, &err)
		r, err = do(ctx, in)
		return r, nil, toolError(err)
	})
}

// addSchemas makes the schemas that a tool does not have.
func addSchemas[In, Out any](tool *sdk.Tool) {
	if tool.InputSchema == nil {
		tool.InputSchema = schemaFor[In]()
	}
	if tool.OutputSchema == nil {
		tool.OutputSchema = schemaFor[Out]()
	}
}

// recoverPanic makes an error of a panic.
func recoverPanic(log *slog.Logger, tool string, err *error) {
	if r := recover(); r != nil {
		log.Error("internal error", "tool", tool, "panic", r, "stack", string(debug.Stack()))
		*err = fmt.Errorf("internal error: %v", r)
	}
}

// toolError is an error that the SDK takes for one of the tool, whatever it wraps.
func toolError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}
