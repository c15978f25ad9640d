// Package acp is the agent that asks any program that speaks the Agent Client
// Protocol: JSON-RPC 2.0 over standard input and output, one message a line.
//
// A turn starts the program and makes these requests:
//
//	initialize                     versions and capabilities
//	session/new, load or resume    with the working directory and the MCP servers
//	authenticate                   when that was refused, and needs no person
//	session/set_config_option or   when a model is asked for
//	session/set_model
//	session/prompt                 the turn itself
//	session/close                  when the program knows it
//
// then closes the program's input and ends its process group. Meanwhile the
// program sends updates, which become the reply and notes, and requests, which
// are answered by what the agent is permitted to do (permission.go).
//
// The protocol's types and names are those of its Go SDK. The SDK's connection is
// not used, since it is made for a person at an editor who tries again: it drops
// an answer when the program ends right after it, ends the connection when 1,024
// updates wait or a message is longer than 10 MiB, logs what it cannot read and
// goes on, so that a part of a reply may be missing, and gives its own errors
// the same code as the program's. Nor are the SDK's types used for what a program
// says where they refuse what a later version of the protocol adds. rpc.go is the
// connection.
package acp

import (
	"context"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// KindName is the kind's name in runtime/agent/catalog.
const KindName = "acp"

// Kind is the kind of agents that speak the Agent Client Protocol.
func Kind() agent.Kind {
	return agent.Kind{Name: KindName, Open: func(c settings.Agent) (agent.Agent, error) { return New(c) }}
}

// Agent asks a program that speaks the protocol.
type Agent struct {
	choice settings.Agent
	policy policy
	// Limits bound its process; the zero value has the defaults.
	Limits process.Limits
	// StartLimit is how long the program may take to say that it speaks the
	// protocol, and to answer each request after it but the prompt; 0 means two
	// minutes.
	StartLimit time.Duration
	// Clock is what tells the time; nil means the system's.
	Clock Clock
}

var _ agent.Inspector = (*Agent)(nil)

// New returns the agent of a choice. The error says what is wrong with it.
func New(c settings.Agent) (*Agent, error) {
	permission, err := program.Permission(c)
	if err != nil {
		return nil, err
	}
	if program.Of(c).Name == "" {
		return nil, errors.New("no program is given that speaks the Agent Client Protocol; name one under `program` of the agent in wfc.yaml, or write " + c.Name + "=acp:PROGRAM")
	}
	return &Agent{choice: c, policy: permissions[permission], StartLimit: defaultStartLimit}, nil
}

const defaultStartLimit = 2 * time.Minute

// Capabilities implements agent.Agent. The protocol knows nothing of schemas, so
// they are put to the model in words.
func (*Agent) Capabilities() agent.Capabilities {
	k, _ := catalog.KindNamed(KindName)
	return agent.Capabilities{Options: k.Options}
}

// Turn implements agent.Agent.
func (a *Agent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	options, err := agent.DecodeOptions(r.Options)
	if err != nil {
		return nil, fatal(agent.ReasonAgent, "agent `%s`: %v", r.Agent, err)
	}
	t, err := a.prepare(r, options)
	if err != nil {
		return nil, err
	}
	err = t.run(ctx, func(ctx context.Context) error { return t.prompt(ctx) })
	return t.reply(), err
}
