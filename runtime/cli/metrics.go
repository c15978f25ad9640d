package cli

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/metrics"
)

// metricsHandler serves the figures of the program's runs.
func (s *session) metricsHandler() http.Handler {
	names := map[string]bool{}
	for _, def := range flow.Reachable(s.program.Definition) {
		names[def.Name] = true
	}
	return metrics.Handler(metrics.Source{Store: s.store, Runs: s.engine.ListRuns, Counts: func(workflow string) bool { return names[workflow] }})
}

// serveMetrics serves /metrics at an address until stop is called.
func (s *session) serveMetrics(ctx context.Context, address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usageError("`--metrics %s`: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metricsHandler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	return func() { _ = server.Close() }, nil
}
