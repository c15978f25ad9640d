package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// kinds are the kinds of agents that the program was built with; a workflow
// without prompts has none.
func (p *Program) kinds() []string {
	if p.Prompts == nil || len(p.Definition.Agents) == 0 {
		return nil
	}
	prompts, err := p.Prompts(engine.Agents{})
	if err != nil {
		return []string{settings.KindCommand, settings.KindScripted} // no choice is no wrong choice
	}
	return prompts.Kinds()
}

// withoutOwn are the kinds that not every program has.
func withoutOwn(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == settings.KindCommand || k == settings.KindScripted })
}

// agentNames are the names that --agent may give: those that the workflow has,
// and those that the project's agents for it use.
func (p *Program) agentNames() []string {
	names := slices.Clone(p.Definition.Agents)
	for _, c := range p.Defaults.Agents {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		if c.Use != "" && !slices.Contains(names, c.Use) {
			names = append(names, c.Use)
		}
	}
	return names
}

// choice reads one --agent.
func choice(given string) (settings.Agent, error) {
	name, behind, ok := strings.Cut(given, "=")
	kind, argument, full := strings.Cut(behind, ":")
	own := kind == settings.KindCommand || kind == settings.KindScripted
	if !ok || name == "" || kind == "" || (full || own) && argument == "" {
		return settings.Agent{}, usage("`--agent %s` is not of the form NAME=command:PROGRAM, NAME=scripted:FILE, NAME=KIND or NAME=KIND:PROGRAM", given)
	}
	if kind == "use" {
		return settings.Agent{}, usage("`--agent %s`: that an agent is another one is said in wfc.yaml (`use`)", given)
	}
	return settings.Agent{Name: name, Kind: kind, Argument: argument}, nil
}

// absolute makes the path in a choice absolute, for the run may be resumed from
// another folder. A program without a slash is looked up on PATH.
func absolute(c settings.Agent) (string, error) {
	if c.Kind == settings.KindScripted {
		return filepath.Abs(c.Argument)
	}
	program, args, _ := strings.Cut(c.Argument, " ")
	if !strings.ContainsAny(program, `/\`) {
		return c.Argument, nil
	}
	path, err := filepath.Abs(program)
	return path + after(" ", args), err
}

// choices are the agents of a run: the project's, and those that were given in
// their place. secrets are the variables that are secrets.
func (s runSettings) choices(d settings.Project, secrets []string) (engine.Agents, error) {
	agents := engine.Agents{List: slices.Clone(d.Agents), Only: d.Environment.Agents, Secrets: secrets}
	for _, given := range s.Agents {
		c, err := choice(given)
		if err != nil {
			return engine.Agents{}, err
		}
		agents.List = replace(agents.List, c)
	}
	return agents, nil
}

// replace puts a choice in the place of the one that has its name. The project's
// settings are for the name and stay, but for those that are for another kind of
// agent: a model that it does not have, what it may do to the machine.
func replace(list settings.Agents, c settings.Agent) settings.Agents {
	worker, _ := list.End(c.Name)
	before := worker.Kind
	if old, ok := list.Find(c.Name); ok {
		given := c
		c = old
		c.Use, c.Kind, c.Argument, c.Args = "", given.Kind, given.Argument, given.Args
		if base, ok := list.End(c.Name); ok && base.Kind == c.Kind && c.Argument == "" {
			c.Argument, c.Args = base.Argument, base.Args
		}
	}
	list = append(slices.DeleteFunc(list, func(old settings.Agent) bool { return old.Name == c.Name }), c)
	if before == c.Kind || before == "" {
		return list
	}
	for i := range list {
		if base, ok := list.End(list[i].Name); ok && base.Name == c.Name {
			list[i] = forKind(list[i], c.Kind)
		}
	}
	return list
}

// forKind leaves out of a choice what was said of an agent of another kind.
func forKind(c settings.Agent, kind string) settings.Agent {
	if kind != settings.KindCommand && kind != settings.KindScripted {
		c.Model = "" // what they do with a model is theirs
	}
	c.Permission, c.BaseURL, c.KeyVariable, c.MaxTokens, c.Price = "", "", "", 0, nil
	return c
}

// taped makes the agents those of a run whose turns are recorded or replayed.
func (a *app) taped(s runSettings, agents engine.Agents) engine.Agents {
	if s.Record == "" && s.Replay == "" {
		return agents
	}
	def := a.program.Definition
	agents.Tape = &engine.Tape{
		Record: s.Record, Replay: s.Replay, Strict: s.Strict,
		Workflow: def.Name, Fingerprint: def.Fingerprint, Environ: a.secrets(),
	}
	agents.List = slices.Clone(agents.List)
	for _, name := range def.Agents {
		if _, ok := agents.List.Find(name); !ok && s.Replay != "" {
			agents.List = append(agents.List, settings.Agent{Name: name})
		}
	}
	return agents
}
