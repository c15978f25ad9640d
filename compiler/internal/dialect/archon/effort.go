package archon

import (
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

func readEffort(d *decoder, v value) (string, bool) {
	_, ok := d.Choice(v)
	return v.Node.JSON(), ok
}

// settleEffort lowers an effort that the agent does not have to the nearest weaker one
// that it has, or to its weakest.
func settleEffort(d *decoder, v value, agent string) (string, bool) {
	kind, _ := d.env.Kind(agent)
	wanted := v.Node.Value
	if lower := kind.NearestEffort(wanted); lower != "" && lower != wanted {
		d.Bag.Add(finding.LoweredEffort(v.Place(), wanted, agent, lower))
		return strconv.Quote(lower), true
	}
	return v.Node.JSON(), true
}

// reasoningEffort is the option by which codex gets an effort.
const reasoningEffort = "modelReasoningEffort"

// nameOf is the name by which an agent gets an option.
func (d *decoder) nameOf(key *optionKey, agent string) string {
	if key.name == "effort" && d.base(agent) == "codex" {
		return reasoningEffort
	}
	return key.name
}

// addTierEffort adds the effort of the tier or alias that a prompt's model is, unless the
// node or the workflow sets one.
func (d *decoder) addTierEffort(agent *ir.Agent, own *agentDecl, chosen agentModel) {
	set := slices.Contains(own.keys, "effort") || slices.ContainsFunc(agent.Options, func(o ir.Option) bool {
		return o.Name == "effort" || o.Name == reasoningEffort
	})
	if set {
		return
	}
	if option, ok := d.env.TierEffort(chosen.tier, agent.Name, chosen.at, d.Bag); ok {
		agent.Options = append(agent.Options, option)
	}
}
