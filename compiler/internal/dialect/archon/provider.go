package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
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
// registers, in its order. (There, opencode has no cost limit; wfc keeps one, since the
// program reports its cost.)
var providers = []provider{
	{"claude", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents | effortLevels |
		thinkingModes | costLimit | fallbackModels | sandboxing | settingFiles | pluginFolders | betaFeatures},
	{"codex", mcpServers | skillFolders | codexSettings},
	{"opencode", toolLimits | hookEvents | mcpServers | skillFolders | helperAgents | costLimit},
	{"pi", toolLimits | skillFolders | effortLevels | thinkingModes | piExtensions},
	{"copilot", toolLimits | mcpServers | skillFolders | helperAgents | effortLevels | thinkingModes},
}

// defaultProvider answers when neither node nor workflow names an agent.
const defaultProvider = "claude"

// baseAgent returns the agent of the format that does an agent's work, or "" when
// that is another one or a program of the user's own.
func (a *agents) baseAgent(name string) string {
	if own, ok := a.env.Settings.Agents.Find(name); ok {
		return knownAgent(&own)
	}
	return name
}

// knownAgent returns the agent of the format that does the work of an agent of the
// configuration, or "".
func knownAgent(a *settings.Agent) string {
	for _, name := range []string{a.Use, a.Kind} { // `self` uses the kind of that name
		if slices.Contains(Agents(), name) {
			return name
		}
	}
	return ""
}

// supportsOption reports whether an agent supports an option. The configuration of the agent
// counts first, then the format's table for the agent behind it, then the table of
// its kind. A program supports all.
func (a *agents) supportsOption(name string, key *optionKey) bool {
	if own, _ := a.env.Settings.Agents.Find(name); own.Options != nil {
		return slices.Contains(own.Options, key.name)
	}
	base, needs := a.baseAgent(name), key.needs
	if needs == betaFeatures && !a.rules.Holds(formats.AgentBetas) {
		needs = 0 // older versions pass them to every agent
	}
	for _, p := range providers {
		if p.name == base {
			// By the newer rules an effort is for every agent that reasons.
			return p.can&needs == needs || a.rules.Holds(formats.CommonEffort) && a.nameOf(key, name) == reasoningEffort
		}
	}
	kind, _ := a.env.Kind(name)
	return kind.Options == nil || slices.Contains(kind.Options, key.name)
}

// agentsSupporting are the known agents that can do something.
func agentsSupporting(need capability) []string {
	var list []string
	for _, p := range providers {
		if p.can&need == need {
			list = append(list, p.name)
		}
	}
	return list
}

// checkProvider reports an agent that is not known.
func (a *agents) checkProvider(v value, name string) bool {
	known := a.env.Settings.Agents.Names(Agents()...)
	if slices.Contains(known, name) {
		return true
	}
	_, needs := catalog.AgentNamed(name)
	a.Bag.Add(finding.UnknownProvider(v.Place(), name, known, needs))
	return false
}

// Agents returns the names of the agents that are known without any
// configuration.
func Agents() []string {
	return plain.Texts(providers, func(p provider) string { return p.name })
}

// tiers are the models that represent the three sizes when the configuration does
// not say otherwise, by agent.
var tiers = map[string]map[string]string{
	"claude": {"small": "haiku", "medium": "sonnet", "large": "opus"},
}

// TierModel returns the model of a size that an agent of the configuration has, or "".
func TierModel(agent *settings.Agent, tier string) string { return tiers[knownAgent(agent)][tier] }

// An agentModel is an agent and its model, "" for the agent's own choice.
type agentModel struct {
	agent, model string
	// tier is the tier or alias of the configuration that the model is, and at its place
	// in the file; tier may be nil.
	tier *settings.Model
	at   source.Span
}

// chooseAgentModel returns the agent and the model that a provider and a model of one level
// of the file represent. A tier or an alias of the configuration may name an agent,
// which then counts; a provider that the file names beside it is reported, unless
// it is the same. A tier that the configuration does not define represents the
// agent's model of that size, and everything else for itself.
func (a *agents) chooseAgentModel(agent string, own *agentDecl) agentModel {
	if own.model == "" {
		return agentModel{agent: agent}
	}
	name := a.portableTier(own.model)
	if m := a.modelNamed(own.modelAt, name); m != nil {
		if m.Agent != "" && m.Agent != agent {
			if own.provider == agent {
				a.Bag.Add(finding.ModelOverridesProvider(own.providerAt.Place(), own.provider, own.model, m.Agent, own.modelAt.Place()))
			}
			agent = m.Agent
		}
		return agentModel{agent, m.Model, m, own.modelAt.Place()}
	}
	return agentModel{agent: agent, model: a.modelOf(own.modelAt, agent, name)}
}

// portableAliases are the aliases that mean a tier unless the project defines them, so that
// packs can name roles.
var portableAliases = map[string]string{"@implementer": "medium", "@architect": "large", "@reviewer": "medium", "@adjudicator": "medium"}

// portableTier returns the tier that a portable alias means, or the name itself.
func (a *agents) portableTier(name string) string {
	tier := portableAliases[name]
	if tier == "" || !a.rules.Holds(formats.PortableAliases) || a.env.HasModel(name) || a.projectModels().entries[name] != nil {
		return name
	}
	return tier
}

// modelOf returns the agent's model that a name represents which is not an alias
// and no tier of the configuration.
func (a *agents) modelOf(v value, agent, name string) string {
	if model := tiers[a.baseAgent(agent)][name]; model != "" {
		return model
	}
	if _, known := a.env.Kind(agent); known && tiers[defaultProvider][name] != "" {
		a.Bag.Add(finding.UndefinedTier(v.Place(), name, agent))
	}
	return name
}

// furtherModel returns the model that a name represents beside the agent's first one,
// such as the one to fall back on; false when it is another agent's, which is
// reported.
func (a *agents) furtherModel(v value, agent, name string) (string, bool) {
	m := a.modelNamed(v, name)
	switch {
	case m == nil:
		return a.modelOf(v, agent, name), true
	case m.Agent == "" || m.Agent == agent || m.Agent == a.baseAgent(agent):
		return m.Model, true
	}
	a.Bag.Add(finding.ForeignModel(v.Place(), name, m.Agent, agent))
	return "", false
}
