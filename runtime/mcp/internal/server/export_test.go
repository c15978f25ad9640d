package server

import (
	"context"
	"io"

	"github.com/wfc-lang/wfc/runtime/internal/serving"
)

// Extension serves as package mcp does.
type Extension struct{}

// Name implements engine.Extension.
func (Extension) Name() string { return "test" }

// Serve implements serving.Server.
func (Extension) Serve(ctx context.Context, s serving.Service, in io.Reader, out io.Writer) error {
	return Listen(ctx, New(s), in, out, s.Log())
}
