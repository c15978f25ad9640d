// Package api is the common part of agents that ask a model through a service's API:
// conversations, structured replies, prices, limits, credentials and the classes of
// failures. Each service has a separate package, which turns one Call into one request
// through the vendor's SDK.
package api

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Service is a vendor's API.
type Service interface {
	// Complete has a model answer, streaming. The error is best a *flow.Failure with its
	// class (see Failure); a Completion beside it has the cost of the call. The SDK's own
	// retries are included. When ctx ends, it returns soon.
	Complete(ctx context.Context, c *Call) (*Completion, error)
	// Verify asks the service whether the key is good, by a request that costs
	// nothing.
	Verify(ctx context.Context, c *Connection) error
}

// A Connection says where a service is and how to get in.
type Connection struct {
	// BaseURL is "" for the vendor's own.
	BaseURL string
	// Key is the secret. It must not be logged, nor be part of an error.
	Key string
	// KeyVariable is the environment variable that it came from: some services
	// send keys of different variables in different headers.
	KeyVariable string
	// Environ is the agent's environment, for further settings of a vendor, such as an
	// account's organisation. A Service reads it instead of the process's own.
	Environ []string
}

// A Call is one request to a model.
type Call struct {
	Connection
	Model string
	// Messages are the conversation; the last one is the user's.
	Messages []Message
	Options  options.Values
	// Schema is what the reply must satisfy, or nil.
	Schema json.RawMessage
	// MaxTokens limits what the model writes; 0 means the service's default.
	MaxTokens int64
	// Text takes pieces of the reply as they come, and Alive notes anything else
	// that does. Both are never nil.
	Text  func(piece string)
	Alive func()
	// Used takes the tokens that the call has used so far, whenever the service
	// says more of it. It is never nil.
	Used func(u catalog.Tokens)
}

// A Message is one turn of a conversation.
type Message struct {
	// Role is "user" or "assistant".
	Role string `json:"role"`
	Text string `json:"text"`
}

// A Completion is a model's answer.
type Completion struct {
	Text string
	// Structured is the reply as JSON when the service itself made it satisfy the
	// schema, or nil.
	Structured json.RawMessage
	// Unenforced says that the service was only asked to satisfy the schema, and may
	// not have done so. Where Structured is nil, that is so anyway.
	Unenforced bool
	Usage      catalog.Tokens
	// Model is the model that answered.
	Model string
	// Stop says why an answer is not whole: "" when it is, else a few words for
	// people, such as "the limit of 4096 tokens was reached".
	Stop string
}

// OrNil returns nil if no part of an answer has arrived.
func (c *Completion) OrNil() *Completion {
	if c == nil || c.Text == "" && c.Usage == (catalog.Tokens{}) {
		return nil
	}
	return c
}

// A Vendor is what makes the agents of a service.
type Vendor struct {
	// Kind is the kind, with its models.
	Kind catalog.KindInfo
	// BaseURLVariable is the environment variable that users of the vendor's own
	// programs set to reach another server, or "".
	BaseURLVariable string
	// Structured says that the service makes replies satisfy schemas.
	Structured bool
	// Open connects to the service. It starts nothing and talks to nobody.
	Open func(c settings.Agent) (Service, error)
}

// aliveKey is the key of the function in a context that notes signs of life.
type aliveKey struct{}

// Client returns the HTTP client that a Service gives to its SDK. It follows no redirect,
// because the redirected request would carry the keys. It sets no time limit. It counts
// all received bytes, keep-alive comments included, as a sign of life of the call in the
// request's context.
func Client() *http.Client {
	var transport http.RoundTripper = http.DefaultTransport
	if t, ok := transport.(*http.Transport); ok {
		transport = t.Clone()
	}
	return &http.Client{Transport: listener{transport}}
}

// withAlive returns the context in which a Client notes signs of life.
func withAlive(ctx context.Context, alive func()) context.Context {
	return context.WithValue(ctx, aliveKey{}, alive)
}

// longestSDKWait is the wait that a service may ask of an SDK. An SDK would spend a longer one inside
// the turn, or ask again too early, so the retries of the step wait instead.
const longestSDKWait = time.Minute

type listener struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l listener) RoundTrip(q *http.Request) (*http.Response, error) {
	asks := failures.AsksOf(q.Context())
	if err := asks.Begin(q.Context()); err != nil {
		return nil, err
	}
	r, err := l.RoundTripper.RoundTrip(q)
	switch {
	case err == nil && r.StatusCode >= http.StatusInternalServerError:
		asks.End(r.Status)
	case err != nil && q.Context().Err() == nil:
		asks.End(err.Error())
	default:
		asks.End("")
	}
	if err != nil {
		return nil, err
	}
	alive, ok := q.Context().Value(aliveKey{}).(func())
	if !ok {
		alive = func() {}
	}
	if r.StatusCode >= 300 && r.StatusCode < 400 {
		return refuseRedirect(r), nil
	}
	alive()
	if r.StatusCode >= http.StatusBadRequest && failures.WaitOf(r, time.Now()) >= longestSDKWait {
		r.Header.Set("X-Should-Retry", "false")
	}
	r.Body = body{r.Body, alive}
	return r, nil
}

// refuseRedirect returns a refusal in place of a redirect, so that an SDK neither follows
// it, nor treats it as an answer, nor tries again.
func refuseRedirect(r *http.Response) *http.Response {
	r.Body.Close()
	where := ""
	if to, err := r.Location(); err == nil {
		where = " (to " + to.Scheme + "://" + to.Host + ")"
	}
	text := "the server redirects to another server" + where + ", which does not get the key: set the base URL to the service itself"
	refusal := *r
	refusal.StatusCode = http.StatusMisdirectedRequest
	refusal.Status = strconv.Itoa(refusal.StatusCode) + " " + http.StatusText(refusal.StatusCode)
	refusal.Header = http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Should-Retry": {"false"}}
	refusal.Body, refusal.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return &refusal
}

type body struct {
	io.ReadCloser
	alive func()
}

// Read implements io.Reader.
func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.alive()
	}
	return n, err
}

// isUntrusted reports whether a server could not prove its identity, or does not try to.
// Such an error is permanent.
func isUntrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &record)
}

// hidden replaces secrets.
const hidden = "***"

// shortestSecret is the length of the shortest secret to hide: shorter ones, such as
// "none" for a local server, protect nothing and are parts of many words.
const shortestSecret = 6

// secrets are strings that must not be shown: the key, and the password of a base URL.
type secrets []string

func (c *Connection) secretTexts() secrets {
	list := secrets{c.Key}
	if u, err := url.Parse(c.BaseURL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		list = append(list, password)
	}
	return list
}

// hideIn returns the text without the secrets, in all forms in which they may be written.
func (s secrets) hideIn(text string) string {
	for _, secret := range s {
		if len(secret) < shortestSecret {
			continue
		}
		quoted, err := json.Marshal(secret)
		if err != nil {
			panic(err) // a text encodes
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`)} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}

// plainFailure returns an error as a new failure without the secrets: the errors of SDKs keep
// requests with all their headers. It returns the error of a context unchanged.
func (s secrets) plainFailure(err error) error {
	if err == nil {
		return nil
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return end
		}
	}
	var f *flow.Failure
	if !errors.As(err, &f) {
		return errors.New(s.hideIn(err.Error()))
	}
	clean := *f
	clean.Message = s.hideIn(err.Error())
	return &clean
}
