// Package webserver serves HTTP until a context ends, and TLS with a certificate in files, which may
// be renewed while the server runs.
package webserver

import (
	"context"
	"net"
	"net/http"
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
