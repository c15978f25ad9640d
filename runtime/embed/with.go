package embed

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// with returns the options with what more says in place of what they say.
func (o Options) with(more Options) Options {
	o.Dir = cmp.Or(more.Dir, o.Dir)
	if more.OpenStore != nil || more.OpenDatabase != nil {
		o.OpenStore, o.OpenDatabase = more.OpenStore, more.OpenDatabase // an engine has one store
	}
	o.Performers = joined(o.Performers, more.Performers, engine.Performer.Kind)
	o.Kinds = joined(o.Kinds, more.Kinds, func(k agent.Kind) string { return k.Name })
	if more.Check != nil {
		o.Check = more.Check
	}
	answers := maps.Clone(o.Answers)
	if answers == nil {
		answers = map[string]Answer{}
	}
	maps.Copy(answers, more.Answers)
	o.Answers = answers
	o.Defaults = o.Defaults.With(more.Defaults)
	if more.Environ != nil {
		o.Environ = more.Environ
	}
	if more.Watch != nil {
		o.Watch = more.Watch
	}
	if more.Asker != nil {
		o.Asker = more.Asker
	}
	return o
}

// joined is a list with more behind it, without elements of the list whose name
// one of more has.
func joined[T any](list, more []T, name func(T) string) []T {
	if len(more) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}

// An Answer is a Go function that answers a prompt. It must be safe for
// concurrent use and return soon after ctx is done.
//
// The engine treats the result like an agent's reply. For a prompt with a schema
// (Request.Schema) the result must be JSON; if it does not satisfy the schema, the engine
// calls the function again with the problems in the prompt. The errors are those of
// agent.Agent.Turn: the class of a *flow.Failure decides whether the engine retries the
// node.
//
// An Answer has no sessions: it gets each prompt without the earlier ones.
type Answer func(ctx context.Context, r *agent.Request) (string, error)

// Capabilities implements agent.Agent.
func (Answer) Capabilities() agent.Capabilities { return agent.Capabilities{Forks: true} }

// Turn implements agent.Agent.
func (f Answer) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	text, err := f(ctx, r)
	return &agent.Reply{Text: text, Meta: flow.Meta{Turns: 1, Model: r.Model}}, err
}

// answering performs prompts by functions, and those that no function answers by
// others.
type answering struct {
	answers map[string]Answer
	check   agent.Check
	others  engine.Performer
	// performers are *agent.Performer by the agent's name.
	performers sync.Map
}

// Kind implements engine.Performer.
func (*answering) Kind() string { return flow.Prompt{}.Kind() }

// Perform implements engine.Performer.
func (p *answering) Perform(ctx context.Context, call *engine.Call) flow.Result {
	name := call.Action.Payload.(flow.Prompt).Agent
	f := p.answers[name]
	if f == nil {
		f = p.answers[""]
	}
	if f == nil {
		return p.others.Perform(ctx, call)
	}
	made, ok := p.performers.Load(name)
	if !ok {
		made, _ = p.performers.LoadOrStore(name, agent.New(agent.Settings{Agents: map[string]agent.Agent{name: f}, Check: p.check}))
	}
	return made.(*agent.Performer).Perform(ctx, call)
}
