package config

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/dialect"
)

// useCommand is the Use of an agent that is a program.
const useCommand = "command"

// An Agent is a named agent.
type Agent struct {
	// Name is what workflows call it.
	Name string
	// Use is the agent that does the work: one that wfc knows, another one of the
	// configuration, or "command".
	Use string
	// Command is the program, with its arguments, of a command agent.
	Command []string
	// Model is the model for prompts that name none, a name of Models too, or "".
	Model string
	// SystemPrompt is the system prompt for prompts that have none, or "".
	SystemPrompt string
	// Options are the names of the options that it takes; nil means those that
	// are known of the agent in Use, and all for a program.
	Options []string
}

// A Model is a named model: a tier such as "small" or an alias such as "@fast".
type Model struct {
	Name string
	// Agent is the agent that has the model, or "".
	Agent string
	// Model is the model's own name.
	Model string
}

// agent returns the agent of a name, the later one of two, or nil.
func (c *Config) agent(name string) *Agent {
	for i := len(c.Agents) - 1; i >= 0; i-- {
		if c.Agents[i].Name == name {
			return &c.Agents[i]
		}
	}
	return nil
}

// model returns the tier or alias of a name, or nil.
func (c *Config) model(name string) *Model {
	for i := range c.Models {
		if m := &c.Models[i]; m.Name == name || "@"+m.Name == name {
			return m
		}
	}
	return nil
}

// standsFor follows what agents use to a program or to an agent that wfc knows.
// Each setting is that of the first agent on the way that has it; Use is
// "command" or the known agent's name. It reports false when agents use each
// other in a circle.
func (c *Config) standsFor(name string) (Agent, bool) {
	all := Agent{Name: name}
	at := name
	for range len(c.Agents) + 1 {
		a := c.agent(at)
		if a == nil {
			all.Use = at
			return all, true
		}
		if all.Model == "" {
			all.Model = a.Model
		}
		if all.SystemPrompt == "" {
			all.SystemPrompt = a.SystemPrompt
		}
		if all.Options == nil {
			all.Options = a.Options
		}
		if a.Use == useCommand || a.Use == at && known(at) {
			all.Use, all.Command = a.Use, a.Command
			return all, true
		}
		at = a.Use
	}
	return all, false
}

// known reports whether an agent needs no definition.
func known(name string) bool { return slices.Contains(compiler.Agents(), name) }

// uses reports whether an agent is another one or uses it.
func (c *Config) uses(name, other string) bool {
	for range len(c.Agents) + 1 {
		if name == other {
			return true
		}
		a := c.agent(name)
		if a == nil {
			return false
		}
		name = a.Use
	}
	return false
}

// Resolved returns the agents, in the order of Agents, with all that they have
// from agents that they use, and with models by their own names. Use is
// "command" or the name of a known agent.
func (c *Config) Resolved() []Agent {
	var list []Agent
	for _, named := range c.Agents {
		a, _ := c.standsFor(named.Name)
		if m := c.model(a.Model); m != nil {
			a.Model = m.Model
		} else if model := compiler.TierModel(a.Use, a.Model); model != "" {
			a.Model = model
		}
		list = append(list, a)
	}
	return list
}

// Frontend returns the settings that concern front ends.
func (c *Config) Frontend() dialect.Config {
	f := dialect.Config{Commands: c.Commands, Scripts: c.Scripts, UntilStrict: c.UntilStrict}
	for _, a := range c.Resolved() {
		base := a.Use
		if base == useCommand {
			base = ""
		}
		f.Agents = append(f.Agents, dialect.Agent{Name: a.Name, Base: base, Options: a.Options})
	}
	for _, m := range c.Models {
		f.Models = append(f.Models, dialect.Model(m))
	}
	return f
}
