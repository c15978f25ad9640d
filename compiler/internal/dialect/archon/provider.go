package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
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
	settingFiles
	pluginFolders
	betaFeatures
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
		thinkingModes | costLimit | fallbackModels | sandboxing | settingFiles | pluginFolders | betaFeatures},
	{"codex", mcpServers | skillFolders | codexSettings},
	{"opencode", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents},
	{"pi", toolLimits | skillFolders | effortLevels | thinkingModes | piExtensions},
	{"copilot", toolLimits | mcpServers | skillFolders | helperAgents | effortLevels | thinkingModes},
}

// defaultProvider answers when neither node nor workflow names an agent.
const defaultProvider = "claude"

// base returns the agent of the format that does an agent's work, or "" when
// that is another one or a program of the user's own.
func (d *decoder) base(name string) string {
	if a, ok := d.env.Settings.Agents.Find(name); ok {
		return known(&a)
	}
	return name
}

// known returns the agent of the format that does the work of an agent of the
// configuration, or "".
func known(a *settings.Agent) string {
	for _, name := range []string{a.Use, a.Kind} { // `self` uses the kind of that name
		if slices.Contains(Agents(), name) {
			return name
		}
	}
	return ""
}

// takes reports whether an agent supports an option. The configuration of the agent
// counts first, then the format's table for the agent behind it, then the table of
// its kind. A program supports all.
func (d *decoder) takes(name string, key *optionKey) bool {
	if a, _ := d.env.Settings.Agents.Find(name); a.Options != nil {
		return slices.Contains(a.Options, key.name)
	}
	base, needs := d.base(name), key.needs
	if needs == betaFeatures && !d.newer {
		needs = 0 // older versions pass them to every agent
	}
	for _, p := range providers {
		if p.name == base {
			// By the newer rules an effort is for every agent that reasons.
			return p.can&needs == needs || d.newer && d.nameOf(key, name) == reasoningEffort
		}
	}
	kind, _ := d.env.Kind(name)
	return kind.Options == nil || slices.Contains(kind.Options, key.name)
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
	known := d.env.Settings.Agents.Names(Agents()...)
	if slices.Contains(known, name) {
		return true
	}
	_, needs := catalog.AgentNamed(name)
	d.Bag.Add(finding.UnknownProvider(v.Place(), name, known, needs))
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
