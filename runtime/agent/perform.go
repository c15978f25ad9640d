package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// DefaultIdleTimeout is how long an agent may say nothing when neither the
// prompt nor the settings say otherwise.
const DefaultIdleTimeout = 30 * time.Minute

// The reasons of failures of agents, for programs.
const (
	ReasonAgent   = "agent"
	ReasonOutput  = "output"
	ReasonCredit  = "credit"
	ReasonTimeout = "timeout"
	// ReasonBudget: the turn cost more than it may.
	ReasonBudget = "budget"
	// ReasonReplay: a recording has not what is asked for.
	ReasonReplay = "replay"
)

// A Check tells what is wrong with a JSON value by a JSON Schema: nothing when
// it satisfies. The error says that the schema itself cannot be used.
type Check func(schema, value json.RawMessage) (problems []string, err error)

// Settings are what a Performer works with.
type Settings struct {
	// Agents are the agents by name.
	Agents map[string]Agent
	// Default is the name of the agent for prompts that name none.
	Default string
	// Check validates structured replies: structured.Check. It may be nil only
	// in a program whose prompts have no schema.
	Check Check
	// IdleTimeout limits the time in which an agent says nothing, for prompts
	// that set no limit; zero means DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Settle fills in what a prompt leaves to its agent's settings: the model, the
	// system prompt. It may be nil.
	Settle func(flow.Prompt) flow.Prompt
	// Environ parts an environment into what an agent gets and the names of the
	// variables that it does not get; nil withholds those that look like secrets.
	Environ func(agent string, environ []string) (given, withheld []string)
	// Record takes each turn that has ended, but those that the end of the run's
	// work broke off. f is nil when the agent replied; reply may be nil otherwise.
	// An error is a warning. It may be nil.
	Record func(r *Request, reply *Reply, f *flow.Failure) error
	// Failed is called when an attempt at an action has failed, whatever its turns
	// were. It may be nil.
	Failed func(call *engine.Call)
}

// Performer performs flow.Prompt actions by giving them to agents.
type Performer struct {
	settings Settings
	// told are the runs and agents of which it is logged what the agents do not
	// get.
	told sync.Map
}

var _ engine.Performer = (*Performer)(nil)

// New returns a performer. The settings must not be changed afterwards.
func New(s Settings) *Performer {
	if s.IdleTimeout <= 0 {
		s.IdleTimeout = DefaultIdleTimeout
	}
	return &Performer{settings: s}
}

// Kind implements engine.Performer.
func (*Performer) Kind() string { return flow.Prompt{}.Kind() }

// Perform implements engine.Performer. The output is the agent's reply as it
// said it; for a prompt with a schema it is the JSON of the structured reply,
// compact and with its keys in the agent's order.
func (p *Performer) Perform(ctx context.Context, call *engine.Call) flow.Result {
	prompt := call.Action.Payload.(flow.Prompt)
	name := prompt.Agent
	if name == "" {
		name = p.settings.Default
	}
	a, ok := p.settings.Agents[name]
	if !ok {
		return failure(p.unknown(call.Action.Key, name))
	}
	t := &turn{
		call: call, agent: a, settings: &p.settings, environ: p.environ(name, call),
		limits: limits{total: call.Action.Timeout, idle: prompt.IdleTimeout},
	}
	if t.limits.idle <= 0 {
		t.limits.idle = p.settings.IdleTimeout
	}
	prompt.Agent = name
	if p.settings.Settle != nil {
		prompt = p.settings.Settle(prompt)
	}
	prompt.Options = t.supported(prompt.Options)
	var err error
	if t.budget, err = budgetOf(prompt.Options); err != nil {
		return failure(fatal("Node '%s': %v", call.Action.Key, err))
	}
	result := t.perform(ctx, prompt)
	if result.Status == flow.Failed && p.settings.Failed != nil {
		p.settings.Failed(call)
	}
	return result
}

// environ is what an agent gets of a call's environment. What it does not get is
// logged once a run.
func (p *Performer) environ(name string, call *engine.Call) []string {
	choose := p.settings.Environ
	if choose == nil {
		choose = func(_ string, environ []string) (given, withheld []string) { return Environ(environ, nil, nil) }
	}
	given, withheld := choose(name, call.Environ)
	if len(withheld) > 0 {
		if _, told := p.told.LoadOrStore(call.Run.ID+"\x00"+name, true); !told {
			call.Log.Info("the agent does not get these environment variables", "agent", name, "names", strings.Join(withheld, ", "))
		}
	}
	return given
}

func (p *Performer) unknown(key, name string) *flow.Failure {
	known := "none is set up"
	if len(p.settings.Agents) > 0 {
		names := make([]string, 0, len(p.settings.Agents))
		for n := range p.settings.Agents {
			names = append(names, "`"+n+"`")
		}
		slices.Sort(names)
		known = "set up: " + strings.Join(names, ", ")
	}
	if name == "" {
		return fatal("Node '%s' names no agent and there is no default; %s. Set one with --agent NAME=command:PROGRAM", key, known)
	}
	return fatal("Node '%s' asks agent `%s`, which is not set up; %s. Set it up with --agent %s=command:PROGRAM", key, name, known, name)
}
