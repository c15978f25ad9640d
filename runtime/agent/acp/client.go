package acp

import (
	"context"
	"encoding/json"

	sdk "github.com/coder/acp-go-sdk"
)

// requested performs a request of the program. Any is a sign of life.
func (t *turn) requested(ctx context.Context, method string, params json.RawMessage) (any, *rpcError) {
	t.tell.alive()
	switch method {
	case sdk.ClientMethodSessionRequestPermission:
		return t.permission(ctx, params)
	case sdk.ClientMethodFsReadTextFile:
		return with(params, t.readFile)
	case sdk.ClientMethodFsWriteTextFile:
		return with(params, t.writeFile)
	case sdk.ClientMethodTerminalCreate:
		return with(params, t.terminals.create)
	case sdk.ClientMethodTerminalOutput:
		return with(params, t.terminals.output)
	case sdk.ClientMethodTerminalWaitForExit:
		return with(params, func(q *sdk.WaitForTerminalExitRequest) (any, *rpcError) { return t.terminals.wait(ctx, q) })
	case sdk.ClientMethodTerminalKill:
		return with(params, t.terminals.kill)
	case sdk.ClientMethodTerminalRelease:
		return with(params, t.terminals.release)
	}
	return nil, refuse(codeMethodNotFound, "wfc knows no method `%s`", shorten(method, 60))
}

// with calls a function with the params of a request.
func with[T any](params json.RawMessage, f func(q *T) (any, *rpcError)) (any, *rpcError) {
	q := new(T)
	if refusal := decode(params, q); refusal != nil {
		return nil, refusal
	}
	return f(q)
}

func decode(params json.RawMessage, into any) *rpcError {
	if err := json.Unmarshal(params, into); err != nil {
		return refuse(codeInvalidParams, "the params cannot be read: %v", err)
	}
	return nil
}
