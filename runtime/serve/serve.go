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
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/access"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/metrics"
)

// Pages is the argument of cli.Pages for the field Serve of a cli.Program.
func Pages() engine.Extension { return pages{} }

// pages is a desk.Server.
type pages struct{}

// Name implements engine.Extension.
func (pages) Name() string { return "pages for browsers" }

// AddUser implements desk.Server.
func (pages) AddUser(path, name string, roles []actions.Role, password string) error {
	return access.AddUser(path, name, roles, password)
}

// Serve implements desk.Server.
func (pages) Serve(ctx context.Context, d desk.Desk, o desk.Options) error {
	admits, url, err := accessOf(o)
	if err != nil {
		return err
	}
	listener, err := webserver.Open(ctx, o.Address, o.Cert, o.Key)
	if err != nil {
		return err
	}
	// Figures have an address of their own, because they are for a program that does not sign in.
	stopMetrics, err := metrics.New(d.Sources).Serve(ctx, o.Metrics)
	if err != nil {
		return errors.Join(fmt.Errorf("--metrics: %w", err), listener.Close())
	}
	defer stopMetrics()
	address, scheme := listener.Addr().String(), "http://"
	if o.Cert != "" {
		scheme = "https://"
	}
	mux := newHandler(d)
	server := &http.Server{
		Handler:           withHooks(o.Hooks, mux, access.NewGuard(admits, access.LocalHosts(address), url, mux)),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		// Live updates end with the server.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	open := cmp.Or(url, scheme+address)
	if token, ok := admits.(*access.Token); ok {
		open = token.Address(open)
	}
	o.Listening(open)
	return webserver.Serve(ctx, server, listener, 3*time.Second)
}

// accessOf returns the access to the pages, and the address by which browsers call them, or "". Only
// this machine may call a server without users, or by a plain connection.
func accessOf(o desk.Options) (access.Access, string, error) {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, "", fmt.Errorf("--address: %w", err)
	}
	local := access.IsLoopback(host)
	if o.Users == "" {
		if !local {
			return nil, "", fmt.Errorf("--address %s: other machines could reach it, and a token alone must not travel over a network; add --users FILE and --tls-cert, or use 127.0.0.1, and `ssh -L` from elsewhere", o.Address)
		}
		return access.NewToken(o.Person), "", nil
	}
	users, err := access.NewUsers(o.Users)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("--users: %w", err)
	case !local && o.Cert == "" && !users.Proxied():
		return nil, "", fmt.Errorf("--address %s: other machines could reach it, and passwords must not travel in the clear; add --tls-cert and --tls-key, or name the proxy that has a certificate under \"proxy\" in %s", o.Address, o.Users)
	case !local && users.URL() == "":
		return nil, "", fmt.Errorf("--address %s: add to %s the address by which browsers call the server, such as \"url\": \"https://runs.example.com\"; it refuses other names", o.Address, o.Users)
	}
	return users, users.URL(), nil
}

// withHooks passes the requests of services on to the program at a socket, which knows them by their
// signatures. They are those that change something at an address that the pages don't have.
func withHooks(socket string, mux *http.ServeMux, pages http.Handler) http.Handler {
	if socket == "" {
		return pages
	}
	program := webserver.Proxy(socket)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if r.Method == http.MethodPost && pattern == "/" && !access.IsSigning(r.URL.Path) {
			program.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}
