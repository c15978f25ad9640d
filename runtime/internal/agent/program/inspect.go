package program

import (
	"cmp"
	"context"
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Locate finds the program of a choice and notes in s where it is. It returns nil
// if there is none.
func Locate(c settings.Agent, q *engine.Inspection, s *engine.AgentState) *Program {
	p, err := Find(c, q.Environ, q.WorkDir)
	if err != nil {
		s.Installed, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		s.Hint = cmp.Or(Of(c).Install, s.Hint)
		return nil
	}
	s.Program, s.Installed = p.Path, engine.Yes
	return p
}

// Describe notes in s the version that a program prints. Not every program has
// one.
func (p *Program) Describe(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	if _, said, err := p.Version(ctx, q.Environ, q.WorkDir); err == nil {
		s.Version = said
	}
}

// Look notes in s where the program of a choice is, and its version. It returns
// nil if no program could answer. least is the oldest version that works with
// wfc; the zero Version means any.
func Look(ctx context.Context, c settings.Agent, q *engine.Inspection, s *engine.AgentState, least Version) (*Program, Version) {
	p := Locate(c, q, s)
	if p == nil {
		return nil, Version{}
	}
	v, said, err := p.Version(ctx, q.Environ, q.WorkDir)
	s.Version = said
	if v != (Version{}) {
		s.Version = v.String()
	}
	if ctx.Err() != nil {
		return nil, Version{} // the caller reports its own limit
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

// Conclude notes in s whether the agent is signed in, and whether it is usable if
// nothing else decided that. hint says how to sign in.
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

// HasCredential reports whether a variable that may hold the agent's key is set.
func HasCredential(s *engine.AgentState) bool {
	return slices.ContainsFunc(s.Credentials, func(c engine.Credential) bool { return c.Set })
}
