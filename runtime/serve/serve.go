// Package serve shows the runs of all workflows in a browser, and lets people answer, start,
// cancel and resume them.
//
// Only programs that were built with --serve contain this package. Their main passes [Pages] to
// the command `serve`:
//
//	cli.Main(cli.Program{Definition: &triage.Workflow, Serve: cli.Pages(serve.Pages())})
//
// The pages are made by the server. They work without JavaScript, except that they then don't
// change by themselves, and they load nothing from elsewhere.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/access"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/metrics"
)

// Pages is the argument of cli.Pages for the field Serve of a cli.Program.
func Pages() engine.Extension { return pages{} }

// pages is a desk.Server.
type pages struct{}

// Name implements engine.Extension.
func (pages) Name() string { return "pages for browsers" }

// Serve implements desk.Server.
func (pages) Serve(ctx context.Context, d desk.Desk, o desk.Options) error {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return fmt.Errorf("--address: %w", err)
	}
	token := access.NewToken(o.Person)
	if !access.IsLoopback(host) && !token.Remote() {
		return fmt.Errorf("--address %s: other machines could reach it, and a token alone must not travel over a network; use 127.0.0.1, and `ssh -L` from elsewhere", o.Address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Address)
	if err != nil {
		return err
	}
	stopMetrics, err := serveMetrics(ctx, d, o.Metrics)
	if err != nil {
		return errors.Join(fmt.Errorf("--metrics: %w", err), listener.Close())
	}
	defer stopMetrics()
	address := listener.Addr().String()
	server := &http.Server{
		Handler:           access.NewGuard(token, access.LocalHosts(address), newHandler(d)),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		// Live updates end with the server.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	o.Listening(token.Address("http://" + address))
	return webserver.Serve(ctx, server, listener, 3*time.Second)
}

// serveMetrics serves /metrics at an address of its own, because figures are for a program that does not
// sign in.
func serveMetrics(ctx context.Context, d desk.Desk, address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := webserver.Open(ctx, address, "", "")
	if err != nil {
		return nil, err
	}
	return metrics.New(func(ctx context.Context) ([]metrics.Source, []string) {
		places, problems := d.Sources(ctx)
		list := make([]metrics.Source, len(places))
		for i, p := range places {
			list[i] = metrics.Source{Store: p.Store, Runs: p.Runs}
		}
		return list, problems
	}).Serve(listener), nil
}
