package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
)

// The kinds of agents that every program has, and the kind of an agent that is
// another one.
const (
	kindCommand  = "command"
	kindScripted = "scripted"
	kindUse      = "use"
)

// kinds are the kinds of agents that the program was built with; a workflow
// without prompts has none.
func (p *Program) kinds() []string {
	if p.Prompts == nil || len(p.Definition.Agents) == 0 {
		return nil
	}
	prompts, err := p.Prompts(nil)
	if err != nil {
		return []string{kindCommand, kindScripted} // no choice is no wrong choice
	}
	return prompts.Kinds()
}

// withoutOwn are the kinds that not every program has.
func withoutOwn(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == kindCommand || k == kindScripted })
}

// agentNames are the names that --agent may give: those that the workflow has,
// and those that the project's agents for it use.
func (p *Program) agentNames() []string {
	names := slices.Clone(p.Definition.Agents)
	for _, c := range p.Defaults.Agents {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		if c.Kind == kindUse && !slices.Contains(names, c.Argument) {
			names = append(names, c.Argument)
		}
	}
	return names
}

// choice reads one --agent.
func choice(given string) (engine.AgentChoice, error) {
	name, behind, ok := strings.Cut(given, "=")
	kind, argument, full := strings.Cut(behind, ":")
	own := kind == kindCommand || kind == kindScripted
	if !ok || name == "" || kind == "" || (full || own) && argument == "" {
		return engine.AgentChoice{}, usage("`--agent %s` is not of the form NAME=command:PROGRAM, NAME=scripted:FILE, NAME=KIND or NAME=KIND:PROGRAM", given)
	}
	if kind == kindUse {
		return engine.AgentChoice{}, usage("`--agent %s`: that an agent is another one is said in wfc.yaml (`use`)", given)
	}
	return engine.AgentChoice{Name: name, Kind: kind, Argument: argument}, nil
}

// absolute makes the path in a choice absolute, for the run may be resumed from
// another folder. A program without a slash is looked up on PATH.
func absolute(c engine.AgentChoice) (string, error) {
	if c.Kind == kindScripted {
		return filepath.Abs(c.Argument)
	}
	program, args, _ := strings.Cut(c.Argument, " ")
	if !strings.ContainsAny(program, `/\`) {
		return c.Argument, nil
	}
	path, err := filepath.Abs(program)
	return path + after(" ", args), err
}

// choices are the agents to be used: the project's, and those that were given
// in their place. secrets are the variables that are secrets.
func (s settings) choices(d Defaults, secrets []string) ([]engine.AgentChoice, error) {
	list := slices.Clone(d.Agents)
	for _, given := range s.Agents {
		c, err := choice(given)
		if err != nil {
			return nil, err
		}
		list = replace(list, c)
	}
	for i := range list {
		if list[i].Only == nil {
			list[i].Only = d.Environment.Agents
		}
		list[i].Secrets = secrets
	}
	return list, nil
}

// replace puts a choice in the place of the one that has its name. The project's
// settings are for the name and stay, but for those that are for another kind of
// agent: a model that it does not have, what it may do to the machine.
func replace(list []engine.AgentChoice, c engine.AgentChoice) []engine.AgentChoice {
	before := kindOf(list, c.Name)
	if old, ok := find(list, c.Name); ok {
		given := c
		c = old
		c.Kind, c.Argument, c.Args = given.Kind, given.Argument, given.Args
		if base, ok := behind(list, c.Name); ok && base.Kind == c.Kind && c.Argument == "" {
			c.Argument, c.Args = base.Argument, base.Args
		}
	}
	list = append(slices.DeleteFunc(list, func(old engine.AgentChoice) bool { return old.Name == c.Name }), c)
	if before == c.Kind || before == "" {
		return list
	}
	for i := range list {
		if base, ok := behind(list, list[i].Name); ok && base.Name == c.Name {
			list[i] = forKind(list[i], c.Kind)
		}
	}
	return list
}

// forKind leaves out of a choice what was said of an agent of another kind.
func forKind(c engine.AgentChoice, kind string) engine.AgentChoice {
	if kind != kindCommand && kind != kindScripted {
		c.Model = "" // what they do with a model is theirs
	}
	c.Permission, c.BaseURL, c.KeyVariable, c.MaxTokens, c.Price = "", "", "", 0, nil
	return c
}

// find returns the choice that counts for a name.
func find(list []engine.AgentChoice, name string) (engine.AgentChoice, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == name {
			return list[i], true
		}
	}
	return engine.AgentChoice{}, false
}

// behind returns the choice at the end of the names that use each other.
func behind(list []engine.AgentChoice, name string) (engine.AgentChoice, bool) {
	for range len(list) + 1 {
		c, ok := find(list, name)
		if !ok || c.Kind != kindUse {
			return c, ok
		}
		name = c.Argument
	}
	return engine.AgentChoice{}, false
}

func kindOf(list []engine.AgentChoice, name string) string {
	c, _ := behind(list, name)
	return c.Kind
}

// taped makes the choices those of a run whose turns are recorded or replayed.
func (a *app) taped(s settings, list []engine.AgentChoice) []engine.AgentChoice {
	if s.Record == "" && s.Replay == "" {
		return list
	}
	def := a.program.Definition
	tape := &engine.Tape{
		Record: s.Record, Replay: s.Replay, Strict: s.Strict,
		Workflow: def.Name, Fingerprint: def.Fingerprint, Environ: a.secrets(),
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Tape = tape
	}
	for _, name := range def.Agents {
		if _, ok := find(list, name); !ok && s.Replay != "" {
			list = append(list, engine.AgentChoice{Name: name, Tape: tape})
		}
	}
	return list
}
