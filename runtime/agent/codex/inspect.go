package codex

import (
	"context"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// Inspect implements agent.Inspector.
func (a *Agent) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	p, _ := program.Look(ctx, a.choice, q, s, least)
	if p == nil {
		return
	}
	signedIn := engine.Unknown
	switch {
	case program.HasCredential(s):
		signedIn = engine.Yes
	case q.Thorough:
		if signedIn = status(ctx, p, q); ctx.Err() != nil {
			return
		}
	}
	program.Conclude(s, signedIn, signIn)
}

// status asks the program whether it is signed in.
func status(ctx context.Context, p *program.Program, q *engine.Inspection) engine.Verdict {
	end, err := p.Ask(ctx, q.Environ, q.WorkDir, "login", "status")
	switch {
	case err != nil:
		return engine.Unknown
	case end.ExitCode == 0:
		return engine.Yes
	case strings.Contains(strings.ToLower(end.Stderr+string(end.Stdout)), "not logged in"):
		return engine.No
	}
	return engine.Unknown
}
