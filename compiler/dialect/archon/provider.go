package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/dialect"
)

// capability is a set of things that agents can do and options ask for.
type capability uint

const (
	toolLimits capability = 1 << iota
	hookEvents
	mcpServers
	skillFolders
	helperAgents
	effortLevels
	thinkingModes
	costLimit
	fallbackModels
	sandboxing
	piExtensions
	codexSettings
)

// A provider is an agent that the format knows by name.
type provider struct {
	name string
	can  capability
}

// providers are the agents that every installation of the original engine
// registers, in its order.
var providers = []provider{
	{"claude", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents | effortLevels |
		thinkingModes | costLimit | fallbackModels | sandboxing},
	{"codex", mcpServers | skillFolders | codexSettings},
	{"opencode", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents},
	{"pi", toolLimits | skillFolders | effortLevels | thinkingModes | piExtensions},
	{"copilot", toolLimits | mcpServers | skillFolders | helperAgents | effortLevels | thinkingModes},
}

// defaultProvider answers when neither node nor workflow names an agent.
const defaultProvider = "claude"

// tiers are the models that stand for the three sizes when the configuration
// does not say otherwise, by agent.
var tiers = map[string]map[string]string{
	"claude": {"small": "haiku", "medium": "sonnet", "large": "opus"},
}

// configured returns what the configuration says of an agent, or nil.
func (d *decoder) configured(name string) *dialect.Agent {
	for i := range d.env.Config.Agents {
		if a := &d.env.Config.Agents[i]; a.Name == name {
			return a
		}
	}
	return nil
}

// base returns the agent of the format that does an agent's work, or "" when
// that is a program of the user's own.
func (d *decoder) base(name string) string {
	if a := d.configured(name); a != nil {
		return a.Base
	}
	return name
}

// takes reports whether an agent takes an option: what the configuration says
// of the agent counts, then what is known of the one behind it. A program takes
// all.
func (d *decoder) takes(name string, key *optionKey) bool {
	if a := d.configured(name); a != nil && a.Options != nil {
		return slices.Contains(a.Options, key.name)
	}
	base := d.base(name)
	for _, p := range providers {
		if p.name == base {
			return p.can&key.needs == key.needs
		}
	}
	return true
}

// supporters are the known agents that can do something.
func supporters(need capability) []string {
	var list []string
	for _, p := range providers {
		if p.can&need == need {
			list = append(list, p.name)
		}
	}
	return list
}

// checkProvider reports an agent that is not known.
func (d *decoder) checkProvider(v value, name string) bool {
	known := Agents()
	for _, a := range d.env.Config.Agents {
		if !slices.Contains(known, a.Name) {
			known = append(known, a.Name)
		}
	}
	if slices.Contains(known, name) {
		return true
	}
	d.bag.Add(diag.UnknownProvider(v.place(), name, known))
	return false
}

// Agents returns the names of the agents that are known without any
// configuration.
func Agents() []string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.name
	}
	return names
}

// TierModel returns an agent's model of a size, or "".
func TierModel(agent, tier string) string { return tiers[agent][tier] }

// An agentModel is an agent and its model, "" for the agent's own choice.
type agentModel struct{ agent, model string }

// choose returns the agent and the model that a provider and a model of one
// level of the file stand for. A tier or an alias of the configuration may name
// an agent, which then counts; a provider that the file names beside it is
// reported, unless it is the same. A tier that the configuration does not
// define stands for the agent's model of that size, and everything else for
// itself.
func (d *decoder) choose(agent string, own *agentDecl) agentModel {
	if own.model == "" {
		return agentModel{agent: agent}
	}
	if m := d.alias(own.modelAt, own.model); m != nil {
		if m.Agent != "" && m.Agent != agent {
			if own.provider == agent {
				d.bag.Add(diag.ModelOverridesProvider(own.providerAt.place(), own.provider, own.model, m.Agent, own.modelAt.place()))
			}
			agent = m.Agent
		}
		return agentModel{agent, m.Model}
	}
	base := d.base(agent)
	if model := TierModel(base, own.model); model != "" {
		return agentModel{agent, model}
	}
	if TierModel(defaultProvider, own.model) != "" && slices.Contains(Agents(), base) {
		d.bag.Add(diag.UndefinedTier(own.modelAt.place(), own.model, agent))
	}
	return agentModel{agent, own.model}
}

// alias returns the tier or alias that a model's name is, or nil; an alias that
// is not defined is reported.
func (d *decoder) alias(v value, name string) *dialect.Model {
	bare, isAlias := strings.CutPrefix(name, "@")
	var known []string
	for i := range d.env.Config.Models {
		m := &d.env.Config.Models[i]
		if m.Name == name || isAlias && m.Name == bare {
			return m
		}
		known = append(known, "@"+strings.TrimPrefix(m.Name, "@"))
	}
	if isAlias {
		d.bag.Add(diag.UnknownModelAlias(v.place(), name, known))
	}
	return nil
}
