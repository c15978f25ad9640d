// Package mcp serves a workflow to agents by the Model Context Protocol, over
// standard input and output.
//
// Only programs that were built with --mcp contain this package. Their main passes [Serve]
// to the command `mcp`:
//
//	cli.Main(cli.Program{Definition: &triage.Workflow, MCP: mcp.Serve})
//
// A client can run the workflow, and show, cancel and resume its runs. It cannot answer
// their questions: only a person passes a gate.
package mcp

import (
	"context"
	"io"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

// Serve serves the workflow of a program to the client at the other end of in and out. It
// returns nil when the client closes in, or the error of ctx when ctx ends.
func Serve(ctx context.Context, s cli.Service, in io.Reader, out io.Writer) error {
	return server.Listen(ctx, server.New(s), in, out, s.Log())
}
