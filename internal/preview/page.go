package preview

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// The page loads nothing but its own script from this server.
var (
	//go:embed page.html
	page []byte
	//go:embed page.js
	script []byte
)

// Handler serves the page and its changes. Only requests for the address are answered: a
// page of another site that has made its name lead here learns nothing.
func (s *Server) Handler(address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { send(w, "text/html; charset=utf-8", page) })
	mux.HandleFunc("GET /page.js", func(w http.ResponseWriter, _ *http.Request) { send(w, "text/javascript; charset=utf-8", script) })
	mux.HandleFunc("GET /events", s.events)
	_, port, _ := net.SplitHostPort(address)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != address && r.Host != net.JoinHostPort("localhost", port) {
			http.Error(w, "this server answers requests for "+address, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func send(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Write(content) //nolint:errcheck // the reader has gone
}

// events sends the newest picture, and each newer one, as server-sent events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		p, changed := s.picture()
		data, err := json.Marshal(p)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
