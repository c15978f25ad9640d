package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Kind returns the kind of agents that a vendor's service answers for.
func Kind(v Vendor) agent.Kind {
	return agent.Kind{Name: v.Kind, Open: func(c settings.Agent) (agent.Agent, error) { return New(v, c) }}
}

// New returns the agent of a choice of a vendor's kind, which is an
// agent.Inspector as well. It talks to nobody. The error says what is wrong with
// the choice.
func New(v Vendor, c settings.Agent) (agent.Agent, error) {
	kind, known := catalog.KindNamed(v.Kind)
	if !known {
		return nil, fmt.Errorf("there is no kind of agent `%s`", v.Kind)
	}
	if err := checkURL(c.BaseURL); err != nil {
		return nil, err
	}
	if c.MaxTokens < 0 {
		return nil, fmt.Errorf("the most tokens that a model may write cannot be %d; leave it out for the service's own limit", c.MaxTokens)
	}
	if p := c.Price; p != nil && min(p.Input, p.Output, p.CachedInput, p.CacheWrite) < 0 {
		return nil, fmt.Errorf("a price cannot be below zero")
	}
	service, err := v.Open(c)
	if err != nil {
		return nil, err
	}
	return &apiAgent{vendor: v, choice: c, kind: kind, service: service}, nil
}

type apiAgent struct {
	vendor  Vendor
	choice  settings.Agent
	kind    catalog.Kind
	service Service
}

var _ agent.Inspector = (*apiAgent)(nil)

// Capabilities implements agent.Agent.
func (a *apiAgent) Capabilities() agent.Capabilities {
	return agent.Capabilities{Structured: a.vendor.Structured, Options: a.kind.Options}
}

// doc says what the service is, in a few words.
func (a *apiAgent) doc() string {
	words, _, _ := strings.Cut(a.kind.Doc, ",")
	return words
}

// model returns the full name of the first model that is named.
func (a *apiAgent) model(names ...string) string {
	for _, name := range append(names, a.vendor.DefaultModel) {
		if name == "" {
			continue
		}
		if full, short := a.vendor.Aliases[name]; short {
			return full
		}
		return name
	}
	return ""
}

// price returns the price of a model, or nil when it is not known.
func (a *apiAgent) price(model string) *settings.Price {
	if a.choice.Price != nil {
		return a.choice.Price
	}
	return a.vendor.Prices.Of(model)
}

// verifyLimit bounds how long a service may take to say whether a key is good.
const verifyLimit = 10 * time.Second

// Inspect implements agent.Inspector. There is nothing to install; that the
// account has a key is told by the environment, that it is good by the service.
func (a *apiAgent) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	s.Credentials = a.credentials(q.Environ)
	s.Installed, s.SignedIn, s.Usable = engine.Yes, engine.Unknown, engine.Unknown
	connection, err := a.connect(q.Environ)
	if err != nil {
		s.Usable, s.Problem = engine.No, err.Error()
		if len(s.Credentials) > 0 && !s.Credentials[0].Set {
			s.SignedIn, s.Hint = engine.No, a.keyHint()
			s.Problem = "there is no key to " + a.doc()
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
	s.Problem = connection.secrets().hide(err.Error())
	switch {
	case signedOut(err):
		s.SignedIn, s.Usable, s.Hint = engine.No, engine.No, a.badKeyHint(connection)
	case unanswerable(err):
		// The server has no such request: of servers that are only compatible, that
		// says nothing.
		s.Problem = ""
	case ctx.Err() != nil:
		s.Problem = fmt.Sprintf("%s did not answer within %v", a.doc(), verifyLimit)
		s.Usable = engine.No
	default:
		s.Usable = engine.No
	}
}

// badKeyHint says what to do about a key that the service does not take.
func (a *apiAgent) badKeyHint(c *Connection) string {
	return fmt.Sprintf("check the key in the environment variable `%s`", c.KeyVariable)
}
