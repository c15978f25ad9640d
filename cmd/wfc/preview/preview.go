// Package preview serves a picture on this machine that follows the files it is made of.
package preview

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
)

// A Picture is the outcome of drawing.
type Picture struct {
	Title string `json:"title"`
	// SVG is "" if the workflow cannot be drawn.
	SVG string `json:"svg"`
	// Report lists the findings with their positions, or is "".
	Report string `json:"report"`
	// Stale means that SVG is an earlier picture, because the workflow cannot be drawn.
	Stale bool `json:"stale"`
}

// A Draw draws the picture. It returns the files and folders whose changes change the
// picture, also those that do not exist.
type Draw func() (p Picture, paths []string)

// Interval is the time between two looks at the files. A change is drawn when the files have
// not changed further between two looks.
const Interval = 200 * time.Millisecond

// A Server has the newest picture.
type Server struct {
	draw Draw
	// drawn are the states of the files before the picture was drawn from them, pending those
	// of the last look if it found others.
	drawn, pending map[string]string

	mu      sync.Mutex
	current Picture
	changed chan struct{} // closed when there is a newer picture
}

// New draws the first picture.
func New(draw Draw) *Server {
	s := &Server{draw: draw, changed: make(chan struct{})}
	s.redraw()
	return s
}

// redraw draws the picture. If the new version has no picture, the last one stays.
func (s *Server) redraw() {
	before := maps.Clone(s.drawn)
	for path := range before {
		before[path] = fileStamp(path)
	}
	next, paths := s.draw()
	s.drawn = make(map[string]string, len(paths))
	for _, path := range paths {
		at, known := before[path]
		if !known {
			at = fileStamp(path)
		}
		s.drawn[path] = at
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if next.SVG == "" {
		next.SVG, next.Stale = s.current.SVG, s.current.SVG != ""
	}
	s.current = next
	close(s.changed)
	s.changed = make(chan struct{})
}

// latestPicture returns the newest picture, and a channel that is closed when there is a newer one.
func (s *Server) latestPicture() (Picture, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.changed
}

// Follow looks at the files at each tick until the context ends.
func (s *Server) Follow(ctx context.Context, ticks <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			s.redrawIfChanged()
		}
	}
}

// redrawIfChanged draws the picture if the files have changed, but not since the last look.
func (s *Server) redrawIfChanged() {
	now := make(map[string]string, len(s.drawn))
	for path := range s.drawn {
		now[path] = fileStamp(path)
	}
	switch {
	case maps.Equal(now, s.drawn):
		s.pending = nil
	case maps.Equal(now, s.pending):
		s.redraw()
		s.pending = nil
	default:
		s.pending = now
	}
}

// fileStamp is the state of a file or folder: its time and size, or that it does not exist.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size(), info.IsDir())
}

// Listen opens a free port that only this machine can reach.
func Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// Serve serves the page until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(l.Addr().String()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	return webserver.Serve(ctx, server, l, time.Second) // handlers that wait for changes end with the context
}

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
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { writeContent(w, "text/html; charset=utf-8", page) })
	mux.HandleFunc("GET /page.js", func(w http.ResponseWriter, _ *http.Request) {
		writeContent(w, "text/javascript; charset=utf-8", script)
	})
	mux.HandleFunc("GET /events", s.serveEvents)
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

func writeContent(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Write(content) //nolint:errcheck // the reader has gone
}

// serveEvents sends the newest picture, and each newer one, as server-sent events.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		p, changed := s.latestPicture()
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
