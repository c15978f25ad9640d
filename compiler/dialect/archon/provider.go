package archon

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
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
	{"codex", mcpServers | skillFolders},
	{"opencode", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents},
	{"pi", toolLimits | skillFolders | effortLevels | thinkingModes | piExtensions},
	{"copilot", toolLimits | mcpServers | skillFolders | helperAgents | effortLevels | thinkingModes},
}

// defaultProvider answers when neither node nor workflow names an agent.
const defaultProvider = "claude"

// tiers are the models that stand for the three sizes when the configuration
// does not say otherwise.
var tiers = map[string]map[string]string{
	"claude": {"small": "haiku", "medium": "sonnet", "large": "opus"},
}

// supports reports whether an agent can do something. Agents that the
// configuration defines are taken to be able to do everything.
func (d *decoder) supports(name string, need capability) bool {
	if slices.Contains(d.env.Config.Agents, name) {
		return true
	}
	for _, p := range providers {
		if p.name == name {
			return p.can&need == need
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
	known := make([]string, 0, len(providers)+len(d.env.Config.Agents))
	for _, p := range providers {
		known = append(known, p.name)
	}
	for _, name := range d.env.Config.Agents {
		if !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	if slices.Contains(known, name) {
		return true
	}
	d.bag.Add(diag.UnknownProvider(v.place(), name, known))
	return false
}

// checkModel reports a model alias that the configuration does not define.
// Every other text can be a model's name.
func (d *decoder) checkModel(v value, model string) {
	alias, isAlias := strings.CutPrefix(model, "@")
	if !isAlias {
		return
	}
	var known []string
	for _, name := range d.env.Config.Models {
		name = strings.TrimPrefix(name, "@")
		if name == alias {
			return
		}
		known = append(known, "@"+name)
	}
	d.bag.Add(diag.UnknownModelAlias(v.place(), model, known))
}

// modelOf turns a size into the agent's model of that size, unless the
// configuration defines the size.
func (d *decoder) modelOf(provider, model string) string {
	if slices.Contains(d.env.Config.Models, model) {
		return model
	}
	if m := tiers[provider][model]; m != "" {
		return m
	}
	return model
}
