// Package google asks Gemini models through the Gemini API, with a key.
//
//	Prompts: prompts.Opener(structured.Check, google.Kind()), // in a cli.Program
//
// It does not support Vertex AI, whose sign-in reads files and the process's environment.
// The package repeats refused requests itself, because the refusal says how long to wait
// and the SDK ignores that. It passes every setting to the SDK, so that the SDK reads
// nothing from the process's environment.
package google

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"sync"
	"time"

	"google.golang.org/genai"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// address is where the vendor's own service is.
const address = "https://generativelanguage.googleapis.com/"

// Kind returns the kind `google`.
func Kind() agent.Kind {
	kind, _ := catalog.KindNamed("google")
	return api.Kind(api.Vendor{
		Kind: kind, BaseURLVariable: "GOOGLE_GEMINI_BASE_URL", Structured: true,
		Open: func(settings.Agent) (api.Service, error) { return newService(), nil },
	})
}

type service struct{ client *http.Client }

func newService() *service {
	client := api.Client()
	client.Transport = quietTransport{client.Transport}
	return &service{client}
}

// Complete implements api.Service.
func (s *service) Complete(ctx context.Context, c *api.Call) (*api.Completion, error) {
	m := fallback{}
	for attempt := 1; ; {
		completion, err := s.requestOnce(ctx, c, m)
		if err == nil {
			return completion, nil
		}
		if next, again := m.nextFallback(c, err); again {
			m = next
			continue
		}
		if !waitForRetry(ctx, attempt, err) {
			return completion.OrNil(), toFailure(ctx, &c.Connection, err)
		}
		attempt++
	}
}

// Verify implements api.Service: it asks for the list of models.
func (s *service) Verify(ctx context.Context, c *api.Connection) error {
	client, err := s.newClient(ctx, c)
	if err == nil {
		_, err = client.Models.List(ctx, &genai.ListModelsConfig{PageSize: 1})
	}
	if err != nil {
		return toFailure(ctx, c, err)
	}
	return nil
}

func (s *service) newClient(ctx context.Context, c *api.Connection) (*genai.Client, error) {
	base := cmp.Or(c.BaseURL, address)
	defer silenceKeyLog()()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: c.Key, Backend: genai.BackendGeminiAPI, HTTPClient: s.client,
		HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
	if err != nil {
		// Its text is a dump of the settings, the key included.
		return nil, errors.New("the SDK refuses the settings")
	}
	return client, nil
}

// The SDK writes to the standard log, and so to the user's terminal: a wrong
// remark about two keys in the environment, and errors of streams, which the
// failure of the node reports anyway. Neither is for users to see.

// An exchange notes the fate of a request's connection.
type exchange struct {
	// answered: there was a response.
	answered bool
	// wait is how long the headers of a refusal ask to wait, or 0.
	wait time.Duration
	// broken is why its body ended early, or nil.
	broken error
}

type exchangeKey struct{}

// watchExchange returns a context whose request notes its exchange.
func watchExchange(ctx context.Context) (context.Context, *exchange) {
	w := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, w), w
}

// quietTransport keeps errors of responses' bodies from the SDK, for which the
// body just ends.
type quietTransport struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t quietTransport) RoundTrip(q *http.Request) (*http.Response, error) {
	r, err := t.RoundTripper.RoundTrip(q)
	w, ok := q.Context().Value(exchangeKey{}).(*exchange)
	if err == nil && ok {
		w.answered = true
		if r.StatusCode >= http.StatusBadRequest {
			w.wait = failures.WaitOf(r, time.Now())
		}
		r.Body = quietBody{r.Body, w}
	}
	return r, err
}

type quietBody struct {
	io.ReadCloser
	exchange *exchange
}

// Read implements io.Reader.
func (b quietBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.exchange.broken = err
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

// quieting is held while the standard log lacks a line.
var quieting sync.Mutex

// silenceKeyLog keeps the SDK's line about two keys out of the standard log until the
// function that it returns is called. Lines of others come through.
func silenceKeyLog() (undo func()) {
	quieting.Lock()
	before := log.Writer()
	log.SetOutput(withoutKeys{before})
	return func() {
		log.SetOutput(before)
		quieting.Unlock()
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
