package api

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Kind returns the kind of agents that a vendor's service answers for.
func Kind(v Vendor) agent.Kind {
	return agent.Kind{Name: v.Kind.Name, Open: func(c settings.Agent) (agent.Agent, error) { return New(v, c) }}
}

// New returns the agent of a choice of a vendor's kind, which is an
// agent.Inspector as well. It talks to nobody. The error says what is wrong with
// the choice.
func New(v Vendor, c settings.Agent) (agent.Agent, error) {
	if err := checkURL(c.BaseURL); err != nil {
		return nil, err
	}
	if c.MaxTokens < 0 {
		return nil, fmt.Errorf("`max_tokens` cannot be %d; leave it out to use the limit of the service", c.MaxTokens)
	}
	if p := c.Price; p != nil && min(p.Input, p.Output, p.CachedInput, p.CacheWrite) < 0 {
		return nil, fmt.Errorf("a price cannot be below zero")
	}
	service, err := v.Open(c)
	if err != nil {
		return nil, err
	}
	return &apiAgent{vendor: v, choice: c, kind: v.Kind, service: service}, nil
}

type apiAgent struct {
	vendor  Vendor
	choice  settings.Agent
	kind    catalog.KindInfo
	service Service
}

var _ agent.Inspector = (*apiAgent)(nil)

// Capabilities implements agent.Agent.
func (a *apiAgent) Capabilities() agent.Capabilities {
	return agent.Capabilities{Structured: a.vendor.Structured, Options: a.kind.Options, Forks: a.kind.Forks}
}

// describeService describes the service in a few words.
func (a *apiAgent) describeService() string {
	words, _, _ := strings.Cut(a.kind.Doc, ",")
	return words
}

// modelPrice returns the price of a model, or nil when it is not known.
func (a *apiAgent) modelPrice(model string) *settings.Price { return a.kind.PriceOf(a.choice, model) }

// verifyLimit bounds how long a service may take to say whether a key is good.
const verifyLimit = 10 * time.Second

// Inspect implements agent.Inspector. There is nothing to install; the environment
// has the key, and the service says whether it is valid.
func (a *apiAgent) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	s.Credentials = a.keyCredentials(q.Environ)
	s.Installed, s.SignedIn, s.Usable = engine.Yes, engine.Unknown, engine.Unknown
	connection, err := a.newConnection(q.Environ)
	if err != nil {
		s.Usable, s.Problem = engine.No, err.Error()
		if len(s.Credentials) > 0 && !s.Credentials[0].Set {
			s.SignedIn, s.Hint = engine.No, a.keyHint()
			s.Problem = "missing key for " + a.describeService()
		}
		return
	}
	if !q.Thorough {
		return
	}
	ctx, stop := context.WithTimeout(ctx, verifyLimit)
	defer stop()
	err = a.service.Verify(ctx, connection)
	if err == nil {
		s.SignedIn, s.Usable = engine.Yes, engine.Yes
		return
	}
	s.Problem = connection.secretTexts().hideIn(err.Error())
	switch {
	case signedOut(err):
		s.SignedIn, s.Usable, s.Hint = engine.No, engine.No, a.badKeyHint(connection)
	case isUnknownRequest(err):
		// The server has no such request: of servers that are only compatible, that
		// says nothing.
		s.Problem = ""
	case ctx.Err() != nil:
		s.Problem = fmt.Sprintf("%s did not answer within %v", a.describeService(), verifyLimit)
		s.Usable = engine.No
	default:
		s.Usable = engine.No
	}
}

// badKeyHint says what to do about a key that the service does not take.
func (a *apiAgent) badKeyHint(c *Connection) string {
	return fmt.Sprintf("check the key in the environment variable `%s`", c.KeyVariable)
}

// keyVariables are the names of the environment variables that may hold the key.
func (a *apiAgent) keyVariables() []string {
	if a.choice.KeyVariable != "" {
		return []string{a.choice.KeyVariable}
	}
	return a.kind.Credentials
}

// keyCredentials say which of the variables are set; those that are come first.
func (a *apiAgent) keyCredentials(environ []string) []engine.Credential {
	var set, unset []engine.Credential
	for _, name := range a.keyVariables() {
		if lookupKey(environ, name) != "" {
			set = append(set, engine.Credential{Name: name, Set: true})
		} else {
			unset = append(unset, engine.Credential{Name: name})
		}
	}
	return append(set, unset...)
}

// lookupKey returns the key that a variable holds. A line break at its end comes from
// the file that it was read from.
func lookupKey(environ []string, name string) string {
	return strings.TrimSpace(process.Variable(environ, name))
}

// newConnection returns how to get to the service, by an environment.
func (a *apiAgent) newConnection(environ []string) (*Connection, error) {
	c := &Connection{BaseURL: a.choice.BaseURL, Environ: environ}
	for _, name := range a.keyVariables() {
		if c.Key = lookupKey(environ, name); c.Key != "" {
			c.KeyVariable = name
			break
		}
	}
	if c.Key == "" {
		return nil, failures.Fatal("missing key for %s: %s", a.describeService(), a.keyHint())
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, failures.Fatal("the key in the environment variable `%s` has characters that keys do not have", c.KeyVariable)
	}
	if c.BaseURL == "" && a.vendor.BaseURLVariable != "" {
		c.BaseURL = strings.TrimSpace(process.Variable(environ, a.vendor.BaseURLVariable))
		if err := checkURL(c.BaseURL); err != nil {
			return nil, failures.Fatal("the environment variable `%s`: %v", a.vendor.BaseURLVariable, err)
		}
	}
	return c, nil
}

// Named returns the name of the service in failures: the vendor's name of it, or the
// server that replaces it.
func (c *Connection) Named(vendors string) string {
	u, err := url.Parse(c.BaseURL)
	if err != nil || c.BaseURL == "" {
		return vendors
	}
	u.User = nil // a password may be in it
	return "the server at " + u.String()
}

// keyHint says what to do to have a key.
func (a *apiAgent) keyHint() string {
	names := a.keyVariables()
	if len(names) == 1 {
		return fmt.Sprintf("set the environment variable `%s`", names[0])
	}
	return fmt.Sprintf("set one of the environment variables `%s`", strings.Join(names, "`, `"))
}

// checkURL returns the fault of a base URL; "" is the vendor's own. The error does not
// quote the URL, which may hold a password.
func checkURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the base URL must begin with http:// or https:// and name a server")
	case u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("the base URL must end with its path, without ? and #")
	}
	return nil
}
