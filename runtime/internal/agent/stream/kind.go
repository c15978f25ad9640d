package stream

import (
	"context"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A CLI describes a kind of agents that are command-line programs. They enforce
// schemas themselves.
type CLI struct {
	// Name is the kind's name in the catalog.
	Name string
	// Least is the oldest version that works with wfc.
	Least program.Version
	// Hide names the variables that the program does not get.
	Hide []string
	// SignIn is the hint for an agent without an account.
	SignIn string
	// SignedIn reports whether the program has an account, if no variable holds a
	// key. It may ask the program only if q.Thorough.
	SignedIn func(ctx context.Context, p *program.Program, v program.Version, q *engine.Inspection) engine.Verdict
	// Ask runs the program once.
	Ask func(ctx context.Context, a *Attempt) (*agent.Reply, error)
}

// An Attempt is one start of a program for a request.
type Attempt struct {
	Request *agent.Request
	Choice  settings.Agent
	// Permission is that of the choice, or the kind's default.
	Permission string
	Program    *program.Program
	// Version is the program's; zero if it is unknown.
	Version program.Version
	// Environ is the environment of the program.
	Environ []string
	// Files are removed after the attempt.
	Files  *Files
	Output *Output
}

// Kind returns the kind.
func (k *CLI) Kind() agent.Kind {
	return agent.Kind{Name: k.Name, Open: func(c settings.Agent) (agent.Agent, error) {
		c.Kind = k.Name
		permission, err := program.Permission(c)
		if err != nil {
			return nil, err
		}
		return &cli{CLI: k, choice: c, permission: permission}, nil
	}}
}

// A cli is an agent of a choice.
type cli struct {
	*CLI
	choice     settings.Agent
	permission string
	versions   program.Versions
}

var _ agent.Inspector = (*cli)(nil)

// Capabilities implements agent.Agent.
func (a *cli) Capabilities() agent.Capabilities {
	k, _ := catalog.KindNamed(a.Name)
	return agent.Capabilities{Structured: true, Options: k.Options, Forks: k.Forks}
}

// Turn implements agent.Agent.
func (a *cli) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	environ := envvar.Without(r.Environ, a.Hide...)
	p, err := program.Find(a.choice, environ, r.WorkDir)
	if err != nil {
		return nil, err
	}
	version, err := a.versions.Least(ctx, p, environ, r.WorkDir, a.Least)
	if err != nil {
		return nil, err
	}
	return orFresh(r, func(r *agent.Request) (reply *agent.Reply, err error) {
		t := &Attempt{
			Request: r, Choice: a.choice, Permission: a.permission, Program: p, Version: version, Environ: environ,
			Files: &Files{Dir: process.Files(ctx, r.RunDir)}, Output: NewOutput(r),
		}
		defer func() {
			if left := t.Files.Remove(); err == nil && left != nil {
				err = left
			}
		}()
		return a.Ask(ctx, t)
	})
}

// Inspect implements agent.Inspector.
func (a *cli) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	own := *q
	own.Environ = envvar.Without(q.Environ, a.Hide...)
	p, version := program.Look(ctx, a.choice, &own, s, a.Least)
	if p == nil {
		return
	}
	signedIn := engine.Yes
	if !program.HasCredential(s) {
		if signedIn = a.SignedIn(ctx, p, version, &own); ctx.Err() != nil {
			return
		}
	}
	program.Conclude(s, signedIn, a.SignIn)
}

// A Cause is the meaning of a failure of a program.
type Cause struct {
	Class  flow.Class
	Reason string
	// Hint says what to do, or is "".
	Hint string
	// Reset is when a quota is reset that is used up, or zero.
	Reset time.Time
}

// Because returns a cause.
func Because(class flow.Class, reason, hint string) Cause {
	return Cause{Class: class, Reason: reason, Hint: hint}
}

// Fail returns a failure of the agent for a cause.
func (c Cause) Fail(r *agent.Request, exit int, format string, args ...any) error {
	f := failures.New(c.Class, c.Reason, "agent `%s`: "+format, append([]any{r.Agent}, args...)...)
	if f.ExitCode = exit; c.Hint != "" {
		f.Message += "; " + c.Hint
	}
	if c.Reason == failures.ReasonQuota {
		return failures.OutOfQuota(f, c.Reset)
	}
	return f
}
