package model

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Server is a fake model. It ends with Close.
type Server struct {
	// URL is where the server listens, without a path.
	URL string

	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	scripts  map[string]Script
	seen     map[string]map[int]int // requests by script and position
	requests []*Request
	others   []string
	changed  chan struct{} // closed when a request comes
	disturb  func(*Request) *Step
}

// An api is one way of asking a model.
type api interface {
	// read fills the request from its body.
	read(r *Request, body []byte) error
	// answer sends the step as the answer.
	answer(w *writer, r *Request, step *Step)
	// refusal returns the body of an error.
	refusal(f *Refusal) any
}

// New starts a server.
func New() *Server {
	s := &Server{closed: make(chan struct{}), scripts: map[string]Script{}, seen: map[string]map[int]int{}, changed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server and every request that hangs.
func (s *Server) Close() {
	close(s.closed)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Script sets the script of a name.
func (s *Server) Script(name string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[name] = steps
}

// Disturb has a function answer requests by a script: with the step that it returns, or by the
// script if it returns nil.
func (s *Server) Disturb(with func(*Request) *Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = with
}

// Requests returns the requests for an answer by the script of a name, in order;
// without a name, all.
func (s *Server) Requests(script string) []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.requests)
	if script == "" {
		return list
	}
	return slices.DeleteFunc(list, func(r *Request) bool { return r.Script != script })
}

// Others returns method and path of every request that asked for no answer.
func (s *Server) Others() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.others)
}

// Await waits for a request by a script at a position or behind it.
func (s *Server) Await(ctx context.Context, script string, position int) (*Request, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		for _, r := range s.requests {
			if r.Script == script && r.Position >= position {
				s.mu.Unlock()
				return r, nil
			}
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("no request for step %d of %q came: %w", position, script, ctx.Err())
		}
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err != nil {
		return // the program has left
	}
	path := r.URL.Path
	api, name := route(path)
	if r.Method != http.MethodPost || api == nil {
		s.other(w, r)
		return
	}
	q := &Request{API: name, Path: path, Header: r.Header.Clone(), Body: body, Time: time.Now()}
	if name == Gemini {
		q.Stream = strings.HasSuffix(path, ":streamGenerateContent")
		q.Model = strings.TrimPrefix(path[:strings.LastIndex(path, ":")], "/v1beta/models/")
	}
	if err := api.read(q, body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out := &writer{w: w, done: r.Context().Done(), closed: s.closed}
	step := s.note(q)
	if step.Drop && (step.Say == "" || !q.Stream) {
		panic(http.ErrAbortHandler)
	}
	if step.Refuse == nil {
		api.answer(out, q, step)
		return
	}
	maps.Copy(w.Header(), step.Refuse.Header)
	out.json(step.Refuse.Status, api.refusal(step.Refuse))
}

// route returns the API of a path, or nil.
func route(path string) (api, string) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}, Anthropic
	case strings.HasSuffix(path, "/responses"):
		return responses{}, Responses
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}, Chat
	case strings.HasSuffix(path, "enerateContent"):
		return gemini{}, Gemini
	}
	return nil, ""
}

// note keeps a request and returns the step that answers it.
func (s *Server) note(q *Request) *Step {
	beside := aside(q)
	if beside == nil {
		q.Script, q.Position = locate(q.Messages)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q)
	close(s.changed)
	s.changed = make(chan struct{})
	if beside != nil {
		return beside
	}
	if s.disturb != nil && q.Script != "" {
		if step := s.disturb(q); step != nil {
			q.Disturbed = true
			return step
		}
	}
	seen := s.seen[q.Script]
	if seen == nil {
		seen = map[int]int{}
		s.seen[q.Script] = seen
	}
	return s.scripts[q.Script].at(q.Position, seen)
}

// other answers requests for other things than replies.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.others = append(s.others, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	out := &writer{w: w}
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/count_tokens"), strings.HasSuffix(path, ":countTokens"):
		out.json(http.StatusOK, object{"input_tokens": 7, "totalTokens": 7})
	case strings.HasPrefix(path, "/v1beta/models"):
		out.json(http.StatusOK, object{"models": []object{{"name": "models/gemini-2.5-pro", "displayName": "Fake", "supportedGenerationMethods": []string{"generateContent"}}}})
	case strings.HasSuffix(path, "/models"):
		one := object{"id": "fake-1", "object": "model", "type": "model", "display_name": "Fake", "created_at": "2026-01-01T00:00:00Z", "created": 1, "owned_by": "lab"}
		out.json(http.StatusOK, object{"object": "list", "data": []object{one}, "models": []object{}, "has_more": false, "first_id": "fake-1", "last_id": "fake-1"})
	default:
		out.json(http.StatusNotFound, object{"type": "error", "error": object{"type": "not_found_error", "message": "there is nothing at " + path}})
	}
}

// read returns the body of a request, unpacked.
func read(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		return body, err
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// object is a JSON object.
type object = map[string]any

// encode returns a value as JSON.
func encode(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // answers are made of strings and numbers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// A writer sends an answer: one JSON document, or server-sent events.
type writer struct {
	w       http.ResponseWriter
	done    <-chan struct{} // the program has left
	closed  <-chan struct{} // the server closes
	started bool
}

// json sends a JSON document.
func (w *writer) json(status int, value any) {
	w.w.Header().Set("Content-Type", "application/json")
	w.w.Header().Set("Request-Id", "req_lab")
	w.w.WriteHeader(status)
	_, _ = w.w.Write(encode(value))
}

// event sends an event with a value as JSON; its name may be "".
func (w *writer) event(name string, value any) { w.raw(name, string(encode(value))) }

// raw sends an event with a text of one line.
func (w *writer) raw(name, data string) {
	if !w.started {
		w.started = true
		w.w.Header().Set("Content-Type", "text/event-stream")
		w.w.Header().Set("Request-Id", "req_lab")
		w.w.WriteHeader(http.StatusOK)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, _ = w.w.Write([]byte(name + "data: " + data + "\n\n"))
	_ = http.NewResponseController(w.w).Flush()
}

// stops reports whether an answer ends after its text. If the step hangs, it waits
// until the program leaves or the server closes.
func (w *writer) stops(step *Step) bool {
	switch {
	case step.Drop:
		panic(http.ErrAbortHandler)
	case step.Hang:
		select {
		case <-w.done:
		case <-w.closed:
		}
	}
	return step.Hang
}

// pieceSize is the number of bytes in a piece of a streamed text. A word has
// fewer, so every text of more than a few words comes in several pieces.
const pieceSize = 4096

// pieces cuts a text between characters. A short text has two pieces.
func pieces(text string) []string {
	size := min(pieceSize, max(1, (len(text)+1)/2))
	var list []string
	for len(text) > size {
		n := size
		for n > 1 && !utf8.RuneStart(text[n]) {
			n--
		}
		list, text = append(list, text[:n]), text[n:]
	}
	return append(list, text)
}
