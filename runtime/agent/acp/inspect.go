package acp

import (
	"context"
	"errors"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// Inspect implements agent.Inspector. A thorough inspection opens a session and
// closes it again, which costs nothing. Whether the account is signed in is known
// only when the program refuses: many find out at the first prompt.
func (a *Agent) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	s.Installed, s.SignedIn, s.Usable = engine.No, engine.Unknown, engine.No
	p, err := program.Find(a.choice, q.Environ, q.WorkDir)
	if err != nil {
		s.Problem, s.Hint = err.Error(), program.Of(a.choice).Install
		return
	}
	s.Program, s.Installed, s.Usable = p.Path, engine.Yes, engine.Unknown
	if p.Args, _, err = arguments(p.Args, ""); err != nil {
		s.Problem = err.Error()
		return
	}
	// A program need not have a version.
	if _, said, err := p.Version(ctx, q.Environ, q.WorkDir); err == nil {
		s.Version = said
	}
	if q.Thorough && ctx.Err() == nil {
		a.try(ctx, q, s)
	}
}

// try opens a session.
func (a *Agent) try(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	t, err := a.prepare(&agent.Request{WorkDir: q.WorkDir, Environ: q.Environ}, agent.Options{})
	if err != nil {
		s.Usable, s.Problem = engine.No, err.Error()
		return
	}
	t.request.Agent = s.Name
	err = t.run(ctx, func(ctx context.Context) error {
		if err := t.initialize(ctx); err != nil {
			return err
		}
		err := t.open(ctx)
		if err == nil && t.start.Capabilities.Session.Close != nil {
			t.closeSession(ctx)
		}
		return err
	})
	if name := strings.TrimSpace(t.start.Info.Name + " " + t.start.Info.Version); s.Version == "" {
		s.Version = shorten(name, 60)
	}
	var signedOut *signedOutError
	switch {
	case err == nil:
		s.Usable = engine.Yes
	case ctx.Err() != nil:
		s.Problem = "it did not answer in time"
	case errors.As(err, &signedOut):
		s.SignedIn, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		s.Hint = "sign in with `" + t.name + "` itself, or set the variable that holds its key"
	default:
		s.Usable, s.Problem = engine.No, err.Error()
	}
}
