package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/agent/choice"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// glanceLimit is how long the doctor looks by itself. Programs that need longer
// to say their version have an unknown one.
const glanceLimit = 900 * time.Millisecond

// glance looks at agents without what needs an SDK: programs are asked for their
// versions and whether they are signed in, and of keys only their names are known.
func (d *doctor) glance(ctx context.Context, w *ward) ([]engine.AgentState, error) {
	p := w.config.Settings(w.config.Dir)
	prompts, err := choice.Performer(nil, glanceKinds()...)(engine.Agents{List: p.Agents, Only: p.Environment.Agents})
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, glanceLimit)
	defer stop()
	q := engine.Inspection{Names: w.names, WorkDir: dir, Environ: append(os.Environ(), p.Environ...)}
	states := prompts.Inspect(ctx, &q)
	q.Thorough = true
	q.Names = nil
	for _, s := range states {
		// What says it without the network.
		if s.Installed == engine.Yes && s.SignedIn == engine.Unknown && s.Problem == "" && (s.Kind == "claude" || s.Kind == "codex") {
			q.Names = append(q.Names, s.Name)
		}
	}
	if len(q.Names) > 0 && ctx.Err() == nil {
		for _, s := range prompts.Inspect(ctx, &q) {
			if i := slices.IndexFunc(states, func(t engine.AgentState) bool { return t.Name == s.Name }); s.SignedIn != engine.Unknown {
				states[i] = s
			}
		}
	}
	if ctx.Err() != nil {
		for i := range states {
			if s := &states[i]; s.Installed == engine.Yes && s.Version == "" && s.Program != "" {
				s.Problem = fmt.Sprintf("it did not report its version within %v; `wfc doctor --deep` waits longer", glanceLimit)
			}
		}
	}
	return states, nil
}

// glanceKinds are all kinds: those that link no SDK, and for the others what can
// be known without one.
func glanceKinds() []agent.Kind {
	kinds := []agent.Kind{claude.Kind(), codex.Kind()}
	for _, k := range catalog.Kinds() {
		if k.Name != "claude" && k.Name != "codex" {
			kinds = append(kinds, agent.Kind{Name: k.Name, Open: func(c settings.Agent) (agent.Agent, error) { return &glanced{k, c}, nil }})
		}
	}
	return kinds
}

// glanced is an agent of a kind that wfc does not link.
type glanced struct {
	kind   catalog.Kind
	choice settings.Agent
}

var _ agent.Inspector = (*glanced)(nil)

// Capabilities implements agent.Agent.
func (*glanced) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent; wfc asks no agent anything.
func (*glanced) Turn(context.Context, *agent.Request) (*agent.Reply, error) {
	return nil, errors.New("wfc asks no agents")
}

// Inspect implements agent.Inspector.
func (g *glanced) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	if slices.Contains(g.kind.Settings, catalog.SettingProgram) {
		g.inspectProgram(ctx, q, s)
		return
	}
	names := g.kind.Credentials
	if g.choice.KeyVariable != "" {
		names = []string{g.choice.KeyVariable}
	}
	s.Installed = engine.Yes
	if slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(q.Variable(name)) != "" }) {
		return // only the service knows whether the key is good
	}
	service, _, _ := strings.Cut(g.kind.Doc, ",")
	s.SignedIn, s.Usable, s.Problem = engine.No, engine.No, "there is no key to "+service
	s.Hint = "set the environment variable `" + strings.Join(names, "` or `") + "`"
}

func (g *glanced) inspectProgram(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	p, err := program.Find(g.choice, q.Environ, q.WorkDir)
	if err != nil {
		s.Installed, s.SignedIn, s.Usable = engine.No, engine.Unknown, engine.No
		s.Problem, s.Hint = err.Error(), program.Of(g.choice).Install
		return
	}
	s.Program, s.Installed = p.Path, engine.Yes
	p.Args = slices.DeleteFunc(slices.Clone(p.Args), func(arg string) bool { return strings.Contains(arg, "{model}") })
	// A program need not have a version.
	if _, said, err := p.Version(ctx, q.Environ, q.WorkDir); err == nil {
		s.Version = said
	}
}
