package config

import (
	"cmp"
	"slices"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

// useCommand is the Use of an agent that is a program.
const useCommand = "command"

// An Agent is a named agent.
type Agent struct {
	// Name is what workflows call it.
	Name string
	// Use is the agent that does the work: one that wfc knows, a kind of agents,
	// another one of the configuration, or "command".
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
	// Program is the program of an agent whose kind has one, "" for its own, and
	// Args its arguments, nil for its own.
	Program string
	Args    []string
	// Permission is what it may do to the machine without asking; "" is the
	// kind's safe one.
	Permission string
	// BaseURL is where the service is, KeyVariable the environment variable that
	// holds the key to it, and MaxTokens how much a model may write in a turn;
	// "" and 0 are the kind's own.
	BaseURL, KeyVariable string
	MaxTokens            int64
	// Price is what its model costs, or nil.
	Price *Price
	// Environment are patterns of names of variables that it gets although they
	// look like secrets; nil means none.
	Environment []string
}

// A Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input, Output float64
	// CachedInput and CacheWrite are 0 when they cost what other input does.
	CachedInput, CacheWrite float64
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

// standsFor follows what agents use to a program, or to an agent or a kind of
// agents that wfc knows. Each setting is that of the first agent on the way that
// has it; Use is "command" or the name that is known. It reports false when
// agents use each other in a circle.
func (c *Config) standsFor(name string) (Agent, bool) {
	all := Agent{Name: name}
	at := name
	for range len(c.Agents) + 1 {
		a := c.agent(at)
		if a == nil {
			all.Use = at
			return all, true
		}
		all.inherit(a)
		if a.Use == useCommand || a.Use == at && known(at) {
			all.Use, all.Command = a.Use, a.Command
			return all, true
		}
		at = a.Use
	}
	return all, false
}

// inherit takes what the agent does not say from the one that it uses.
func (a *Agent) inherit(from *Agent) {
	a.Model = cmp.Or(a.Model, from.Model)
	a.SystemPrompt = cmp.Or(a.SystemPrompt, from.SystemPrompt)
	a.Program = cmp.Or(a.Program, from.Program)
	a.Permission = cmp.Or(a.Permission, from.Permission)
	a.BaseURL = cmp.Or(a.BaseURL, from.BaseURL)
	a.KeyVariable = cmp.Or(a.KeyVariable, from.KeyVariable)
	a.MaxTokens = cmp.Or(a.MaxTokens, from.MaxTokens)
	a.Price = cmp.Or(a.Price, from.Price)
	for _, list := range []struct{ own, from *[]string }{
		{&a.Options, &from.Options}, {&a.Args, &from.Args}, {&a.Environment, &from.Environment},
	} {
		if *list.own == nil {
			*list.own = *list.from
		}
	}
}

// Kind returns the kind of a resolved agent; false for a program that speaks
// wfc's own protocol.
func (a *Agent) Kind() (catalog.Kind, bool) {
	if known, ok := catalog.AgentNamed(a.Use); ok {
		return catalog.KindNamed(known.Kind)
	}
	return catalog.KindNamed(a.Use)
}

// Unguarded reports whether a resolved agent may do to the machine what it
// wants.
func (a *Agent) Unguarded() bool {
	kind, _ := a.Kind()
	n := len(kind.Permissions)
	return n > 1 && a.Permission == kind.Permissions[n-1]
}

// known reports whether a name stands for an agent or a kind of agents without
// any definition.
func known(name string) bool {
	_, agent := catalog.AgentNamed(name)
	_, kind := catalog.KindNamed(name)
	return agent || kind
}

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
// "command", or the name of a known agent or kind of agents.
func (c *Config) Resolved() []Agent {
	var list []Agent
	for _, named := range c.Agents {
		a, _ := c.standsFor(named.Name)
		if m := c.model(a.Model); m != nil {
			a.Model = m.Model
		} else if model := compiler.TierModel(base(&a), a.Model); model != "" {
			a.Model = model
		}
		list = append(list, a)
	}
	return list
}

// base is the known agent whose place a resolved agent takes, or "".
func base(a *Agent) string {
	switch kind, ok := a.Kind(); {
	case !ok:
		return ""
	case slices.Contains(compiler.Agents(), a.Use):
		return a.Use
	case slices.Contains(compiler.Agents(), kind.Name):
		return kind.Name // `self` is the one of that name
	}
	return ""
}

// Frontend returns the settings that concern the compiler.
func (c *Config) Frontend() dialect.Config {
	f := dialect.Config{Commands: c.Commands, Scripts: c.Scripts, UntilStrict: c.UntilStrict, Limits: c.Limits, Programs: c.Programs}
	for _, a := range c.Resolved() {
		kind, _ := a.Kind()
		f.Agents = append(f.Agents, dialect.Agent{
			Name: a.Name, Base: base(&a), Kind: kind.Name, Options: a.Options, Model: a.Model, Priced: a.Price != nil,
		})
	}
	for _, m := range c.Models {
		f.Models = append(f.Models, dialect.Model(m))
	}
	return f
}
