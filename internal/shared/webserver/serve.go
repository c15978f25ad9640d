// Package webserver serves HTTP until a context ends, and TLS with a certificate in files, which may
// be renewed while the server runs.
package webserver

import (
	"bytes"
	"context"
	"errors"
	"io"
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

// Proxy passes requests on to the program at a socket, which may appear later. Of several programs,
// the first one counts that does not answer 404.
func Proxy(sockets ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		if len(sockets) > 1 {
			var err error
			if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, largestShared)); err != nil {
				http.Error(w, "the body is too large, or did not arrive", http.StatusRequestEntityTooLarge)
				return
			}
		}
		for i, socket := range sockets {
			if len(sockets) > 1 {
				r.Body = io.NopCloser(bytes.NewReader(body))
			}
			if answered := passOn(w, r, socket, i == len(sockets)-1); answered {
				return
			}
		}
	})
}

// largestShared is the size in bytes of the largest body for several programs.
const largestShared = 2<<20 + 1

var errUnknown = errors.New("the program does not know the address")

// passOn passes a request on, and reports whether it's answered: with last, also by 404.
func passOn(w http.ResponseWriter, r *http.Request, socket string, last bool) (answered bool) {
	answered = true
	dialer := new(net.Dialer)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", socket)
	}}
	proxy := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "localhost"})
			r.SetXForwarded()
		},
		Transport: transport,
		ModifyResponse: func(reply *http.Response) error {
			if reply.StatusCode == http.StatusNotFound && !last {
				return errUnknown
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if answered = !errors.Is(err, errUnknown); answered {
				w.Header().Set("Retry-After", "5")
				http.Error(w, "the workflow does not answer; send it again", http.StatusServiceUnavailable)
			}
		},
	}
	proxy.ServeHTTP(w, r)
	return answered
}
