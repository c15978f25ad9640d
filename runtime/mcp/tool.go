package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Refusal is an error of a tool that nevertheless has its usual output, with
// the details: what is wrong with a workflow, say.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

// AddTool adds a tool. Its schemas are made from the types In and Out unless the
// tool has its own; what panics is an internal error of that call.
func AddTool[In, Out any](s *sdk.Server, log *slog.Logger, tool *sdk.Tool, do func(ctx context.Context, in In) (Out, error)) {
	addSchemas[In, Out](tool)
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, out Out, err error) {
		defer recovered(log, tool.Name, &err)
		out, err = do(ctx, in)
		var refusal *Refusal
		if errors.As(err, &refusal) {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: refusal.Why}}}, out, nil
		}
		return nil, out, plain(err)
	})
}

// AddRelay adds a tool whose results come, as they are, from another server's
// tool with outputs of type Out.
func AddRelay[In, Out any](s *sdk.Server, log *slog.Logger, tool *sdk.Tool, do func(ctx context.Context, in In) (*sdk.CallToolResult, error)) {
	addSchemas[In, Out](tool)
	sdk.AddTool(s, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (r *sdk.CallToolResult, _ any, err error) {
		defer recovered(log, tool.Name, &err)
		r, err = do(ctx, in)
		return r, nil, plain(err)
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

// recovered makes an error of a panic.
func recovered(log *slog.Logger, tool string, err *error) {
	if r := recover(); r != nil {
		log.Error("internal error", "tool", tool, "panic", r, "stack", string(debug.Stack()))
		*err = fmt.Errorf("internal error: %v", r)
	}
}

// plain is an error that the SDK takes for one of the tool, whatever it wraps.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}
