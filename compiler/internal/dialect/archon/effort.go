package archon

import (
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/finding"
)

// efforts are the rungs of reasoning effort, the weakest first. An agent has some of
// them.
var efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max", "ultra", "persistent"}

func readEffort(d *decoder, v value) (string, bool) {
	_, ok := d.Choice(v)
	return v.Node.JSON(), ok
}

// settleEffort lowers an effort that the agent does not have to the nearest weaker one
// that it has, or to its weakest.
func settleEffort(d *decoder, v value, agent string) (string, bool) {
	kind, _ := d.kind(agent)
	if wanted := v.Node.Value; len(kind.Efforts) > 0 && !slices.Contains(kind.Efforts, wanted) {
		lower := kind.Efforts[0]
		for _, rung := range efforts[:slices.Index(efforts, wanted)] {
			if slices.Contains(kind.Efforts, rung) {
				lower = rung
			}
		}
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
