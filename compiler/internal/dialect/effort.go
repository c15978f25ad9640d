package dialect

import (
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Efforts are the rungs of reasoning effort, the weakest first. An agent has some of
// them.
var Efforts = catalog.KindInfo{}.KnownEfforts()

// Kind returns the kind of an agent; false for a program of the user's own.
func (e *Env) Kind(agent string) (catalog.KindInfo, bool) {
	if a, ok := e.Settings.Agents.Find(agent); ok {
		return catalog.KindNamed(a.Kind)
	}
	known, _ := catalog.AgentNamed(agent)
	return catalog.KindNamed(known.Kind)
}

// effortOptions are the options by which agents get an effort.
var effortOptions = []string{"effort", "modelReasoningEffort"}

// TierEffort returns the option of a prompt whose model is a tier or an alias with an
// effort; false if it has none, or if the agent takes none, which is reported at the place
// of the model.
func (e *Env) TierEffort(m *settings.Model, agent string, at source.Span, bag *diag.Bag) (ir.Option, bool) {
	if m == nil || m.Effort == "" {
		return ir.Option{}, false
	}
	kind, _ := e.Kind(agent)
	takes := kind.Options
	if a, _ := e.Settings.Agents.Find(agent); a.Options != nil {
		takes = a.Options
	}
	name := effortOptions[0]
	if takes != nil {
		i := slices.IndexFunc(effortOptions, func(option string) bool { return slices.Contains(takes, option) })
		if i < 0 {
			bag.Add(finding.TierWithoutEffort(at, m.Name, m.Effort, agent))
			return ir.Option{}, false
		}
		name = effortOptions[i]
	}
	effort := m.Effort
	if nearest := kind.NearestEffort(effort); nearest != effort {
		bag.Add(finding.LoweredEffort(at, effort, agent, nearest))
		effort = nearest
	}
	return ir.Option{Name: name, JSON: strconv.Quote(effort), Span: at}, true
}
