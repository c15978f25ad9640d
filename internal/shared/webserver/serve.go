// Package webserver serves HTTP until a context ends, and TLS with a certificate in files, which may
// be renewed while the server runs.
package webserver

import (
	"context"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// Serve answers the requests at a listener until ctx ends. Those that have arrived by then have
// grace to be answered.
func Serve(ctx context.Context, s *http.Server, l net.Listener, grace time.Duration) error {
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	if s.Shutdown(closing) != nil {
		s.Close()
	}
	return nil
}

// Proxy passes requests on to the program at a socket, whose path may appear later.
func Proxy(socket string) http.Handler {
	dialer := new(net.Dialer)
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "localhost"})
			r.SetXForwarded()
		},
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		}},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "the workflow does not answer; send it again", http.StatusServiceUnavailable)
		},
	}
}
