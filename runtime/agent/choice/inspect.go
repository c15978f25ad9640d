package choice

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// How long an inspection may take: one that only asks programs for their
// versions, and a thorough one.
const (
	shortInspection = 10 * time.Second
	longInspection  = 30 * time.Second
)

// Inspect implements engine.Prompts. Agents are inspected side by side, each for
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
			p.inspect(ctx, q, &states[i])
			if ctx.Err() != nil && states[i].Usable == "" {
				late(&states[i], q.Thorough, limit)
			}
			unknown(&states[i])
		})
	}
	work.Wait()
	return states
}

// late says of an agent that it could not be inspected in time. When a thorough
// inspection was wanted, that is reason enough not to rely on it.
func late(s *engine.AgentState, thorough bool, limit time.Duration) {
	if thorough {
		s.Usable = engine.No
	}
	s.Problem = cmp.Or(s.Problem, fmt.Sprintf("it did not say within %s whether it could answer", limit))
}

// unknown makes what was not found out unknown.
func unknown(s *engine.AgentState) {
	for _, v := range []*engine.Verdict{&s.Installed, &s.SignedIn, &s.Usable} {
		*v = cmp.Or(*v, engine.Unknown)
	}
}

func (p *prompts) inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	b := p.agents[s.Name]
	if b == nil || !b.found {
		s.Usable = engine.No
		s.Problem = "nothing is set up to answer for it"
		if a, ok := b.end(); ok && a.name != s.Name {
			s.Problem = fmt.Sprintf("it uses `%s`, and nothing is set up to answer for that", a.name)
		}
		s.Hint = fmt.Sprintf("give --agent %s=KIND, where KIND is one of: %s; or set it up in wfc.yaml and build again", s.Name, strings.Join(kindNames(p.kinds), ", "))
		return
	}
	s.Kind, s.Model = b.choice.Kind, b.choice.Model
	environ, _ := p.environ(s.Name, q.Environ)
	s.Credentials = credentials(b.choice, environ)
	if inspector, ok := b.agent.(agent.Inspector); ok && !q.Static {
		own := *q
		own.Names, own.Environ = []string{s.Name}, environ
		inspector.Inspect(ctx, &own, s)
	}
}

// end returns the agent that stands where nothing does.
func (b *behind) end() (absent, bool) {
	if b == nil {
		return absent{}, false
	}
	a, ok := b.agent.(absent)
	return a, ok
}

// credentials are the variables that may hold the key of a choice, those that
// are set before the others.
func credentials(c settings.Agent, environ []string) []engine.Credential {
	names := []string{}
	if kind, ok := catalog.KindNamed(c.Kind); ok {
		names = kind.Credentials
	}
	if c.KeyVariable != "" {
		names = []string{c.KeyVariable}
	}
	var list []engine.Credential
	for _, name := range names {
		list = append(list, engine.Credential{Name: name, Set: process.Variable(environ, name) != ""})
	}
	slices.SortStableFunc(list, func(a, b engine.Credential) int {
		switch {
		case a.Set == b.Set:
			return 0
		case a.Set:
			return -1
		}
		return 1
	})
	return list
}
