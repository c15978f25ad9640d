package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// model returns the tier or alias of a name, or nil.
func (c *Config) model(name string) *settings.Model {
	for i := range c.settings.Models {
		if m := &c.settings.Models[i]; m.Name == name || "@"+m.Name == name {
			return m
		}
	}
	return nil
}

// resolve follows the agents that use each other to a program, or to an agent or a
// kind of agents that wfc knows. Each setting is that of the first agent on the way
// that has it. Use is the known name at the end, or "" for a program; Kind is "" if
// nothing of that name is known. It reports false if agents use each other in a cycle.
func (c *Config) resolve(name string) (settings.Agent, bool) {
	all := settings.Agent{Name: name}
	for range len(c.settings.Agents) + 1 {
		a, ok := c.settings.Agents.Find(name)
		if !ok {
			a.Use = name
		}
		all = all.Inherit(a)
		if a.Kind == settings.KindCommand {
			all.Use, all.Kind, all.Program, all.Args = "", a.Kind, a.Program, a.Args
			return all, true
		}
		if all.Use = a.Use; a.Use == name && (!ok || kindOf(name) != "") {
			all.Kind = kindOf(name)
			return all, true
		}
		name = a.Use
	}
	return all, false
}

// kindOf returns the kind of a known agent or of a kind of agents, or "".
func kindOf(name string) string {
	if known, ok := catalog.AgentNamed(name); ok {
		return known.Kind
	}
	kind, _ := catalog.KindNamed(name)
	return kind.Name
}

// uses reports whether an agent is another one or uses it.
func (c *Config) uses(name, other string) bool {
	for range len(c.settings.Agents) + 1 {
		if name == other {
			return true
		}
		a, ok := c.settings.Agents.Find(name)
		if !ok {
			return false
		}
		name = a.Use
	}
	return false
}

// Agents returns the agents that the configuration defines, in its order. Each has
// inherited the settings of the agent in its `use`, and its Model is the provider's name,
// not an alias. Its Kind is "" if neither the agent nor an agent in its chain of `use` has
// a kind that wfc knows.
func (c *Config) Agents() settings.Agents {
	var list settings.Agents
	for _, named := range c.settings.Agents {
		a, _ := c.resolve(named.Name)
		if m := c.model(a.Model); m != nil {
			a.Model = m.Model
		} else if model := archon.TierModel(&a, a.Model); model != "" {
			a.Model = model
		}
		list = append(list, a)
	}
	return list
}

// Settings returns the settings for generated programs. They include the agents that
// workflows may name without a definition (see runtime/agent/catalog). Relative paths are
// resolved against base, usually c.Dir. If base is "", they stay as written: use this for
// code that is committed and must be the same on every machine.
func (c *Config) Settings(base string) settings.Project {
	p := c.settings
	p.Agents = nil
	p.State = based(base, p.State)
	for i, a := range c.Agents() {
		if a, ok := forProgram(a, &c.settings.Agents[i], base); ok {
			p.Agents = append(p.Agents, a)
		}
	}
	for _, known := range catalog.Agents() {
		if _, ok := c.settings.Agents.Find(known.Name); !ok {
			p.Agents = append(p.Agents, settings.Agent{Name: known.Name, Kind: known.Kind, Program: known.Program, Args: known.Args})
		}
	}
	return p
}

// forProgram returns an agent as programs have it; own is the agent as it is
// written. One without its own program follows the agent that it uses, also where
// the command line of the program puts another in that one's place. False means that
// its settings are wrong, which was reported.
func forProgram(a settings.Agent, own *settings.Agent, base string) (settings.Agent, bool) {
	_, isAgent := catalog.AgentNamed(own.Use)
	isKind := kindOf(own.Use) != "" && !isAgent
	if own.Use != "" && own.Use != own.Name && !isKind && own.Program == "" && own.Args == nil {
		follower := *own
		follower.Model, follower.SystemPrompt = a.Model, a.SystemPrompt
		return follower, true
	}
	known, _ := catalog.AgentNamed(a.Use)
	a.Use = ""
	if strings.ContainsAny(a.Program, `/\`) {
		a.Program = based(base, a.Program)
	}
	if a.Kind == settings.KindCommand {
		return a, a.Program != ""
	}
	if a.Program == "" {
		a.Program = known.Program
	}
	if a.Args == nil {
		a.Args = slices.Clone(known.Args)
	}
	if a.Program != "" && a.Args == nil {
		a.Args = []string{} // spaces in the program's path are part of it
	}
	return a, a.Kind != ""
}

// based returns a path relative to base; one that is absolute or begins with a
// home folder stays.
func based(base, path string) string {
	if base == "" || path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(base, filepath.FromSlash(path))
}
