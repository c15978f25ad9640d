// Package acp is the kind of agents that speak the Agent Client Protocol: JSON-RPC 2.0
// over standard input and output, one message on each line.
//
//	Prompts: prompts.Opener(structured.Check, acp.Kind()), // in a cli.Program
//
// The agent starts its program once for each turn and makes these requests:
//
//	initialize                     versions and capabilities
//	session/new, load or resume    with the working directory and the MCP servers
//	authenticate                   if the program refuses the session and offers a
//	                               method that needs no person
//	session/set_config_option or   if the prompt or the agent names a model
//	session/set_model
//	session/prompt                 the turn itself
//	session/close                  if the program supports it
//
// Then it closes the program's input and ends its process group. During the turn the
// program sends updates, which become the reply and notes, and requests for permission,
// which the agent answers by settings.Agent.Permission.
package acp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The protocol's types and names are those of its Go SDK. The package does not use the
// SDK's connection, which is made for a person at an editor who tries again: it drops an
// answer if the program ends right after it, ends the connection when 1,024 updates wait
// or a message is longer than 10 MiB, logs unreadable messages and continues, so that a
// part of a reply may be missing, and gives its own errors the same code as the
// program's. rpc.go is the connection instead. Nor does it use the SDK's types for a
// program's messages where they refuse additions of later versions of the protocol.

// kindName is the kind's name in internal/shared/catalog.
const kindName = "acp"

// Kind returns the kind `acp`.
func Kind() agent.Kind {
	return agent.Kind{Name: kindName, Open: func(c settings.Agent) (agent.Agent, error) { return newClient(c) }}
}

// A client asks a program that speaks the protocol.
type client struct {
	choice settings.Agent
	policy policy
	// Limits bound its process; the zero value has the defaults.
	Limits process.Limits
	// StartLimit is how long the program may take to say that it speaks the
	// protocol, and to answer each request after it but the prompt.
	StartLimit time.Duration
	// Clock gives the time; nil means the system's.
	Clock timer
}

var _ agent.Inspector = (*client)(nil)

// newClient returns the agent of a choice. The error says what is wrong with it.
func newClient(c settings.Agent) (*client, error) {
	permission, err := program.Permission(c)
	if err != nil {
		return nil, err
	}
	if program.Of(c).Name == "" {
		return nil, errors.New("missing program that speaks the Agent Client Protocol: set `program` of the agent in wfc.yaml, or write " + c.Name + "=acp:PROGRAM")
	}
	return &client{choice: c, policy: permissions[permission], StartLimit: defaultStartLimit}, nil
}

const defaultStartLimit = 2 * time.Minute

// Capabilities implements agent.Agent. The protocol knows nothing of schemas, so the
// prompt describes them.
func (*client) Capabilities() agent.Capabilities {
	k, _ := catalog.KindNamed(kindName)
	return agent.Capabilities{Options: k.Options, Forks: k.Forks}
}

// Turn implements agent.Agent.
func (a *client) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	options, err := options.Decode(r.Options)
	if err != nil {
		return nil, failures.Fatal("agent `%s`: %v", r.Agent, err)
	}
	t, err := a.prepareTurn(r, options)
	if err != nil {
		return nil, err
	}
	err = t.runProgram(ctx, func(ctx context.Context) error { return t.takeTurn(ctx) })
	return t.buildReply(), err
}

// Inspect implements agent.Inspector. A thorough inspection opens a session and
// closes it again, which costs nothing. Whether the account is signed in is known
// only when the program refuses: many find out at the first prompt.
func (a *client) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	s.SignedIn = engine.Unknown
	p := program.Locate(a.choice, q, s)
	if p == nil {
		return
	}
	s.Usable = cmp.Or(s.Usable, engine.Unknown)
	p.Args, _, _ = insertModel(p.Args, "") // without a model it cannot fail
	p.Describe(ctx, q, s)
	if q.Thorough && ctx.Err() == nil && s.Usable != engine.No {
		a.inspectSession(ctx, q, s)
	}
}

// inspectSession opens a session.
func (a *client) inspectSession(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	t, err := a.prepareTurn(&agent.Request{WorkDir: q.WorkDir, Environ: q.Environ}, options.Values{})
	if err != nil {
		s.Usable, s.Problem = engine.No, err.Error()
		return
	}
	t.request.Agent = s.Name
	err = t.runProgram(ctx, func(ctx context.Context) error {
		if err := t.negotiateProtocol(ctx); err != nil {
			return err
		}
		err := t.openSession(ctx)
		if err == nil && t.start.Capabilities.Session.Close != nil {
			t.closeSession(ctx)
		}
		return err
	})
	if name := strings.TrimSpace(t.start.Info.Name + " " + t.start.Info.Version); s.Version == "" {
		s.Version = shortenLine(name, 60)
	}
	var signedOut *signedOutError
	switch {
	case err == nil:
		s.Usable = engine.Yes
	case ctx.Err() != nil:
		s.Problem = "it did not answer in time"
	case errors.As(err, &signedOut):
		s.SignedIn, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		s.Hint = "sign in with `" + t.name + "` itself, or set the variable with its key"
	default:
		s.Usable, s.Problem = engine.No, err.Error()
	}
}
