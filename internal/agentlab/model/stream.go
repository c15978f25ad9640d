package model

import (
	"net/http"
	"unicode/utf8"
)

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

// hang waits until the program leaves or the server closes.
func (w *writer) hang() {
	select {
	case <-w.done:
	case <-w.closed:
	}
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
