package server

import (
	"context"
	"io"

	"github.com/wfc-lang/wfc/runtime/cli"
)

// Serve serves as package mcp does.
func Serve(ctx context.Context, s cli.Service, in io.Reader, out io.Writer) error {
	return Listen(ctx, New(s), in, out, s.Log())
}
