package fakeagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Key is the key that fake services take; with any other one, or none, the
// caller is not signed in.
const Key = "sk-fake-0123456789-not-a-secret"

// A Server is a fake service on the loopback interface. It ends with its test.
type Server struct {
	// URL is where it listens, without a path.
	URL string

	behaviour Behaviour
	closed    chan struct{}
	mu        sync.Mutex
	turns     []Turn
	headers   []http.Header
	paths     []string
}

// Turns returns the requests for an answer that the service got, in order, those
// that it refused included.
func (s *Server) Turns() []Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.turns)
}

// Headers returns the headers of the requests that Turns returns.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.headers)
}

// Paths returns the method and path of every request, those that asked for no
// answer included: "GET /v1/models".
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// startServer starts a service whose requests answer answers. It may read the
// request's body, which is given apart.
func startServer(t testing.TB, b Behaviour, answer func(s *Server, w http.ResponseWriter, r *http.Request, body []byte)) *Server {
	t.Helper()
	s := &Server{behaviour: b, closed: make(chan struct{})}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller has left
		}
		s.mu.Lock()
		s.paths = append(s.paths, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		answer(s, w, r, body)
	}))
	s.URL = h.URL
	t.Cleanup(func() {
		close(s.closed)
		h.CloseClientConnections()
		h.Close()
	})
	return s
}

// recordRequest keeps a request for an answer and returns its number, from 1.
func (s *Server) recordRequest(r *http.Request, body []byte, turn Turn) int {
	turn.Body = json.RawMessage(body)
	if !json.Valid(body) {
		turn.Body = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turn)
	s.headers = append(s.headers, r.Header.Clone())
	return len(s.turns)
}

// stallRequest keeps the request open until the caller leaves or the test ends.
func (s *Server) stallRequest(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
}

// resetConnection breaks the connection in the middle, as the death of the other side
// does.
func resetConnection(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the caller has left
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// breaksAnswer goes wrong in the middle of an answer, and reports whether it did. wrong is what it
// sends last for the faults that depend on the service's format.
func (s *Server) breaksAnswer(e events, r *http.Request, fault Fault, wrong map[Fault]string) bool {
	last, known := wrong[fault]
	switch {
	case known:
		e.writeBytes(last)
	case fault == Stalled:
		s.stallRequest(r)
	case fault == Killed:
		resetConnection(e.w)
	default:
		return false
	}
	return true
}

// writeRefusal answers with a status and a JSON body. Its headers let a caller that retries do
// so without delay.
func writeRefusal(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After-Ms", "0")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// events is a stream of server-sent events.
type events struct{ w http.ResponseWriter }

// beginStream begins a stream.
func beginStream(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	e := events{w}
	e.flush()
	return e
}

// sendJSON sends an event, nameless when the name is "", with data as JSON.
func (e events) sendJSON(name string, data any) {
	e.sendRaw(name, string(rawJSON(data)))
}

// sendRaw sends an event whose data is a text as it is.
func (e events) sendRaw(name, data string) {
	var b bytes.Buffer
	if name != "" {
		fmt.Fprintf(&b, "event: %s\n", name)
	}
	for line := range strings.SplitSeq(data, "\n") {
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	b.WriteByte('\n')
	e.writeBytes(b.String())
}

// writeBytes sends anything, in the middle of an event or not.
func (e events) writeBytes(text string) {
	_, _ = io.WriteString(e.w, text)
	e.flush()
}

func (e events) flush() { _ = http.NewResponseController(e.w).Flush() }

// splitInHalf cuts a text in two, between characters.
func splitInHalf(text string) (first, second string) {
	runes := []rune(text)
	return string(runes[:len(runes)/2]), string(runes[len(runes)/2:])
}

// Overloaded is the fault of a service that begins to answer and then says that
// it has too much to do.
const Overloaded Fault = "overloaded"

// costly is the number of tokens that a turn takes that costs too much.
const costly = 100_000_000

// object is a JSON object that a service sends.
type object map[string]any

// String returns the object as JSON.
func (o object) String() string { return string(rawJSON(o)) }
