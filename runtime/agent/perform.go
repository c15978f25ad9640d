package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
}

// Performer performs flow.Prompt actions by giving them to agents.
type Performer struct{ settings Settings }

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
		call: call, agent: a, check: p.settings.Check,
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
	return t.perform(ctx, prompt)
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

// turn is the work on one action.
type turn struct {
	call   *engine.Call
	agent  Agent
	check  Check
	limits limits
	meta   flow.Meta
	asked  int
}

// supported returns the options that the agent takes, and logs the others.
func (t *turn) supported(options []flow.Option) []flow.Option {
	known := t.agent.Capabilities().Options
	if known == nil {
		return options
	}
	var kept []flow.Option
	for _, o := range options {
		if slices.Contains(known, o.Name) {
			kept = append(kept, o)
			continue
		}
		t.call.Log.Warn("the agent does not take this option; it is ignored", "node", t.call.Action.Key, "option", o.Name)
	}
	return kept
}

func (t *turn) perform(ctx context.Context, prompt flow.Prompt) flow.Result {
	ctx, stop := t.limits.start(ctx)
	defer stop()
	result := t.answer(ctx, prompt)
	result.Meta = t.meta
	return result
}

func (t *turn) answer(ctx context.Context, prompt flow.Prompt) flow.Result {
	reply, result := t.ask(ctx, prompt)
	if reply == nil {
		return result
	}
	if len(prompt.Schema) > 0 {
		return t.structured(ctx, prompt, reply)
	}
	if strings.TrimSpace(reply.Text) == "" && reply.Structured == nil {
		return failure(&flow.Failure{Reason: ReasonOutput, ExitCode: -1,
			Message: fmt.Sprintf("Node '%s' got an empty answer from its agent: the agent ended its turn without saying anything", t.call.Action.Key)})
	}
	if strings.TrimSpace(reply.Text) == "" {
		return completedJSON(reply.Structured)
	}
	return flow.Result{Status: flow.Completed, Text: reply.Text}
}

// attemptsPerCall is how many turns one attempt at the action may take.
const attemptsPerCall = corrections + 1

// ask has the agent take one turn. The reply is nil when the result is final.
func (t *turn) ask(ctx context.Context, prompt flow.Prompt) (*Reply, flow.Result) {
	t.asked++
	call := t.call
	var said strings.Builder
	request := &Request{
		Prompt: prompt, RunID: call.Run.ID, Key: call.Action.Key,
		Attempt: (call.Attempt-1)*attemptsPerCall + t.asked,
		WorkDir: call.Run.WorkDir, Environ: call.Environ, Dir: call.Dir,
		Output: func(piece []byte) {
			t.limits.alive()
			said.Write(piece)
			t.show("agent", piece)
		},
		Notes: func(piece []byte) {
			t.limits.alive()
			t.show("stderr", piece)
		},
	}
	t.limits.alive()
	reply, err := t.agent.Turn(ctx, request)
	if reply != nil {
		t.add(reply.Meta)
		reply.Text = strings.ToValidUTF8(reply.Text, "\uFFFD")
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, t.stopped(ctx, said.String())
	case err != nil:
		return nil, failure(described(err))
	case reply == nil:
		return nil, failure(described(errors.New("the agent returned neither a reply nor an error")))
	}
	if message := Exhaustion(reply.Text); message != "" && reply.Structured == nil {
		return nil, flow.Result{Status: flow.Failed, Text: reply.Text, Failure: &flow.Failure{
			Message: message, Class: flow.ClassFatal, Reason: ReasonCredit, ExitCode: -1}}
	}
	return reply, flow.Result{}
}

func (t *turn) show(stream string, piece []byte) {
	if t.call.Output != nil && len(piece) > 0 {
		t.call.Output(stream, piece)
	}
}

// add sums what the turns of one attempt cost. The session and the model are
// those of the last turn that names them.
func (t *turn) add(m flow.Meta) {
	t.meta.CostUSD += m.CostUSD
	t.meta.InputTokens += m.InputTokens
	t.meta.OutputTokens += m.OutputTokens
	t.meta.Turns += m.Turns
	if m.Session != "" {
		t.meta.Session = m.Session
	}
	if m.Model != "" {
		t.meta.Model = m.Model
	}
}

// stopped tells why the end of the context ended the turn.
func (t *turn) stopped(ctx context.Context, said string) flow.Result {
	said = strings.ToValidUTF8(said, "\uFFFD")
	key := t.call.Action.Key
	var message string
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle):
		message = fmt.Sprintf("Node '%s' timed out: its agent said nothing for %v", key, t.limits.idle)
	case errors.Is(cause, context.DeadlineExceeded):
		message = fmt.Sprintf("Node '%s' timed out after %dms", key, t.limits.total.Milliseconds())
	default:
		return flow.Result{Status: flow.Cancelled, Text: said}
	}
	return flow.Result{Status: flow.Failed, Text: said, Failure: &flow.Failure{
		Message: message, Class: flow.ClassTransient, Reason: ReasonTimeout, ExitCode: -1}}
}

func failure(f *flow.Failure) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: f}
}

func fatal(format string, args ...any) *flow.Failure {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: flow.ClassFatal, Reason: ReasonAgent, ExitCode: -1}
}

// described returns an agent's error as a failure with its class.
func described(err error) *flow.Failure {
	f := flow.Failure{Message: err.Error(), Reason: ReasonAgent, ExitCode: -1}
	var typed *flow.Failure
	if errors.As(err, &typed) {
		f = *typed
		f.Message = err.Error()
	}
	f.Class = Classify(err)
	return &f
}
