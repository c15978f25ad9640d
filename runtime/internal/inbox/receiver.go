package inbox

import (
	"context"
	"log/slog"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// A Receiver receives webhooks for the command listen of a program, which links it only if the
// workflow has webhooks.
type Receiver interface {
	engine.Extension
	// Serve receives requests until ctx ends; then it answers those that have arrived.
	Serve(ctx context.Context, s Site) error
	// Reply tells the user of a service what became of an answer, at an address of its payload. With
	// settled, it replaces the message that the user answered.
	Reply(ctx context.Context, address, text string, settled bool) error
}

// A Site is where and for whom a Receiver works.
type Site struct {
	// Address is host:port, or unix: and the path of a socket. Cert and Key are the files of
	// the certificate and its key, or "".
	Address, Cert, Key string
	Triggers           []trigger.Trigger
	// Metrics is the address of /metrics, or "". Its figures are those of Source.
	Metrics string
	Source  serving.Source
	// Secret returns the value of an environment variable with a secret.
	Secret func(variable string) string
	Accept func(ctx context.Context, d Delivery) (Receipt, error)
	// Ready is called with the address once requests can arrive.
	Ready func(address string)
	Log   *slog.Logger
}
