package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// defaultIdleTimeout is the idle timeout unless the prompt or the settings set
// one.
const defaultIdleTimeout = 30 * time.Minute

// A Check validates a JSON value by a JSON Schema. It returns no problems if the
// value satisfies the schema, and an error if the schema is unusable.
type Check func(schema, value json.RawMessage) (problems []string, err error)

// Options configure a Performer. (The settings of one agent are a settings.Agent.)
type Options struct {
	// Agents are the agents by name.
	Agents map[string]Agent
	// Default names the agent for prompts that name none; "" makes such a prompt fail.
	Default string
	// CheckReply validates structured replies: structured.Check. It may be nil only if
	// no prompt has a schema.
	CheckReply Check
	// IdleTimeout limits how long an agent may be silent, for prompts that set no
	// limit; zero means 30 minutes.
	IdleTimeout time.Duration
	// Complete returns the prompt with the agent's defaults, such as its model and system
	// prompt, for settings that the prompt does not have. It may be nil.
	Complete func(flow.Prompt) flow.Prompt
	// Environ is a function that divides an environment into the part that an agent gets
	// and the names of the variables that it does not get. agent is the agent's name. If
	// Environ is nil, no agent gets variables whose names look like secrets.
	Environ func(agent string, environ []string) (given, withheld []string)
	// OnQuota returns what happens to a prompt whose agent's quota is used up. If it is nil,
	// such a prompt fails.
	OnQuota func(agent string) settings.Quota
	// Most returns how many turns of an agent may take place at the same time, and the name of
	// the agent that has this limit: another one if the agent uses that. 0 means no limit. Most
	// may be nil.
	Most func(agent string) (owner string, most int)
	// Queue orders the turns of agents, unless an Attempt has its own queue. It may be nil.
	Queue engine.Queue
	// Local reports whether an agent asks no service that could be down, such as one with
	// replies in a file. Turns of any other agent wait after some outages in a row, until one of
	// them gets an answer. Local may be nil.
	Local func(agent string) bool
	// Quote returns the price of the model that would answer a prompt, or nil if it is unknown.
	// byPrice reports that the agent reports tokens alone, so that without a price nobody knows
	// what a turn costs. Quote may be nil.
	Quote func(prompt flow.Prompt) (price *settings.Price, byPrice bool)
	// Record is called with each turn that has ended, except turns that were cancelled. f
	// is nil if the agent replied; reply may be nil otherwise. The error of Record becomes
	// a warning. Record may be nil.
	Record func(r *Request, reply *Reply, f *flow.Failure) error
	// Failed is called with each attempt at a prompt that has failed. It may be nil.
	Failed func(call *engine.Attempt)
}

// A Performer performs flow.Prompt actions by giving them to agents. It is also
// an engine.Judge.
type Performer struct {
	settings Options
	// logged is what was logged or warned of, once a run.
	logged sync.Map
	// circuits are the circuits of agents, by name.
	circuits sync.Map
}

var (
	_ engine.Performer = (*Performer)(nil)
	_ engine.Judge     = (*Performer)(nil)
)

// New returns a performer. The caller must not change the settings afterwards.
func New(s Options) *Performer {
	if s.IdleTimeout <= 0 {
		s.IdleTimeout = defaultIdleTimeout
	}
	return &Performer{settings: s}
}

// Kind implements engine.Performer. It returns the kind of payload of flow.Prompt.
func (*Performer) Kind() string { return flow.Prompt{}.Kind() }

// Perform implements engine.Performer. The output is the agent's reply. For a
// prompt with a schema it is the structured reply as compact JSON, its keys in the
// agent's order.
func (p *Performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	prompt := call.Action.Payload.(flow.Prompt)
	name := cmp.Or(prompt.Agent, p.settings.Default)
	result := p.askAgent(ctx, call, name, prompt)
	result = p.followQuota(ctx, call, name, prompt, result)
	if result.Status == flow.Failed && p.settings.Failed != nil {
		p.settings.Failed(call)
	}
	return result
}

// askAgent has an agent answer a prompt.
func (p *Performer) askAgent(ctx context.Context, call *engine.Attempt, name string, prompt flow.Prompt) flow.Result {
	a, ok := p.settings.Agents[name]
	if !ok {
		return failedResult("", p.unknownAgent(call.Action.Key, name))
	}
	t := &turn{
		call: call, agent: a, settings: &p.settings, environ: p.agentEnviron(name, call), warned: &p.logged,
		limits: limits{total: call.Action.Timeout, idle: prompt.IdleTimeout},
	}
	if t.limits.idle <= 0 {
		t.limits.idle = p.settings.IdleTimeout
	}
	prompt.Agent = name
	if p.settings.Complete != nil {
		prompt = p.settings.Complete(prompt)
	}
	var err error
	if f := t.checkFork(prompt); f != nil {
		return failedResult("", f)
	}
	prompt.Options = t.supportedOptions(prompt.Options)
	if t.price, err = p.quotePrompt(call, prompt); err != nil {
		return failedResult("", failures.Fatal("Node `%s`: %v", call.Action.Key, err))
	}
	if t.budget, err = budgetOf(prompt.Options); err != nil {
		return failedResult("", failures.Fatal("Node `%s`: %v", call.Action.Key, err))
	}
	return p.askAdmitted(ctx, t, name, func() flow.Result { return t.performPrompt(ctx, prompt) })
}

// agentEnviron returns the part of a call's environment that an agent gets. It logs
// the names of the others once a run.
func (p *Performer) agentEnviron(name string, call *engine.Attempt) []string {
	choose := p.settings.Environ
	if choose == nil {
		choose = func(_ string, environ []string) (given, withheld []string) {
			return envvar.Divide(environ, nil, nil, nil)
		}
	}
	given, withheld := choose(name, call.Environ)
	if len(withheld) > 0 {
		if _, logged := p.logged.LoadOrStore(call.Info.ID+"\x00"+name, true); !logged {
			call.Log.Info("the agent does not get these environment variables", "agent", name, "names", strings.Join(withheld, ", "))
		}
	}
	prompt, _ := call.Action.Payload.(flow.Prompt)
	for _, v := range prompt.Env {
		if entry, err := process.Entry(v); err == nil {
			given = append(given[:len(given):len(given)], entry)
		} else {
			call.Log.Warn("the agent does not get an environment variable of the workflow", "agent", name, "error", err)
		}
	}
	return given
}

func (p *Performer) unknownAgent(key, name string) *flow.Failure {
	known := "none is set up"
	if len(p.settings.Agents) > 0 {
		known = "set up: `" + strings.Join(slices.Sorted(maps.Keys(p.settings.Agents)), "`, `") + "`"
	}
	if name == "" {
		return failures.Fatal("node `%s` names no agent, and the default is missing; %s. Set one with --agent NAME=command:PROGRAM (in Go: `settings.Agent`)", key, known)
	}
	return failures.Fatal("node `%s` asks agent `%s`, which is not set up; %s. Set it up with --agent %s=command:PROGRAM (in Go: `settings.Agent`)", key, name, known, name)
}

// Judge implements engine.Judge. It treats the text like the reply of an agent
// without structured replies.
func (p *Performer) Judge(payload flow.Payload, text string) (string, error) {
	prompt, ok := payload.(flow.Prompt)
	if !ok {
		return "", fmt.Errorf("it is the output of a %s, not of a prompt", payload.Kind())
	}
	if len(prompt.Schema) == 0 {
		if strings.TrimSpace(text) == "" && !prompt.MayBeEmpty {
			return "", errors.New("it is empty, and the answer of an agent never is")
		}
		return text, nil
	}
	value := schema.Extract(text)
	if value == nil {
		return "", errors.New("no JSON was found in it")
	}
	if p.settings.CheckReply != nil {
		// A schema that cannot be used judges nothing, as in a run.
		if problems, err := p.settings.CheckReply(prompt.Schema, value); err == nil && len(problems) > 0 {
			return "", errors.New(strings.Join(problems, "; "))
		}
	}
	r := completedJSON(value)
	if r.Failure != nil {
		return "", r.Failure
	}
	return r.Text, nil
}
