package google

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"
)

// The SDK writes to the standard log, which is the terminal of whoever runs a
// workflow: that the process's environment has two keys, of which it says that it
// uses one that it does not use here, and what broke a stream, which is the
// failure of the node anyway. Neither is for people to see.

// A way is what became of the connection of a request.
type way struct {
	// answered says that there was a response.
	answered bool
	// broken is why its body ended early, or nil.
	broken error
}

type wayKey struct{}

// watched returns a context in which a request tells its way.
func watched(ctx context.Context) (context.Context, *way) {
	w := &way{}
	return context.WithValue(ctx, wayKey{}, w), w
}

// quietTransport keeps errors of responses' bodies from the SDK, for which the
// body just ends.
type quietTransport struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t quietTransport) RoundTrip(q *http.Request) (*http.Response, error) {
	r, err := t.RoundTripper.RoundTrip(q)
	w, ok := q.Context().Value(wayKey{}).(*way)
	if err == nil && ok {
		w.answered = true
		r.Body = quietBody{r.Body, w}
	}
	return r, err
}

type quietBody struct {
	io.ReadCloser
	way *way
}

// Read implements io.Reader.
func (b quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.way.broken = err
		err = io.EOF
	}
	return n, err
}

// Close implements io.Closer. A body that was read to its end has nothing to say
// any more.
func (b quietBody) Close() error {
	_ = b.ReadCloser.Close()
	return nil
}

// hushing is held while the standard log lacks a line.
var hushing sync.Mutex

// hushed keeps the SDK's line about two keys out of the standard log until the
// function that it returns is called. Lines of others come through.
func hushed() (undo func()) {
	hushing.Lock()
	before := log.Writer()
	log.SetOutput(withoutKeys{before})
	return func() {
		log.SetOutput(before)
		hushing.Unlock()
	}
}

type withoutKeys struct{ io.Writer }

// Write implements io.Writer.
func (w withoutKeys) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("Both GOOGLE_API_KEY and GEMINI_API_KEY are set")) {
		return len(line), nil
	}
	return w.Writer.Write(line)
}
