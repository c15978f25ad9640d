package prompts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// How long an inspection may take: one that only asks programs for their
// versions, and a thorough one.
const (
	shortInspection = 10 * time.Second
	longInspection  = 30 * time.Second
)

// Inspect implements engine.PromptPerformer. Agents are inspected side by side, each for
// a limited time.
func (p *prompts) Inspect(ctx context.Context, q *engine.Inspection) []engine.AgentState {
	limit := shortInspection
	if q.Thorough {
		limit = longInspection
	}
	states := make([]engine.AgentState, len(q.Names))
	var work sync.WaitGroup
	for i, name := range q.Names {
		states[i] = engine.AgentState{Name: name}
		work.Go(func() {
			ctx, stop := context.WithTimeout(ctx, limit)
			defer stop()
			p.inspectAgent(ctx, q, &states[i])
			if ctx.Err() != nil && states[i].Usable == "" {
				markLate(&states[i], q.Thorough, limit)
			}
			markUnclear(&states[i])
		})
	}
	work.Wait()
	return states
}

// markLate says of an agent that it could not be inspected in time. When a thorough
// inspection was wanted, that is reason enough not to rely on it.
func markLate(s *engine.AgentState, thorough bool, limit time.Duration) {
	if thorough {
		s.Usable = engine.No
	}
	s.Problem = cmp.Or(s.Problem, fmt.Sprintf("it did not report within %s whether it is usable", limit))
}

// markUnclear sets missing verdicts to unknown.
func markUnclear(s *engine.AgentState) {
	for _, v := range []*engine.Verdict{&s.Installed, &s.SignedIn, &s.Usable} {
		*v = cmp.Or(*v, engine.Unknown)
	}
}

func (p *prompts) inspectAgent(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	b := p.agents[s.Name]
	if b == nil || !b.found {
		s.Usable = engine.No
		s.Problem = "it is not set up"
		if a, ok := b.placeholderAgent(); ok && a.name != s.Name {
			s.Problem = fmt.Sprintf("it uses `%s`, which is not set up", a.name)
		}
		s.Hint = fmt.Sprintf("give --agent %s=KIND, where KIND is one of: %s; or add `agents: {%s: {use: claude}}` to wfc.yaml and build again", s.Name, strings.Join(kindNames(p.kinds), ", "), s.Name)
		return
	}
	s.Kind, s.Model = b.choice.Kind, b.choice.Model
	environ, _ := p.splitEnviron(s.Name, q.Environ)
	s.Credentials = keyCredentials(b.choice, environ)
	if inspector, ok := b.agent.(agent.Inspector); ok && !q.Static {
		own := *q
		own.Names, own.Environ = []string{s.Name}, environ
		inspector.Inspect(ctx, &own, s)
	}
}

// placeholderAgent returns the placeholder agent at the end of a binding that has no real agent.
func (b *binding) placeholderAgent() (absent, bool) {
	if b == nil {
		return absent{}, false
	}
	a, ok := b.agent.(absent)
	return a, ok
}

// keyVariables returns the names of the variables that may hold the key of a choice.
func keyVariables(c settings.Agent) []string {
	if c.KeyVariable != "" {
		return []string{c.KeyVariable}
	}
	kind, _ := catalog.KindNamed(c.Kind)
	return kind.Credentials
}

// keyCredentials returns the variables that may hold the key of a choice, those that
// are set first.
func keyCredentials(c settings.Agent, environ []string) []engine.Credential {
	var set, unset []engine.Credential
	for _, name := range keyVariables(c) {
		if process.Variable(environ, name) != "" {
			set = append(set, engine.Credential{Name: name, Set: true})
		} else {
			unset = append(unset, engine.Credential{Name: name})
		}
	}
	return append(set, unset...)
}

// StandIn returns a substitute for the kind of a name that the caller does not link, for inspections.
// Its agents cannot answer prompts. They report only whether their program is installed,
// or whether a key is set. It is for wfc, which links no kind of agents.
func StandIn(name string) agent.Kind {
	kind, _ := catalog.KindNamed(name)
	return agent.Kind{Name: kind.Name, Open: func(c settings.Agent) (agent.Agent, error) { return &standIn{kind, c}, nil }}
}

type standIn struct {
	kind   catalog.KindInfo
	choice settings.Agent
}

var _ agent.Inspector = (*standIn)(nil)

// Capabilities implements agent.Agent.
func (*standIn) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (s *standIn) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	return nil, failures.Fatal("agent `%s`: this program cannot ask agents of kind `%s`", r.Agent, s.kind.Name)
}

// Inspect implements agent.Inspector.
func (s *standIn) Inspect(ctx context.Context, q *engine.Inspection, state *engine.AgentState) {
	if s.kind.StartsProgram() {
		p := program.Locate(s.choice, q, state)
		if p == nil {
			return
		}
		p.Args = slices.DeleteFunc(slices.Clone(p.Args), func(arg string) bool { return strings.Contains(arg, "{model}") })
		p.Describe(ctx, q, state)
		return
	}
	state.Installed = engine.Yes
	names := keyVariables(s.choice)
	if slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(process.Variable(q.Environ, name)) != "" }) {
		return // only the service knows whether the key is valid
	}
	service, _, _ := strings.Cut(s.kind.Doc, ",")
	state.SignedIn, state.Usable, state.Problem = engine.No, engine.No, "missing key for "+service
	state.Hint = "set the environment variable `" + strings.Join(names, "` or `") + "`"
}
