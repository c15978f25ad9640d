// Package program finds the programs of coding agents, asks them for their
// versions, and says what to do when they are missing or too old.
package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Program is a program that was found.
type Program struct {
	// Path is its file.
	Path string
	// Name is the name that the settings use.
	Name string
	// Args are the arguments that come before all others.
	Args []string
	// Install says how to get it, or "" when nobody knows.
	Install string
	// ownArgs says that the settings have arguments, which may name files of the project.
	ownArgs bool
}

// A Spec says which program an agent starts: Words returns it.
type Spec struct {
	// Agent is the agent's name, for messages.
	Agent string
	// Name is a name to be looked up on PATH or a path; "" when none is known.
	Name string
	// Args are the arguments that come before all others.
	Args []string
	// Install says how to get the program, or "".
	Install string
}

// Of returns the program of a choice: the one that it names; else that of the known agent
// with the choice's name, if it is of the same kind; else the kind's own. Arguments of
// the choice replace the usual ones.
func Of(c settings.Agent) Spec {
	s := Spec{Agent: c.Name, Name: c.Program, Args: c.Args}
	kind, _ := catalog.KindNamed(c.Kind)
	known, isKnown := catalog.AgentNamed(c.Name)
	if !isKnown || known.Kind != c.Kind {
		known = catalog.AgentInfo{}
	}
	switch {
	case c.Program == "":
		s.Name = kind.Program
		if known.Program != "" {
			s.Name = known.Program
			if c.Args == nil {
				s.Args = known.Args
			}
		}
	case c.Args == nil:
		words := strings.Fields(c.Program)
		s.Name = ""
		if len(words) > 0 {
			s.Name, s.Args = words[0], words[1:]
		}
	}
	s.Install = kind.Install
	if known.Install != "" {
		s.Install = known.Install
	}
	return s
}

// Find finds the program of a choice: a name on the PATH of the environment, a
// path from dir. The error is a *flow.Failure that says what is missing and how
// to get it.
func Find(c settings.Agent, environ []string, dir string) (*Program, error) {
	s := Of(c)
	if s.Name == "" {
		return nil, fatalFailure("agent `%s` has no program to start; name one under `program` of the agent in wfc.yaml", s.Agent)
	}
	path, err := process.LookPath(s.Name, dir, environ)
	if err == nil {
		own := c.Args != nil || len(strings.Fields(c.Program)) > 1
		return &Program{Path: path, Name: s.Name, Args: s.Args, Install: s.Install, ownArgs: own}, nil
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return nil, fatalFailure("%s", s.missingMessage(dir))
	}
	return nil, fatalFailure("agent `%s`: %v", s.Agent, err)
}

// missingMessage says that the program is not there.
func (s Spec) missingMessage(dir string) string {
	where := "is not on PATH"
	if strings.ContainsAny(s.Name, `/\`) {
		where = "does not exist"
		if !filepath.IsAbs(s.Name) {
			where += " (searched from " + dir + ")"
		}
	}
	text := fmt.Sprintf("agent `%s`: the program `%s` %s; ", s.Agent, s.Name, where)
	if s.Install != "" {
		text += "install it with `" + s.Install + "`, or "
	}
	return text + "set its path as `program` of the agent in wfc.yaml"
}

// Command returns the command that runs the program for a request, with
// arguments after its own.
func (p *Program) Command(r *agent.Request, args ...string) *process.Command {
	return &process.Command{
		Path: p.Path, Name: p.Name, Args: p.withProgramArgs(args), Dir: r.WorkDir, Env: r.Environ,
		Owner: process.Owner{Dir: r.RunDir, RunID: r.RunID, Key: r.Key},
	}
}

func (p *Program) withProgramArgs(args []string) []string {
	return append(append(make([]string, 0, len(p.Args)+len(args)), p.Args...), args...)
}

// Ask runs the program with arguments after its own, to query the program itself. The end
// of ctx ends it. The error is ctx's, or says that the program did not start.
func (p *Program) Ask(ctx context.Context, environ []string, dir string, args ...string) (*process.End, error) {
	if err := p.Guard(args); err != nil {
		return nil, err
	}
	end, err := process.Run(ctx, &process.Command{
		Path: p.Path, Name: p.Name, Args: p.withProgramArgs(args), Dir: dir, Env: environ,
		Limits: process.Limits{Output: 1 << 20, Grace: askGrace},
	})
	if err != nil {
		return nil, err
	}
	if end.Stopped != nil {
		return nil, fmt.Errorf("`%s` did not answer: %w", strings.Join(append([]string{p.Name}, args...), " "), end.Stopped)
	}
	return end, nil
}

func fatalFailure(format string, args ...any) *flow.Failure {
	return failures.New(flow.ClassFatal, process.ReasonStart, format, args...)
}

// The permissions that kinds of agents have in common.
const (
	// Safe lets an agent read, and change nothing but by what the prompt allows.
	Safe = "safe"
	// Edit lets it change files of the folder that it works in.
	Edit = "edit"
	// All lets it do anything without asking.
	All = "all"
)

// Permission returns the permission of a choice: the kind's first one when it
// names none. The error names those that there are.
func Permission(c settings.Agent) (string, error) {
	kind, _ := catalog.KindNamed(c.Kind)
	switch {
	case c.Permission == "" && len(kind.Permissions) > 0:
		return kind.Permissions[0], nil
	case slices.Contains(kind.Permissions, c.Permission):
		return c.Permission, nil
	}
	return "", errors.New(plain.UnknownName("permission", c.Permission, kind.Permissions))
}

// Allow says how an agent that was denied something gets it: by a wider
// permission, or in another way.
func Allow(agent, permission, other string) string {
	wider := map[string]string{Safe: "`permission: edit` or `permission: all`", Edit: "`permission: all`"}[permission]
	switch {
	case wider == "" && other == "":
		return "Its own settings deny it"
	case wider == "":
		return "Its own settings deny it, or " + other
	case other != "":
		other = ", or " + other
	}
	return fmt.Sprintf("Set %s of agent `%s` in wfc.yaml%s", wider, agent, other)
}

// unsafeInBatch are the characters that have a meaning for the system's command
// interpreter in any context.
const unsafeInBatch = "\"%!^&|<>()\r\n"

// Guard returns an error if the program is a batch file and an argument contains
// characters that its interpreter would execute: on Windows, npm installs programs as
// batch files, and the system parses their arguments as a command line.
func (p *Program) Guard(args []string) error {
	ending := strings.ToLower(filepath.Ext(p.Path))
	if ending != ".cmd" && ending != ".bat" {
		return nil
	}
	for _, arg := range args {
		if strings.ContainsAny(arg, unsafeInBatch) {
			return fatalFailure("`%s` is a batch file, which cannot safely get the argument `%s`; install the program as an .exe, or set the path of one as `program` of the agent in wfc.yaml", p.Path, plain.Clip(arg, 41))
		}
	}
	return nil
}
