package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// tiers are the models that represent the three sizes when the configuration does
// not say otherwise, by agent.
var tiers = map[string]map[string]string{
	"claude": {"small": "haiku", "medium": "sonnet", "large": "opus"},
}

// TierModel returns the model of a size that an agent of the configuration has, or "".
func TierModel(agent *settings.Agent, tier string) string { return tiers[known(agent)][tier] }

// An agentModel is an agent and its model, "" for the agent's own choice.
type agentModel struct {
	agent, model string
	// tier is the tier or alias of the configuration that the model is, and at its place
	// in the file; tier may be nil.
	tier *settings.Model
	at   source.Span
}

// choose returns the agent and the model that a provider and a model of one level
// of the file represent. A tier or an alias of the configuration may name an agent,
// which then counts; a provider that the file names beside it is reported, unless
// it is the same. A tier that the configuration does not define represents the
// agent's model of that size, and everything else for itself.
func (d *decoder) choose(agent string, own *agentDecl) agentModel {
	if own.model == "" {
		return agentModel{agent: agent}
	}
	if m := d.modelNamed(own.modelAt, own.model); m != nil {
		if m.Agent != "" && m.Agent != agent {
			if own.provider == agent {
				d.Bag.Add(finding.ModelOverridesProvider(own.providerAt.Place(), own.provider, own.model, m.Agent, own.modelAt.Place()))
			}
			agent = m.Agent
		}
		return agentModel{agent, m.Model, m, own.modelAt.Place()}
	}
	return agentModel{agent: agent, model: d.modelOf(own.modelAt, agent, own.model)}
}

// modelOf returns the agent's model that a name represents which is not an alias
// and no tier of the configuration.
func (d *decoder) modelOf(v value, agent, name string) string {
	if model := tiers[d.base(agent)][name]; model != "" {
		return model
	}
	if _, known := d.env.Kind(agent); known && tiers[defaultProvider][name] != "" {
		d.Bag.Add(finding.UndefinedTier(v.Place(), name, agent))
	}
	return name
}

// further returns the model that a name represents beside the agent's first one,
// such as the one to fall back on; false when it is another agent's, which is
// reported.
func (d *decoder) further(v value, agent, name string) (string, bool) {
	m := d.modelNamed(v, name)
	switch {
	case m == nil:
		return d.modelOf(v, agent, name), true
	case m.Agent == "" || m.Agent == agent || m.Agent == d.base(agent):
		return m.Model, true
	}
	d.Bag.Add(finding.ForeignModel(v.Place(), name, m.Agent, agent))
	return "", false
}

// settleFallback returns the model to fall back on by its own name.
func settleFallback(d *decoder, v value, agent string) (string, bool) {
	model, ok := d.further(v, agent, v.Node.Value)
	return (&yamlsrc.Node{Kind: yamlsrc.Scalar, Tag: yamlsrc.TagString, Value: model}).JSON(), ok
}

// settleHelpers returns the helper agents with their models by their own names.
// One whose model is another agent's has that of the agent which it helps.
func settleHelpers(d *decoder, v value, agent string) (string, bool) {
	all := *v.Node
	all.Pairs = slices.Clone(all.Pairs)
	for i, p := range all.Pairs {
		named := p.Value.Pair("model")
		if named == nil {
			continue
		}
		at := v.Member(&p).Member(named)
		model, ok := d.further(at, agent, named.Value.Value)
		helper := *p.Value
		helper.Pairs = slices.DeleteFunc(slices.Clone(helper.Pairs), func(p yamlsrc.Pair) bool { return !ok && p.Key.Value == "model" })
		for j := range helper.Pairs {
			if helper.Pairs[j].Key.Value == "model" {
				helper.Pairs[j].Value = &yamlsrc.Node{Kind: yamlsrc.Scalar, Tag: yamlsrc.TagString, Value: model}
			}
		}
		all.Pairs[i].Value = &helper
	}
	return all.JSON(), true
}
