// Package mcp serves a workflow to agents by the Model Context Protocol, over
// standard input and output.
//
// Only programs that were built with --mcp contain this package. Their main passes [Server]
// to the command `mcp`:
//
//	cli.Main(cli.Program{Definition: &triage.Workflow, MCP: mcp.Server()})
//
// A client can run the workflow, and show, cancel and resume its runs. It cannot answer
// their questions: only a person passes a gate.
package mcp

import (
	"context"
	"io"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

// Server is the value for the field MCP of a cli.Program.
func Server() engine.Extension { return protocol{} }

// protocol is a serving.Server.
type protocol struct{}

// Name implements engine.Extension.
func (protocol) Name() string { return "Model Context Protocol" }

// Serve implements serving.Server. It returns nil when the client closes in, or the error of
// ctx when ctx ends.
func (protocol) Serve(ctx context.Context, s serving.Service, in io.Reader, out io.Writer) error {
	return server.Listen(ctx, server.New(s), in, out, s.Log())
}
