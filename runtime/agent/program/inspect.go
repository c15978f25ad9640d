package program

import (
	"context"
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Look says of an agent where its program is and of which version, and returns
// the program; it returns nil when there is none that could answer. least is the
// oldest version that works with wfc; the zero Version means any.
func Look(ctx context.Context, c settings.Agent, q *engine.Inspection, s *engine.AgentState, least Version) (*Program, Version) {
	p, err := Find(c, q.Environ, q.WorkDir)
	if err != nil {
		s.Installed, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		if install := Of(c).Install; install != "" {
			s.Hint = install
		}
		return nil, Version{}
	}
	s.Program, s.Installed = p.Path, engine.Yes
	v, said, err := p.Version(ctx, q.Environ, q.WorkDir)
	s.Version = said
	if v != (Version{}) {
		s.Version = v.String()
	}
	if ctx.Err() != nil {
		return nil, Version{} // whoever set the limit says so
	}
	if err != nil {
		s.Problem = err.Error()
		return p, Version{}
	}
	if err := p.Newer(v, least); err != nil {
		s.Usable, s.Problem, s.Hint = engine.No, err.Error(), p.Install
		return nil, v
	}
	return p, v
}

// Conclude says what follows for an agent from whether it is signed in, when
// nothing has been said yet. hint says how to sign in.
func Conclude(s *engine.AgentState, signedIn engine.Verdict, hint string) {
	s.SignedIn = signedIn
	switch {
	case s.Usable != "" || s.Problem != "":
	case signedIn == engine.No:
		s.Usable, s.Problem, s.Hint = engine.No, "it is not signed in", hint
	case signedIn == engine.Yes:
		s.Usable = engine.Yes
	}
}

// HasCredential reports whether one of the variables that may hold the agent's
// key is set.
func HasCredential(s *engine.AgentState) bool {
	return slices.ContainsFunc(s.Credentials, func(c engine.Credential) bool { return c.Set })
}
