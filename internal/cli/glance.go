package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/agent/choice"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// glanceLimit is how long the doctor looks by itself. Programs that need longer
// to say their version have an unknown one.
const glanceLimit = 900 * time.Millisecond

// glance looks at agents without what needs an SDK: programs are asked for their
// versions and whether they are signed in, and of keys only their names are known.
func (d *doctor) glance(ctx context.Context, w *ward) ([]engine.AgentState, error) {
	p := w.config.Settings(w.config.Dir)
	prompts, err := choice.Performer(nil, glanceKinds()...)(engine.Agents{List: p.Agents, Environment: p.Environment.Agents})
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

// glanceKinds returns all kinds. The kinds that need an SDK have stand-ins.
func glanceKinds() []agent.Kind {
	kinds := []agent.Kind{claude.Kind(), codex.Kind()}
	for _, k := range catalog.Kinds() {
		if k.Name != "claude" && k.Name != "codex" {
			kinds = append(kinds, choice.StandIn(k))
		}
	}
	return kinds
}
