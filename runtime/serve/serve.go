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
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/access"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
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
